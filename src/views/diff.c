/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/diff.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "aggregate/account/account.h"
#include "base/xalloc.h"
#include "load/diff_command.h"
#include "load/format.h"
#include "load/opened.h"
#include "present/rows/diff_csv.h"
#include "present/text/diff_text.h"
#include "views/diff_questions.h"

enum {
	FEW = 64,	 /* points taken at once */
	MOST_TIMED = 16, /* most runs, of both sides, to use times for */
};

static const char default_keys[] = "symbol,image";
/* With several runs a side we promise 5 %, but variances from few runs are not exact. With one run
 * a side nothing says how runs differ. */
static const double false_discoveries = 0.03, false_discoveries_of_one = 0.01;

/* The meaning of the options. */
struct wish {
	const struct diff_options *options;
	struct key_list keys;
	enum diff_measure measure;
	enum diff_order order;
	enum format format;
	struct diff_questions questions;
};

struct making {
	struct wish wish;
	const struct diff_files *files;
	struct opened *runs; /* one for each file; only the current one has its rows in memory */
	struct diff_source *sources;
	struct diff *diff;
	bool command_only;
	struct diff_answer *answers; /* one for each --fail-if */
};

/* A run while its samples are read. */
struct run {
	const struct making *making;
	const struct opened *opened;
	struct table *table;
	struct diff_asked *asked;
	struct cells *cells;  /* NULL: not needed */
	VEC(uint64_t) kernel; /* weight in kernel mode, by row */
};

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
		rc = format_parse(options->format, &wish.format, err);
	if (rc == 0)
		rc = find_name("--measure", options->measure, measure_name, DIFF_MEASURES, &measure,
			       err);
	if (rc == 0)
		rc = find_name("--sort", options->sort, order_name, DIFF_ORDERS, &order, err);
	wish.measure = (enum diff_measure)measure;
	wish.order = (enum diff_order)order;
	if (rc == 0)
		rc = diff_questions_parse(options->fail_if, options->fail_if_count, &wish.questions,
					  err);
	*ret_wish = wish;
	return rc;
}

static int prepare(struct opened *opened, const struct diff_options *options, struct err *err)
{
	int rc = opened_name(opened, &options->names, err);

	return rc < 0 ? rc : opened_choose(opened, &options->selection, err);
}

int diff_check(const struct diff_options *options, struct err *err)
{
	struct opened opened = { 0 };
	struct wish wish;
	int rc = parse(options, &wish, err);

	if (rc == 0)
		rc = prepare(&opened, options, err);
	opened_done(&opened);
	diff_questions_done(&wish.questions);
	return rc;
}

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
		diff_asked_take(run->asked, &points[i], run->cells);
}

static void take(void *context, const struct point *points, size_t count)
{
	for (size_t at = 0; at < count; at += FEW)
		take_few(context, points + at, count - at < FEW ? count - at : FEW);
}

static void take_command(void *context, const struct point *points, size_t count)
{
	const struct run *run = context;

	diff_command_each(run->opened->profile, points, count, take, context);
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
	       (wants_times(making) ? SAMPLE_TIME : 0) | (making->command_only ? SAMPLE_TASK : 0);
}

static int collect(struct making *making, struct run *run, struct err *err)
{
	struct opened *opened = (struct opened *)run->opened;
	void (*visit)(void *, const struct point *, size_t) =
		making->command_only ? take_command : take;
	unsigned fields = fields_used(making);
	int rc;

	run->asked = diff_asked_new(&making->wish.questions, &opened->labels, err);
	if (!run->asked)
		return -EINVAL;
	if (fields & SAMPLE_TIME)
		rc = opened_visit_times(opened, fields, visit, run, err);
	else
		rc = opened_visit(opened, fields, visit, run, err);
	if (rc == 0 && !count_samples(run->table))
		rc = err_set(err, -ENODATA,
			     "the profiled command has no%s samples: use --machine to compare "
			     "everything recorded",
			     opened->selection.size ? " selected" : "");
	return rc;
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
	if (image)
		diff_command(diff, side, "image",
			     profile_text(profile, profile->images.items[image].path));
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
	int rc = opened_read(opened, err);

	if (rc < 0)
		return rc;
	opened_span(opened, &from_ns, &to_ns);
	tell_command(making->diff, side, opened);
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
	if (rc == 0)
		rc = diff_add(making->diff, side, run.table, run.kernel.items,
			      diff_asked_probes(run.asked), making->wish.questions.probes.count,
			      run.cells, to_ns - from_ns, err);
	diff_asked_free(run.asked);
	cells_done(&cells);
	vec_free(&run.kernel);
	table_free(run.table);
	opened_forget(opened);
	return rc < 0 ? err_prefix(err, rc, "%s", making->files->paths[number]) : 0;
}

/* Opens all files first, because only the command is compared if all of them know it. */
static int open_files(struct making *making, struct err *err)
{
	making->command_only = !making->wish.options->machine;
	for (size_t i = 0; i < count_files(making->files); i++) {
		struct opened *opened = &making->runs[i];
		bool is_known = false;
		int rc = prepare(opened, making->wish.options, err);

		if (rc == 0)
			rc = opened_open(opened, making->files->paths[i], err);
		if (rc == 0)
			rc = diff_command_is_known(opened->store, &is_known, err);
		if (rc < 0)
			return rc;
		making->command_only = making->command_only && is_known;
	}
	return 0;
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
	err_set(err, -ENOMSG,
		"the profiles have no event in common (%s): samples of different events cannot be "
		"compared",
		buf_text(&names));
	buf_done(&names);
	return -ENOMSG;
}

static bool asks_rates(const struct making *making)
{
	const struct diff_questions *questions = &making->wish.questions;
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
		[FORMAT_CSV] = diff_csv_print,
		[FORMAT_JSON] = diff_json_print,
	};
	const struct diff_options *options = making->wish.options;
	const struct opened *first = &making->runs[0];
	struct diff_view view = {
		.diff = making->diff,
		.sources = making->sources,
		.source_count = count_files(making->files),
		.selection = first->selection.size ? first->selection.bytes : NULL,
		.command_only = making->command_only,
		.all = options->all,
		.order = making->wish.order,
		.threshold = options->threshold,
		.limit = options->limit,
		.answers = making->answers,
		.answer_count = making->wish.questions.count,
		.colour = options->colour,
	};

	as[making->wish.format](&view, out);
}

/* Rows of probes have the order of the conditions that have one. */
static void answer(struct making *making)
{
	const struct diff_questions *questions = &making->wish.questions;
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
	diff_questions_done(&making->wish.questions);
	free(making->sources);
	free(making->runs);
}

static int make(struct making *making, struct err *err)
{
	int rc = open_files(making, err);

	making->diff = diff_new(&making->wish.keys, making->wish.options->exact);
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
		rc = opened_end(out, err);
	}
	if (rc == 0)
		*ret_failed = say_what_holds(&making, err);
	making_done(&making);
	return rc;
}
