/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/opened.h"

#include <errno.h>
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aggregate/trees/children.h"
#include "base/clock.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "load/profile_files.h"
#include "load/section_names.h"
#include "names/spelling/demangler.h"
#include "place/kernel/kernel_core.h"
#include "store/state_files.h"

bool opened_is_profile(const char *path)
{
	unsigned age;

	return store_is_profile(path) > 0 || unpacked_is_archive(path) ||
	       state_is_age(path, &age) || parts_is_folder(path);
}

void opened_forget(struct opened *opened)
{
	labels_done(&opened->labels);
	frame_lines_free(opened->lines);
	opened->lines = NULL;
	inlines_done(&opened->inlines);
	demangler_free(opened->demangler);
	opened->demangler = NULL;
	if (opened->readers)
		image_readers_done(opened->readers);
	free(steal_ptr(opened->readers));
	vec_free(&opened->totals.rows);
	vec_free(&opened->whole.rows);
	if (opened->profile)
		profile_forget_rows(opened->profile);
}

void opened_forget_samples(struct opened *opened)
{
	vec_free(&opened->totals.rows);
	vec_free(&opened->whole.rows);
	opened->in_scope = 0;
}

void opened_forget_stacks(struct opened *opened)
{
	profile_forget_stacks(opened->profile);
}

void opened_done(struct opened *opened)
{
	for (size_t i = 0; i < opened->users.count; i++)
		free((char *)opened->users.items[i].name);
	vec_free(&opened->users);
	completeness_done(&opened->completeness);
	select_free(opened->select);
	buf_done(&opened->selection);
	opened_forget(opened);
	profile_free(opened->profile);
	parts_close(opened->parts);
	unpacked_close(opened->unpacked);
}

static void add_word(struct buf *words, const char *before, const char *word)
{
	buf_printf(words, "%s%s%s", words->size ? " " : "", before, word);
}

static int add_clauses(struct opened *opened, const struct selection *selection, struct err *err)
{
	opened->select = select_new();
	for (size_t i = 0; i < selection->clause_count; i++) {
		int rc = select_add(opened->select, selection->clauses[i], err);

		add_word(&opened->selection, "", selection->clauses[i]);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int choose_window(struct opened *opened, const struct selection *selection, struct err *err)
{
	int rc = selection_window_parse(&opened->window, selection, err);

	if (selection->since)
		add_word(&opened->selection, "since ", selection->since);
	if (selection->until)
		add_word(&opened->selection, "until ", selection->until);
	return rc;
}

static int parse_slice(struct opened *opened, const struct selection *selection, struct err *err)
{
	opened->slice_ns = NS_PER_S;
	if (!selection->slice)
		return 0;
	if (moment_parse_span(selection->slice, &opened->slice_ns) < 0 || !opened->slice_ns)
		return err_set(err, -EINVAL,
			       "invalid --slice '%s': expected a duration such as 100ms, 10s or 1m",
			       selection->slice);
	return 0;
}

static int choose_scope(struct opened *opened, const struct selection *selection, enum scope scope,
			struct err *err)
{
	opened->scope_is_asked = selection->command;
	opened->scope = selection->command   ? SCOPE_COMMAND
			: selection->machine ? SCOPE_MACHINE
					     : scope;
	return selection->command && selection->machine
		       ? err_set(err, -EINVAL, "--command and --machine cannot be used together")
		       : 0;
}

int opened_choose(struct opened *opened, const struct selection *selection, enum scope scope,
		  struct err *err)
{
	int rc = add_clauses(opened, selection, err);

	if (rc == 0)
		rc = choose_scope(opened, selection, scope, err);
	if (rc == 0)
		rc = choose_window(opened, selection, err);
	return rc < 0 ? rc : parse_slice(opened, selection, err);
}

int opened_name(struct opened *opened, const struct opened_names *names, struct err *err)
{
	opened->names = *names;
	if (line_service_check(&names->lines, err) < 0)
		return -EINVAL;
	return demangler_style_check(names->demangle, err);
}

static bool knows_user(const struct opened *opened, uint32_t uid)
{
	for (size_t i = 0; i < opened->users.count; i++) {
		if (opened->users.items[i].uid == uid)
			return true;
	}
	return false;
}

/* Names of users are valid on the recording's machine only; elsewhere numbers are shown. */
static void find_users(struct opened *opened)
{
	const char *recorded_on = opened->profile->run.hostname;
	char here[256] = "";

	if (gethostname(here, sizeof(here) - 1) < 0 || !recorded_on ||
	    strcmp(here, recorded_on) != 0)
		return;
	for (size_t i = 1; i < opened->profile->processes.count; i++) {
		uint32_t uid = opened->profile->processes.items[i].uid;
		const struct passwd *user = knows_user(opened, uid) ? NULL : getpwuid(uid);

		if (user)
			*vec_push(&opened->users) =
				(struct user_name){ uid, xstrdup(user->pw_name) };
	}
}

static const char *demangle(void *context, const char *name)
{
	return demangler_text(context, name);
}

static uint64_t end_ns(const struct opened *opened)
{
	return parts_end_ns(opened->parts, opened->profile);
}

void opened_span(const struct opened *opened, uint64_t *ret_from_ns, uint64_t *ret_to_ns)
{
	uint64_t start = opened->profile->run.start_ns, end = end_ns(opened);
	const struct selection_window *window = &opened->window;

	*ret_from_ns = window->from_ns > start ? window->from_ns : start;
	*ret_to_ns = window->to_ns < end ? window->to_ns : end;
	if (*ret_to_ns < *ret_from_ns)
		*ret_to_ns = *ret_from_ns;
}

/* Adds names that the recording lacked, before anything uses them. */
static void add_names(struct opened *opened)
{
	struct late_names added;

	if (!profile_files_wanted(&opened->names.lines))
		return;
	profile_files_add_names(opened->profile, &opened->names.lines, false, false, &added);
	late_names_done(&added);
}

static void expand_totals(const struct opened *opened, struct totals *totals)
{
	for (size_t i = 0; i < totals->rows.count; i++) {
		struct total *total = &totals->rows.items[i];

		total->stack = inlines_stack(&opened->inlines, total->stack);
	}
}

static void expand_inlines(struct opened *opened)
{
	inlines_expand(opened->profile, opened->lines, &opened->inlines);
	expand_totals(opened, &opened->totals);
	expand_totals(opened, &opened->whole);
}

/* If *path is an archive, sets it to the profile within. */
static int unpack(struct opened *opened, const char **path, struct err *err)
{
	int rc;

	if (!unpacked_is_archive(*path))
		return 0;
	rc = unpacked_open(*path, &opened->unpacked, err);
	if (rc < 0)
		return rc;
	*path = unpacked_profile(opened->unpacked);
	if (!opened->names.lines.symfs) {
		opened->names.lines.symfs = unpacked_files(opened->unpacked);
		opened->names.lines.symfs_sealed = true;
	}
	return 0;
}

const char *opened_sources(const struct opened *opened)
{
	return opened->unpacked ? unpacked_sources(opened->unpacked) : NULL;
}

static int settle_scope(struct opened *opened, const char *path, struct err *err)
{
	int rc = parts_has_command(opened->parts, &opened->about_command, err);

	if (rc < 0 || opened->about_command)
		return rc;
	if (opened->scope_is_asked)
		return err_set(err, -ESRCH,
			       "--command: %s has no command, because it was recorded with -a or "
			       "imported: omit --command",
			       path);
	opened->scope = SCOPE_MACHINE;
	return 0;
}

int opened_open(struct opened *opened, const char *path, struct err *err)
{
	char kept[STATE_PATH_MAX];
	const char *given = path;
	int rc;

	xalloc_keep();
	rc = state_find(&path, kept, sizeof(kept), err);

	if (rc == 0)
		rc = unpack(opened, &path, err);

	if (rc == 0)
		rc = parts_open(path, &opened->parts, err);
	if (rc == 0)
		rc = parts_choose(opened->parts, &opened->window, err);
	return rc < 0 ? rc : settle_scope(opened, given, err);
}

int opened_load(struct opened *opened, const char *path, struct err *err)
{
	int rc = opened_open(opened, path, err);

	return rc < 0 ? rc : opened_read(opened, err);
}

static int read_totals(struct opened *opened, struct err *err)
{
	struct totals *totals = &opened->totals;
	int rc = parts_load_totals(opened->parts, totals, &opened->whole, err);

	if (rc < 0)
		return rc;
	opened->in_scope = totals->rows.count;
	if (opened->scope == SCOPE_COMMAND)
		opened->in_scope =
			scope_divide(opened->profile, totals->rows.items, totals->rows.count);
	return 0;
}

int opened_read(struct opened *opened, struct err *err)
{
	int rc = parts_load_profile(opened->parts, &opened->window, &opened->profile, err);

	if (rc == 0 && selection_window_is_part(&opened->window))
		profile_clip_losses(opened->profile, opened->window.from_ns, opened->window.to_ns);
	if (rc == 0)
		rc = read_totals(opened, err);
	if (rc == 0 && opened->names.kallsyms)
		rc = kernel_core_name_frames(opened->profile, opened->names.kallsyms, err);
	if (rc < 0)
		return rc;
	opened->readers = xcalloc(1, sizeof(*opened->readers));
	profile_files_readers(opened->profile, &opened->totals, opened->unpacked, opened->readers);
	opened->names.lines.readers = opened->readers;
	add_names(opened);
	if (!opened->names.plain)
		section_names_add(opened->profile);
	opened->lines = frame_lines_new(opened->profile, &opened->names.lines);
	if (opened->names.inlines)
		expand_inlines(opened);
	labels_init(&opened->labels, opened->profile);
	opened->demangler = demangler_new(demangler_style_by_name(opened->names.demangle));
	opened->labels.slice_ns = opened->slice_ns;
	opened->labels.demangle = demangle;
	opened->labels.demangle_context = opened->demangler;
	find_users(opened);
	opened->labels.users = opened->users.items;
	opened->labels.user_count = opened->users.count;
	opened->labels.places = frame_lines_places(opened->lines);
	completeness_make(opened->profile, opened->totals.rows.items, opened->in_scope,
			  account_main_event(opened->profile), &opened->completeness);
	return 0;
}

enum { MAX_TAKEN = 64 }; /* passed at once */

struct visit {
	struct opened *opened;
	void (*take)(void *context, const struct point *points, size_t count);
	void *context;
	struct point points[MAX_TAKEN]; /* that wait to be passed */
	size_t count;
	unsigned fields;	     /* in which samples may differ */
	struct sample_slices slices; /* times in the same slice are alike */
	bool seen;		     /* any sample, selected or not */
	bool divides;		     /* see divides_by_command */
	bool of_part;		     /* opened->of_part is to be summed up, of this event: */
	uint8_t main_event;
	bool looks_again; /* nothing was selected: to learn what could be */
};

static void take_waiting(struct visit *visit)
{
	if (visit->count)
		visit->take(visit->context, visit->points, visit->count);
	visit->count = 0;
}

/* Whether it matters for each sample if it is the command's. */
static bool divides_by_command(const struct opened *opened)
{
	return opened->scope == SCOPE_COMMAND ||
	       (opened->about_command && selection_window_is_part(&opened->window));
}

static void take_point(struct visit *visit, const struct point *point)
{
	struct opened *opened = visit->opened;
	bool of_command = visit->divides && scope_has(opened->profile, point->total.task);
	bool viewed = opened->scope == SCOPE_MACHINE || of_command;

	visit->seen = true;
	if (visit->of_part && point->total.event == visit->main_event)
		*(of_command ? &opened->of_part.command : &opened->of_part.others) +=
			point->total.weight;
	if (visit->looks_again)
		select_look_again(opened->select, point, viewed);
	if (visit->looks_again || !viewed || !select_match(opened->select, point))
		return;
	opened->selected += point->total.samples;
	visit->points[visit->count++] = *point;
	if (visit->count == MAX_TAKEN)
		take_waiting(visit);
}

static struct point point_of(const struct visit *visit, const struct sample *sample)
{
	const struct opened *opened = visit->opened;
	uint32_t stack = opened->inlines.count ? inlines_stack(&opened->inlines, sample->stack)
					       : sample->stack;

	return (struct point){ .total = { .task = sample->task,
					  .stack = stack,
					  .event = sample->event,
					  .mode = sample->mode,
					  .context = sample->context },
			       .time_ns = sample->time_ns,
			       .cpu = sample->cpu };
}

/* True if the samples are the same in all of these fields. */
static bool is_alike(const struct visit *visit, const struct sample *a, const struct sample *b)
{
	unsigned fields = visit->fields;

	if (a->event != b->event)
		return false;
	if (fields & SAMPLE_STACK && a->stack != b->stack)
		return false;
	if (fields & SAMPLE_TASK && a->task != b->task)
		return false;
	if (fields & SAMPLE_CPU && a->cpu != b->cpu)
		return false;
	if (fields & (SAMPLE_MODE | SAMPLE_CONTEXT) &&
	    (a->mode != b->mode || a->context != b->context))
		return false;
	return !(fields & SAMPLE_TIME) || a->time_ns == b->time_ns ||
	       sample_slices_number(&visit->slices, a->time_ns) ==
		       sample_slices_number(&visit->slices, b->time_ns);
}

/* A sample's stack is prefetched this many samples before its turn. Stacks are scattered in memory,
 * and waiting for each would take most of the time. */
enum { FETCH_AHEAD = 16 };

/* Adjacent samples that are alike become one point. */
static int take_samples(void *context, const struct sample *samples, size_t count)
{
	struct visit *visit = context;
	const struct stack_node *stacks = visit->opened->profile->stacks.items;

	for (size_t i = 0, next; i < count; i = next) {
		struct point point = point_of(visit, &samples[i]);

		for (next = i; next < count && is_alike(visit, &samples[i], &samples[next]);
		     next++) {
			double weight = (double)samples[next].weight;

			if (next + FETCH_AHEAD < count)
				__builtin_prefetch(&stacks[samples[next + FETCH_AHEAD].stack]);
			point.total.samples++;
			point.total.weight += samples[next].weight;
			point.total.weight_squared += weight * weight;
		}
		take_point(visit, &point);
	}
	return 0;
}

/* Times and CPUs do not matter of files that lie in the window as a whole: their totals suffice. */
static int visit_samples(struct visit *visit, struct err *err)
{
	bool totals = !(visit->fields & SAMPLE_NOT_IN_TOTALS);
	struct opened *opened = visit->opened;
	struct sample_wish wish = { opened->window.from_ns, opened->window.to_ns, visit->fields,
				    visit->slices };

	for (size_t i = 0; totals && i < opened->whole.rows.count; i++)
		take_point(visit, &(struct point){ .total = opened->whole.rows.items[i] });
	return parts_each_batch(opened->parts, &wish, totals, take_samples, visit, err);
}

/* Fields that decide whether a sample is viewed. */
static unsigned fields_to_choose(const struct opened *opened)
{
	return select_uses(opened->select) | (divides_by_command(opened) ? SAMPLE_TASK : 0);
}

bool opened_gives_totals(const struct opened *opened, unsigned fields)
{
	return !((fields | fields_to_choose(opened)) & SAMPLE_NOT_IN_TOTALS) &&
	       !selection_window_is_part(&opened->window);
}

static int visit_points(struct visit *visit, struct err *err)
{
	const struct opened *opened = visit->opened;
	size_t count = visit->looks_again ? opened->totals.rows.count : opened->in_scope;

	if (!opened_gives_totals(opened, visit->fields))
		return visit_samples(visit, err);
	for (size_t i = 0; i < count; i++)
		take_point(visit, &(struct point){ .total = opened->totals.rows.items[i] });
	return 0;
}

static int explain_window(const struct opened *opened, struct err *err)
{
	struct moment_base base = parts_base(opened->parts, opened->profile);

	return selection_window_explain(&opened->window, &base, err);
}

static int visit_all(struct opened *opened, struct visit *visit, struct err *err)
{
	int rc;

	select_bind(opened->select, &opened->labels);
	visit->divides = divides_by_command(opened);
	visit->of_part = selection_window_is_part(&opened->window);
	visit->main_event = account_main_event(opened->profile);
	opened->of_part = (struct scope_parts){ 0 };
	rc = visit_points(visit, err);
	take_waiting(visit);
	if (rc < 0 || opened->selected)
		return rc;
	if (visit->of_part && !visit->seen)
		return explain_window(opened, err);
	visit->looks_again = true;
	visit->of_part = false;
	rc = visit_points(visit, err);
	return rc < 0 ? rc : select_explain(opened->select, err);
}

static struct sample_slices slices_of(const struct opened *opened, uint64_t length_ns)
{
	return (struct sample_slices){ opened->profile->run.start_ns, length_ns };
}

int opened_visit(struct opened *opened, unsigned fields,
		 void (*take)(void *context, const struct point *points, size_t count),
		 void *context, struct err *err)
{
	return opened_visit_slices(opened, fields, slices_of(opened, opened->slice_ns), take,
				   context, err);
}

int opened_visit_slices(struct opened *opened, unsigned fields, struct sample_slices slices,
			void (*take)(void *context, const struct point *points, size_t count),
			void *context, struct err *err)
{
	unsigned chosen_by = fields_to_choose(opened);
	struct visit wanted = { .opened = opened,
				.take = take,
				.context = context,
				.fields = fields | chosen_by,
				.slices = slices };

	if (chosen_by & SAMPLE_TIME)
		wanted.slices.length_ns = 1;
	return visit_all(opened, &wanted, err);
}

/* The visitor of opened_each. */
struct single {
	void (*take)(void *context, const struct point *point);
	void *context;
};

static void take_singly(void *context, const struct point *points, size_t count)
{
	const struct single *single = context;

	for (size_t i = 0; i < count; i++)
		single->take(single->context, &points[i]);
}

int opened_each(struct opened *opened, bool samples,
		void (*take)(void *context, const struct point *point), void *context,
		struct err *err)
{
	struct single single = { take, context };
	struct visit wanted = { .opened = opened,
				.take = take_singly,
				.context = &single,
				.fields = SAMPLE_ALL,
				.slices = slices_of(opened, 1) };

	if (!samples)
		return opened_visit(opened, SAMPLE_ALL & ~SAMPLE_NOT_IN_TOTALS, take_singly,
				    &single, err);
	return visit_all(opened, &wanted, err);
}

static void take_stacks(void *context, const struct point *points, size_t count)
{
	table_add_all(context, points, count);
}

int opened_stacks(struct opened *opened, const struct key_list *keys, struct table **ret_stacks,
		  struct err *err)
{
	struct key_list of_stacks = children_stack_keys(keys);

	*ret_stacks = table_new(&opened->labels, &of_stacks);
	return opened_visit(opened, keys_use(&of_stacks), take_stacks, *ret_stacks, err);
}

int opened_check_command(const struct opened *opened, const char *verb, struct err *err)
{
	if (opened->scope != SCOPE_COMMAND || opened->selected ||
	    opened->in_scope == opened->totals.rows.count)
		return 0;
	return err_set(err, -ENODATA,
		       "%s has no samples%s: use --machine to %s everything recorded",
		       scope_subject(opened->profile),
		       selection_window_is_part(&opened->window) ? " in that time" : "", verb);
}

struct view opened_view(const struct opened *opened)
{
	const struct totals *totals = &opened->totals;
	uint8_t event = account_main_event(opened->profile);
	struct scope_parts parts = { 0 };
	uint64_t from_ns, to_ns;
	bool is_part = selection_window_is_part(&opened->window);
	size_t history_parts;

	opened_span(opened, &from_ns, &to_ns);
	if (is_part)
		parts = opened->of_part;
	else if (opened->about_command)
		parts = scope_parts(opened->profile, totals->rows.items, totals->rows.count, event);
	return (struct view){
		.labels = &opened->labels,
		.account = is_part ? account_of_part(opened->profile, from_ns, to_ns,
						     parts.command + parts.others)
				   : account_of(opened->profile),
		.naming = naming_of(opened->profile, totals->rows.items, opened->in_scope, event),
		.about_command = opened->about_command,
		.scope = opened->scope,
		.parts = parts,
		.others = totals->rows.items ? totals->rows.items + opened->in_scope : NULL,
		.other_count = totals->rows.count - opened->in_scope,
		.completeness = &opened->completeness,
		.from_ns = from_ns,
		.to_ns = to_ns,
		.since = opened->window.since_text,
		.until = opened->window.until_text,
		.history = parts_folder(opened->parts, &history_parts),
		.history_parts = history_parts,
		.selection = opened->selection.size ? opened->selection.bytes : NULL,
		.selected_samples = opened->selected,
		.live = parts_is_live(opened->parts),
	};
}
