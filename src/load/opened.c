/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/opened.h"

#include <errno.h>
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "load/added_names.h"
#include "load/profile_readers.h"
#include "names/spelling/demangler.h"
#include "place/kernel/kernel_names.h"

bool opened_is_profile(const char *path)
{
	return store_is_profile(path) > 0 || unpacked_is_archive(path);
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
	if (opened->profile)
		profile_forget_rows(opened->profile);
}

void opened_forget_samples(struct opened *opened)
{
	vec_free(&opened->totals.rows);
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
	if (opened->store)
		store_close(opened->store);
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
	int rc = opened_window_parse(&opened->window, selection, err);

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

int opened_choose(struct opened *opened, const struct selection *selection, struct err *err)
{
	int rc = add_clauses(opened, selection, err);

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

static struct demangler *make_demangler(const struct opened *opened)
{
	return demangler_new(opened->names.demangle
				     ? demangler_style_by_name(opened->names.demangle)
				     : DEMANGLER_NORMAL);
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

/* The end of the recording by the clock of its samples. An unfinished one ends with its last
 * second. */
static uint64_t end_ns(const struct opened *opened)
{
	uint64_t end = opened->profile->run.end_ns;

	return end ? end : store_last_second(opened->store) * NS_PER_S + NS_PER_S;
}

void opened_span(const struct opened *opened, uint64_t *ret_from_ns, uint64_t *ret_to_ns)
{
	uint64_t start = opened->profile->run.start_ns, end = end_ns(opened);
	const struct opened_window *window = &opened->window;

	*ret_from_ns = window->from_ns > start ? window->from_ns : start;
	*ret_to_ns = window->to_ns < end ? window->to_ns : end;
	if (*ret_to_ns < *ret_from_ns)
		*ret_to_ns = *ret_from_ns;
}

/* Adds names that the recording lacked, before anything uses them. */
static void add_names(struct opened *opened)
{
	struct late_names added;

	if (!added_names_wanted(&opened->names.lines))
		return;
	added_names_find(opened->profile, &opened->names.lines, false, false, &added);
	late_names_done(&added);
}

static void expand_inlines(struct opened *opened)
{
	inlines_expand(opened->profile, opened->lines, &opened->inlines);
	for (size_t i = 0; i < opened->totals.rows.count; i++) {
		struct total *total = &opened->totals.rows.items[i];

		total->stack = inlines_stack(&opened->inlines, total->stack);
	}
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

int opened_open(struct opened *opened, const char *path, struct err *err)
{
	int rc = unpack(opened, &path, err);

	return rc < 0 ? rc : store_open(path, &opened->store, err);
}

int opened_load(struct opened *opened, const char *path, struct err *err)
{
	int rc = opened_open(opened, path, err);

	return rc < 0 ? rc : opened_read(opened, err);
}

int opened_read(struct opened *opened, struct err *err)
{
	int rc = store_load_profile(opened->store, &opened->profile, err);

	if (rc == 0)
		rc = store_load_totals(opened->store, opened->profile, &opened->totals, err);
	if (rc == 0)
		rc = opened_window_find(&opened->window, opened->profile, end_ns(opened), err);
	if (rc == 0 && opened->names.kallsyms)
		rc = kernel_names_add(opened->profile, opened->names.kallsyms, err);
	if (rc < 0)
		return rc;
	opened->readers = xcalloc(1, sizeof(*opened->readers));
	profile_readers_find(opened->profile, &opened->totals, opened->unpacked, opened->readers);
	opened->names.lines.readers = opened->readers;
	add_names(opened);
	opened->lines = frame_lines_new(opened->profile, &opened->names.lines);
	if (opened->names.inlines)
		expand_inlines(opened);
	labels_init(&opened->labels, opened->profile);
	opened->demangler = make_demangler(opened);
	opened->labels.slice_ns = opened->slice_ns;
	opened->labels.demangle = demangle;
	opened->labels.demangle_context = opened->demangler;
	find_users(opened);
	opened->labels.users = opened->users.items;
	opened->labels.user_count = opened->users.count;
	opened->labels.places = frame_lines_places(opened->lines);
	completeness_make(opened->profile, opened->totals.rows.items, opened->totals.rows.count,
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
	unsigned fields;   /* in which samples may differ */
	uint64_t slice_ns; /* times in the same slice are alike */
	bool seen;	   /* any sample, selected or not */
};

static void take_waiting(struct visit *visit)
{
	if (visit->count)
		visit->take(visit->context, visit->points, visit->count);
	visit->count = 0;
}

static void take_point(struct visit *visit, const struct point *point)
{
	visit->seen = true;
	if (!select_match(visit->opened->select, point))
		return;
	visit->opened->selected += point->total.samples;
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

static uint64_t slice_of(const struct visit *visit, const struct sample *sample)
{
	uint64_t start_ns = visit->opened->profile->run.start_ns;

	return sample->time_ns > start_ns ? (sample->time_ns - start_ns) / visit->slice_ns : 0;
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
	return !(fields & SAMPLE_TIME) || slice_of(visit, a) == slice_of(visit, b);
}

/* A sample's stack is prefetched this many samples before its turn. Stacks are scattered in memory,
 * and waiting for each would take most of the time. */
enum { FETCH_AHEAD = 16 };

static void fetch_stack(const struct visit *visit, const struct sample *sample)
{
	__builtin_prefetch(&visit->opened->profile->stacks.items[sample->stack]);
}

/* Adjacent samples that are alike become one point. */
static int take_samples(void *context, const struct sample *samples, size_t count)
{
	struct visit *visit = context;

	for (size_t i = 0, next; i < count; i = next) {
		struct point point = point_of(visit, &samples[i]);

		for (next = i; next < count && is_alike(visit, &samples[i], &samples[next]);
		     next++) {
			double weight = (double)samples[next].weight;

			if (next + FETCH_AHEAD < count)
				fetch_stack(visit, &samples[next + FETCH_AHEAD]);
			point.total.samples++;
			point.total.weight += samples[next].weight;
			point.total.weight_squared += weight * weight;
		}
		take_point(visit, &point);
	}
	return 0;
}

static int visit_samples(struct visit *visit, struct err *err)
{
	struct opened *opened = visit->opened;
	struct sample_wish wish = { opened->window.from_ns, opened->window.to_ns, visit->fields };

	/* With slices of whole seconds the time within a second does not matter. */
	if (visit->slice_ns % NS_PER_S == 0 && opened->profile->run.start_ns % NS_PER_S == 0)
		wish.fields &= ~(unsigned)SAMPLE_TIME;
	return store_each_batch(opened->store, opened->profile, &wish, take_samples, visit, err);
}

bool opened_gives_totals(const struct opened *opened, unsigned fields)
{
	return !((fields | select_uses(opened->select)) & SAMPLE_NOT_IN_TOTALS) &&
	       !opened_window_is_part(&opened->window);
}

static int visit_all(struct opened *opened, struct visit *visit, struct err *err)
{
	int rc = 0;

	select_bind(opened->select, &opened->labels);
	if (!opened_gives_totals(opened, visit->fields)) {
		rc = visit_samples(visit, err);
	} else {
		for (size_t i = 0; i < opened->totals.rows.count; i++)
			take_point(visit, &(struct point){ .total = opened->totals.rows.items[i] });
	}
	take_waiting(visit);
	if (rc < 0 || opened->selected)
		return rc;
	if (opened_window_is_part(&opened->window) && !visit->seen)
		return opened_window_explain(&opened->window, opened->profile, end_ns(opened), err);
	return select_explain(opened->select, err);
}

int opened_visit(struct opened *opened, unsigned fields,
		 void (*take)(void *context, const struct point *points, size_t count),
		 void *context, struct err *err)
{
	unsigned chosen_by = select_uses(opened->select);
	struct visit wanted = { .opened = opened,
				.take = take,
				.context = context,
				.fields = fields | chosen_by,
				.slice_ns = chosen_by & SAMPLE_TIME ? 1 : opened->slice_ns };

	return visit_all(opened, &wanted, err);
}

int opened_visit_times(struct opened *opened, unsigned fields,
		       void (*take)(void *context, const struct point *points, size_t count),
		       void *context, struct err *err)
{
	struct visit wanted = { .opened = opened,
				.take = take,
				.context = context,
				.fields = fields | SAMPLE_TIME | select_uses(opened->select),
				.slice_ns = 1 };

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
				.slice_ns = 1 };

	if (!samples)
		return opened_visit(opened, SAMPLE_ALL & ~SAMPLE_NOT_IN_TOTALS, take_singly,
				    &single, err);
	return visit_all(opened, &wanted, err);
}

struct view opened_view(const struct opened *opened)
{
	const struct totals *totals = &opened->totals;

	return (struct view){
		.labels = &opened->labels,
		.account = account_of(opened->profile),
		.naming = naming_of(opened->profile, totals->rows.items, totals->rows.count,
				    account_main_event(opened->profile)),
		.completeness = &opened->completeness,
		.selection = opened->selection.size ? opened->selection.bytes : NULL,
		.selected_samples = opened->selected,
		.live = store_is_live(opened->store),
	};
}

int opened_end(FILE *out, struct err *err)
{
	int rc = file_flush(out);

	if (rc == 0 || rc == -EPIPE)
		return 0;
	return err_set(err, rc, "cannot write the output: %s", strerror(-rc));
}
