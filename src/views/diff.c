/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/views.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/account/account.h"
#include "aggregate/diff/condition.h"
#include "aggregate/select.h"
#include "base/xalloc.h"
#include "load/diff_command.h"
#include "load/opened.h"
#include "load/output.h"
#include "present/diff_view.h"

enum {
	FEW = 64,	 /* points taken at once */
	MOST_TIMED = 16, /* most runs, of both sides, to use times for */
};

static const char default_keys[] = "symbol,image";
/* With several runs a side we promise 5 %, but variances from few runs are not exact. With one run
 * a side nothing says how runs differ. */
static const double false_discoveries = 0.03, false_discoveries_of_one = 0.01;

/* The conditions of --fail-if. */
struct questions {
	struct conditions *items; /* one for each --fail-if */
	size_t count;
	VEC(const struct condition *) probes; /* conditions that add up samples, in their order */
	unsigned uses;			      /* sample fields they need: enum sample_field */
};

enum verdict { UNKNOWN, NO, YES };

/* How a condition finds its samples. */
struct finder {
	const struct condition *condition;
	struct select *select; /* NULL: by name of function */
	uint8_t *verdicts;     /* by symbol: enum verdict */
};

/* The probes while the samples of one run are read. */
struct asked {
	const struct labels *labels;
	size_t count;
	struct finder *finders;
	struct diff_probe *probes;
	struct buf text; /* scratch */
};

/* The meaning of the options. */
struct wish {
	const struct diff_options *options;
	struct key_list keys;
	enum diff_measure measure;
	enum diff_order order;
	enum format format;
	struct questions questions;
};

struct making {
	struct wish wish;
	const struct diff_files *files;
	struct opened *runs; /* one for each file; only the current one has its rows in memory */
	struct diff_source *sources;
	struct diff *diff;
	struct diff_answer *answers; /* one for each --fail-if */
};

/* A run while its samples are read. */
struct run {
	const struct making *making;
	const struct opened *opened;
	struct table *table;
	struct asked asked;
	struct cells *cells;  /* NULL: not needed */
	VEC(uint64_t) kernel; /* weight in kernel mode, by row */
};

/* ---- --fail-if ---- */

/* Free @ret with questions_done in any case. */
static int parse_questions(const char *const *texts, size_t count, struct questions *ret,
			   struct err *err)
{
	int rc = 0;

	*ret = (struct questions){ .items = xcalloc(count, sizeof(struct conditions)),
				   .count = count };
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = condition_parse(texts[i], &ret->items[i], err);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		for (size_t at = 0; at < ret->items[i].items.count; at++) {
			const struct condition *condition = &ret->items[i].items.items[at];
			struct select *select = select_new();

			if (!condition->any)
				*vec_push(&ret->probes) = condition;
			if (rc == 0 && condition->selects &&
			    select_add(select, condition->names, err) < 0)
				rc = err_prefix(err, -EINVAL, "--fail-if '%s'", texts[i]);
			ret->uses |= condition->selects ? select_uses(select) : SAMPLE_STACK;
			select_free(select);
		}
	}
	return rc;
}

static void questions_done(struct questions *questions)
{
	for (size_t i = 0; i < questions->count; i++)
		condition_done(&questions->items[i]);
	free(questions->items);
	vec_free(&questions->probes);
}

static int make_finder(struct asked *asked, const struct condition *condition,
		       struct finder *ret_finder, struct err *err)
{
	int rc = 0;

	ret_finder->condition = condition;
	ret_finder->verdicts = xcalloc(asked->labels->profile->symbols.count, 1);
	if (!condition->selects)
		return 0;
	ret_finder->select = select_new();
	rc = select_add(ret_finder->select, condition->names, err);
	if (rc == 0)
		select_bind(ret_finder->select, asked->labels);
	return rc;
}

/* Borrows @questions and @labels. Free with asked_done in any case. */
static int ask(struct asked *asked, const struct questions *questions, const struct labels *labels,
	       struct err *err)
{
	int rc = 0;

	asked->labels = labels;
	asked->count = questions->probes.count;
	asked->finders = xcalloc(asked->count, sizeof(*asked->finders));
	asked->probes = xcalloc(asked->count, sizeof(*asked->probes));
	for (size_t i = 0; rc == 0 && i < asked->count; i++)
		rc = make_finder(asked, questions->probes.items[i], &asked->finders[i], err);
	return rc;
}

static void asked_done(struct asked *asked)
{
	for (size_t i = 0; i < asked->count; i++) {
		select_free(asked->finders[i].select);
		free(asked->finders[i].verdicts);
	}
	free(asked->finders);
	free(asked->probes);
	buf_done(&asked->text);
}

/* By its name or, without one, by its place, whatever of it is shown. */
static bool names_symbol(struct asked *asked, const struct condition *condition, uint32_t symbol)
{
	const struct labels *labels = asked->labels;

	buf_clear(&asked->text);
	labels_name(labels, labels->profile->symbols.items[symbol].name, &asked->text);
	if (condition_names(condition, buf_text(&asked->text)))
		return true;
	buf_clear(&asked->text);
	return labels_place(labels, symbol, &asked->text) &&
	       condition_names(condition, buf_text(&asked->text));
}

static bool is_meant(struct asked *asked, struct finder *finder, const struct point *point)
{
	const struct profile *profile = asked->labels->profile;
	const struct frame *leaf =
		&profile->frames.items[profile->stacks.items[point->total.stack].frame];
	uint8_t *verdict = &finder->verdicts[leaf->symbol];

	if (finder->select)
		return select_match(finder->select, point);
	if (*verdict == UNKNOWN)
		*verdict = names_symbol(asked, finder->condition, leaf->symbol) ? YES : NO;
	return *verdict == YES;
}

/* @cells: NULL if times are not needed. */
static void ask_sample(struct asked *asked, const struct point *point, struct cells *cells)
{
	uint8_t event = point->total.event;

	for (size_t i = 0; i < asked->count; i++) {
		struct hits *hits = &asked->probes[i].hits[event];

		if (!is_meant(asked, &asked->finders[i], point))
			continue;
		hits->samples += point->total.samples;
		hits->weight += point->total.weight;
		if (point->total.mode == MODE_KERNEL)
			asked->probes[i].kernel[event] += point->total.weight;
		if (cells)
			cells_add(cells, diff_probe_cell(i, event), point->time_ns,
				  (double)point->total.weight);
	}
}

/* ---- options ---- */

static size_t count_files(const struct diff_files *files)
{
	return files->old_count + files->new_count;
}

static int find_name(const char *option, const char *name, const char *(*name_of)(int), int count,
		     int *ret_number, struct err *err)
{
	struct buf names = { 0 };
	int rc = 0;

	*ret_number = 0;
	while (name && *ret_number < count && strcmp(name, name_of(*ret_number)) != 0)
		(*ret_number)++;
	if (name && *ret_number == count) {
		for (int i = 0; i < count; i++)
			buf_printf(&names, "%s%s", i ? ", " : "", name_of(i));
		rc = err_set(err, -EINVAL, "invalid %s '%s': expected one of %s", option, name,
			     buf_text(&names));
	}
	buf_done(&names);
	return rc;
}

static const char *measure_name(int measure)
{
	return diff_measure_name((enum diff_measure)measure);
}

static const char *order_name(int order)
{
	return diff_view_order_name((enum diff_order)order);
}

static int parse(const struct diff_options *options, struct wish *ret_wish, struct err *err)
{
	struct wish wish = { .options = options };
	int measure = 0, order = 0;
	int rc = keys_parse(options->by ? options->by : default_keys, &wish.keys, err);

	if (rc == 0)
		rc = output_format(options->format, &wish.format, err);
	if (rc == 0)
		rc = find_name("--measure", options->measure, measure_name, DIFF_MEASURES, &measure,
			       err);
	if (rc == 0)
		rc = find_name("--sort", options->sort, order_name, DIFF_ORDERS, &order, err);
	wish.measure = (enum diff_measure)measure;
	wish.order = (enum diff_order)order;
	if (rc == 0)
		rc = parse_questions(options->fail_if, options->fail_if_count, &wish.questions,
				     err);
	*ret_wish = wish;
	return rc;
}

static int prepare(struct opened *opened, const struct diff_options *options, struct err *err)
{
	int rc = opened_name(opened, &options->names, err);

	return rc < 0 ? rc : opened_choose(opened, &options->selection, SCOPE_COMMAND, err);
}

int diff_check(const struct diff_options *options, struct err *err)
{
	struct opened opened = { 0 };
	struct wish wish;
	int rc = parse(options, &wish, err);

	if (rc == 0)
		rc = prepare(&opened, options, err);
	opened_done(&opened);
	questions_done(&wish.questions);
	return rc;
}

/* ---- one run ---- */

static void add_kernel(struct run *run, uint32_t row, const struct point *point)
{
	while (run->kernel.count <= row)
		*vec_push(&run->kernel) = 0;
	if (point->total.mode == MODE_KERNEL)
		run->kernel.items[row] += point->total.weight;
}

static void take_few(struct run *run, const struct point *points, size_t count)
{
	size_t probes = run->making->wish.questions.probes.count;
	uint32_t rows[FEW];

	table_add_rows(run->table, points, count, rows);
	for (size_t i = 0; i < count; i++)
		add_kernel(run, rows[i], &points[i]);
	for (size_t i = 0; run->cells && i < count; i++)
		cells_add(run->cells, diff_row_cell(probes, rows[i]), points[i].time_ns,
			  (double)points[i].total.weight);
	for (size_t i = 0; probes && i < count; i++)
		ask_sample(&run->asked, &points[i], run->cells);
}

static void take(void *context, const struct point *points, size_t count)
{
	for (size_t at = 0; at < count; at += FEW)
		take_few(context, points + at, count - at < FEW ? count - at : FEW);
}

/* Times of samples are used for few runs only. With more, the spread between runs suffices. */
static bool wants_times(const struct making *making)
{
	return count_files(making->files) <= MOST_TIMED;
}

/* True for one run on each side. */
static bool is_paired(const struct making *making)
{
	return making->files->old_count == 1 && making->files->new_count == 1;
}

static uint64_t count_samples(const struct table *table)
{
	uint64_t samples = 0;

	for (size_t event = 0; event < PROFILE_MAX_EVENTS; event++)
		samples += table->sums[event].samples;
	return samples;
}

/* Fields of a sample that are needed besides event and weight. */
static unsigned fields_used(const struct making *making)
{
	return keys_use(&making->wish.keys) | making->wish.questions.uses | SAMPLE_MODE |
	       (wants_times(making) ? SAMPLE_TIME : 0);
}

static int collect(struct making *making, struct run *run, struct err *err)
{
	struct opened *opened = (struct opened *)run->opened;
	unsigned fields = fields_used(making);
	int rc = ask(&run->asked, &making->wish.questions, &opened->labels, err);

	if (rc < 0)
		return rc;
	rc = opened_visit_slices(opened, fields, OPENED_EXACT, take, run, err);
	return rc < 0 ? rc : opened_check_command(opened, "compare", err);
}

/* The names of the profiled program as process, program and image. */
static void tell_command(struct diff *diff, enum diff_side side, const struct opened *opened)
{
	const struct profile *profile = opened->profile;
	uint32_t process = diff_command_process(profile);
	uint32_t image =
		diff_command_image(profile, opened->totals.rows.items, opened->totals.rows.count);
	struct buf text = { 0 };

	if (!process)
		return;
	labels_process(&opened->labels, process, &text);
	diff_command(diff, side, "process", buf_text(&text));
	buf_done(&text);
	diff_command(diff, side, "program",
		     profile_text(profile, profile->processes.items[process].program));
	diff_command(diff, side, "exe",
		     profile_text(profile, profile->processes.items[process].exe));
	if (image)
		diff_command(diff, side, "image",
			     profile_text(profile, profile->images.items[image].path));
}

/* For profiles of older versions, which name programs by their executables. */
static void tell_executables(struct diff *diff, enum diff_side side, const struct profile *profile)
{
	for (size_t i = 1; i < profile->processes.count; i++) {
		const struct process *process = &profile->processes.items[i];

		if (process->exe)
			diff_executable(diff, side, profile_text(profile, process->program),
					profile_text(profile, process->exe));
	}
}

static double complete_percent(const struct opened *opened)
{
	const struct completeness *known = &opened->completeness;

	if (!known->recorded || !known->whole.samples)
		return -1;
	return completeness_percent(known, STACK_COMPLETE);
}

static bool is_timeless(const struct profile *profile)
{
	return account_is_import(profile) && !account_wall_ns(profile);
}

static int add_run(struct making *making, size_t number, struct err *err)
{
	struct opened *opened = &making->runs[number];
	enum diff_side side = number < making->files->old_count ? DIFF_OLD : DIFF_NEW;
	struct cells cells = { 0 };
	struct run run = { .making = making, .opened = opened };
	uint64_t from_ns, to_ns;
	size_t parts;
	int rc = opened_read(opened, err);

	if (rc < 0)
		return rc;
	opened->labels.by_start = making->wish.format == FORMAT_TEXT;
	opened_span(opened, &from_ns, &to_ns);
	tell_command(making->diff, side, opened);
	tell_executables(making->diff, side, opened->profile);
	cells_init(&cells, from_ns, to_ns);
	run.table = table_new(&opened->labels, &making->wish.keys);
	run.cells = wants_times(making) ? &cells : NULL;
	rc = collect(making, &run, err);
	making->sources[number] = (struct diff_source){
		.side = side,
		.file = making->files->paths[number],
		.profile = opened->profile,
		.samples = count_samples(run.table),
		.wall_ns = is_timeless(opened->profile) ? 0 : to_ns - from_ns,
		.complete_percent = complete_percent(opened),
	};
	if (parts_folder(opened->parts, &parts)) {
		making->sources[number].from_ns = account_real_ns(opened->profile, from_ns);
		making->sources[number].to_ns = account_real_ns(opened->profile, to_ns);
	}
	if (rc == 0)
		rc = diff_add(making->diff, side, run.table, run.kernel.items, run.asked.probes,
			      making->wish.questions.probes.count, run.cells, to_ns - from_ns, err);
	asked_done(&run.asked);
	cells_done(&cells);
	vec_free(&run.kernel);
	table_free(run.table);
	opened_forget(opened);
	return rc < 0 ? err_prefix(err, rc, "%s", making->files->paths[number]) : 0;
}

/* ---- all runs ---- */

/* Opens all files first, because only the command is compared if all of them have one. */
static int open_files(struct making *making, struct err *err)
{
	enum scope scope = SCOPE_COMMAND;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count_files(making->files); i++) {
		struct opened *opened = &making->runs[i];

		rc = prepare(opened, making->wish.options, err);
		if (i < making->files->old_count)
			opened->window.earlier_ns = making->wish.options->earlier_ns;
		if (rc == 0)
			rc = opened_open(opened, making->files->paths[i], err);
		if (opened->scope == SCOPE_MACHINE)
			scope = SCOPE_MACHINE;
	}
	for (size_t i = 0; i < count_files(making->files); i++)
		making->runs[i].scope = scope;
	return rc;
}

/* If no event can be compared, names the existing ones. */
static int check_events(const struct diff *diff, struct err *err)
{
	struct buf names = { 0 };

	for (size_t i = 0; i < diff->events.count; i++) {
		const struct diff_event *event = &diff->events.items[i];

		if (event->is_compared) {
			buf_done(&names);
			return 0;
		}
		buf_printf(&names, "%s%s", i ? ", " : "", strpool_get(&diff->strings, event->name));
	}
	if (!diff->events.count)
		err_set(err, -ENOMSG, "the profiles have no samples: there is nothing to compare");
	else
		err_set(err, -ENOMSG,
			"the profiles have no event in common (%s): samples of different events "
			"cannot be compared",
			buf_text(&names));
	buf_done(&names);
	return -ENOMSG;
}

static bool asks_rates(const struct making *making)
{
	const struct questions *questions = &making->wish.questions;
	bool asks = making->wish.measure == DIFF_RATE;

	for (size_t i = 0; i < questions->count; i++) {
		const struct conditions *asked = &questions->items[i];

		for (size_t at = 0; at < asked->items.count; at++)
			asks = asks || asked->items.items[at].what == CONDITION_RATE;
	}
	return asks;
}

/* The first run with unknown duration, or NULL. */
static const char *find_without_time(const struct making *making)
{
	for (size_t i = 0; i < count_files(making->files); i++) {
		if (!making->sources[i].wall_ns)
			return making->sources[i].file;
	}
	return NULL;
}

static int check_rates(const struct making *making, struct err *err)
{
	const char *file = find_without_time(making);

	if (!file || !asks_rates(making))
		return 0;
	return err_set(err, -ENOMSG,
		       "%s: unknown duration, so no rates: use --measure share or --measure time",
		       file);
}

static void forget_rates(struct diff *diff)
{
	static const struct interval unknown = { NAN, NAN };

	for (size_t i = 0; i < diff->rows.count; i++) {
		struct change *rate = &diff->rows.items[i].by[DIFF_RATE];

		rate->before = rate->after = NAN;
		rate->difference = rate->ratio = unknown;
	}
}

static void print(const struct making *making, FILE *out)
{
	static void (*const as[FORMAT_COUNT])(const struct diff_view *, FILE *) = {
		[FORMAT_TEXT] = diff_text_print,
		[FORMAT_CSV] = diff_rows_csv,
		[FORMAT_JSON] = diff_rows_json,
	};
	const struct diff_options *options = making->wish.options;
	const struct opened *first = &making->runs[0];
	struct diff_view view = {
		.diff = making->diff,
		.sources = making->sources,
		.source_count = count_files(making->files),
		.selection = first->selection.size ? first->selection.bytes : NULL,
		.command_only = making->diff->command_only,
		.all = options->all,
		.order = making->wish.order,
		.threshold = options->threshold,
		.limit = (size_t)options->limit,
		.answers = making->answers,
		.answer_count = making->wish.questions.count,
		.screen = options->screen,
	};

	as[making->wish.format](&view, out);
}

/* Rows of probes have the order of the conditions that have one. */
static void answer(struct making *making)
{
	const struct questions *questions = &making->wish.questions;
	const struct diff_row *probe = making->diff->probes.items;

	making->answers = xcalloc(questions->count, sizeof(*making->answers));
	for (size_t i = 0; i < questions->count; i++) {
		const struct conditions *asked = &questions->items[i];
		struct diff_answer *answer = &making->answers[i];

		*answer = (struct diff_answer){ .asked = asked,
						.results = xcalloc(asked->items.count,
								   sizeof(*answer->results)),
						.holds = true };
		for (size_t at = 0; at < asked->items.count; at++) {
			const struct condition *condition = &asked->items.items[at];

			answer->results[at] = condition_judge(condition, making->diff, probe);
			answer->holds = answer->holds && answer->results[at].holds;
			probe += !condition->any;
		}
	}
}

/* One line with all conditions that hold, for the command's last message. */
static bool say_what_holds(const struct making *making, struct err *err)
{
	struct buf text = { 0 };
	bool holds;

	for (size_t i = 0; i < making->wish.questions.count; i++) {
		const struct diff_answer *answer = &making->answers[i];

		for (size_t at = 0; answer->holds && at < answer->asked->items.count; at++) {
			buf_add_str(&text, text.size ? "; " : "");
			diff_answers_add(making->diff, &answer->asked->items.items[at],
					 &answer->results[at], &text);
		}
	}
	holds = text.size > 0;
	if (holds)
		err_set(err, 0, "--fail-if holds: %s", buf_text(&text));
	buf_done(&text);
	return holds;
}

static void making_done(struct making *making)
{
	for (size_t i = 0; making->answers && i < making->wish.questions.count; i++)
		free(making->answers[i].results);
	free(making->answers);
	diff_free(making->diff);
	for (size_t i = 0; i < count_files(making->files); i++)
		opened_done(&making->runs[i]);
	questions_done(&making->wish.questions);
	free(making->sources);
	free(making->runs);
}

static int make(struct making *making, struct err *err)
{
	int rc = open_files(making, err);

	making->diff = diff_new(&making->wish.keys, making->wish.options->exact);
	making->diff->command_only = making->runs[0].scope == SCOPE_COMMAND;
	for (size_t i = 0; rc == 0 && i < count_files(making->files); i++)
		rc = add_run(making, i, err);
	if (rc == 0)
		rc = check_events(making->diff, err);
	if (rc == 0)
		rc = check_rates(making, err);
	if (rc == 0) {
		diff_finish(making->diff, making->wish.measure,
			    is_paired(making) ? false_discoveries_of_one : false_discoveries);
		if (find_without_time(making))
			forget_rates(making->diff);
		answer(making);
	}
	return rc;
}

int diff_print(const struct diff_files *files, const struct diff_options *options, FILE *out,
	       bool *ret_failed, struct err *err)
{
	struct making making = { .files = files };
	size_t count = count_files(files);
	int rc = parse(options, &making.wish, err);

	*ret_failed = false;
	making.runs = xcalloc(count, sizeof(*making.runs));
	making.sources = xcalloc(count, sizeof(*making.sources));
	if (rc == 0)
		rc = make(&making, err);
	if (rc == 0) {
		print(&making, out);
		rc = output_end(out, err);
	}
	if (rc == 0)
		*ret_failed = say_what_holds(&making, err);
	making_done(&making);
	return rc;
}
