/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/report.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "aggregate/account/wait_account.h"
#include "aggregate/keys.h"
#include "aggregate/tables/classes.h"
#include "aggregate/tables/details.h"
#include "aggregate/tables/hierarchy.h"
#include "aggregate/tables/table.h"
#include "aggregate/tables/tally.h"
#include "aggregate/trees/children.h"
#include "base/vec.h"
#include "code/instructions.h"
#include "load/opened.h"
#include "present/rows/class_rows.h"
#include "present/rows/csv.h"
#include "present/rows/json.h"
#include "present/text/text_classes.h"
#include "present/text/text_hierarchy.h"
#include "present/text/text_report.h"
#include "views/contradictions.h"

/* Keys of csv and json without --by: what the default report shows for each process. */
static const char default_keys[] = "process,mode,image,symbol";
static const char default_keys_of_instructions[] = "process,mode,image,symbol,address";

static const char default_keys_of_children[] = "function,image";

static const double detail_percent_of_processes = 1;

/* Keys of --columns and --details; which rows help most depends on the columns. */
static const char default_keys_beside_tasks[] = "image,symbol";
static const char default_keys_beside_others[] = "process";
static const char default_keys_of_details[] = "image,symbol";
static const char default_keys_of_hierarchy[] = "program,image";

struct report {
	const struct report_options *options;
	struct given given;
	struct order order;
	struct key_list keys; /* of the collected table */
	struct opened opened;
	struct tally tally;   /* the selection */
	bool each_once;	      /* points that come into it are all different */
	struct table *stacks; /* the selection by stack, for an inclusive table */
	struct table *table;
	struct classes *classes;     /* of the table */
	struct details *details;     /* of the table */
	struct hierarchy *hierarchy; /* of the table */
	struct instructions *instructions;
};

static void report_done(struct report *report)
{
	instructions_free(report->instructions);
	classes_free(report->classes);
	details_free(report->details);
	hierarchy_free(report->hierarchy);
	table_free(report->table);
	table_free(report->stacks);
	tally_done(&report->tally);
	opened_done(&report->opened);
}

static const char *default_keys_of(const struct report *report)
{
	const struct report_options *options = report->options;
	const struct key *column = report->given.column;

	if (options->children)
		return default_keys_of_children;
	if (options->details)
		return default_keys_of_details;
	if (options->hierarchy)
		return default_keys_of_hierarchy;
	if (column)
		return column->uses & SAMPLE_TASK ? default_keys_beside_tasks
						  : default_keys_beside_others;
	return options->instructions ? default_keys_of_instructions : default_keys;
}

static int parse_column(struct report *report, struct err *err)
{
	const char *text = report->options->side_by_side;

	if (!text)
		return 0;
	if (strchr(text, ','))
		return err_set(err, -EINVAL,
			       "--columns takes one key, not '%s': put the others into --by, or "
			       "omit them to merge their values",
			       text);
	report->given.column = keys_find(text, strlen(text), err);
	return report->given.column ? 0 : err_prefix(err, -EINVAL, "--columns");
}

static int parse_merge(struct report *report, struct err *err)
{
	const char *text = report->options->merge;
	struct key_list *merged = &report->given.merged;

	if (!text)
		return 0;
	if (strcmp(text, "all") != 0)
		return keys_parse_of("--merge", text, merged, err);
	for (const struct key *key = keys_all(); key->name && merged->count < KEYS_MAX; key++) {
		if (!(key->uses & SAMPLE_STACK) && key->uses)
			merged->items[merged->count++] = key;
	}
	return 0;
}

static bool is_merged(const struct report *report, const struct key *key)
{
	for (size_t i = 0; i < report->given.merged.count; i++) {
		if (report->given.merged.items[i] == key)
			return true;
	}
	return false;
}

/* Removes the keys that --merge adds up from the default ones. */
static int leave_out_merged(struct report *report, struct err *err)
{
	struct key_list *by = &report->given.by;
	size_t kept = 0;

	for (size_t i = 0; i < by->count; i++) {
		if (!is_merged(report, by->items[i]))
			by->items[kept++] = by->items[i];
	}
	by->count = kept;
	return kept ? 0
		    : err_set(err, -EINVAL,
			      "--merge %s leaves no key for the rows: add one with --by",
			      report->options->merge);
}

static int parse_keys(struct report *report, struct err *err)
{
	const struct report_options *options = report->options;
	struct key_list *by = &report->given.by;
	int rc = keys_parse(options->by ? options->by : default_keys_of(report), by, err);

	if (rc == 0 && !options->by)
		rc = leave_out_merged(report, err);
	if (rc == 0 && options->children && children_check(by, err) < 0)
		return err_prefix(err, -EINVAL, "--children");
	return rc;
}

/* The keys to collect: those of the rows, and those of --columns or --details. */
static int complete_keys(struct report *report, struct err *err)
{
	const struct given *given = &report->given;

	report->keys = given->by;
	if (!given->column && !report->options->details)
		return 0;
	if (report->keys.count == KEYS_MAX)
		return err_set(err, -EINVAL,
			       "--by takes at most %d keys with --columns or --details",
			       KEYS_MAX - 1);
	report->keys.items[report->keys.count++] =
		given->column ? given->column : keys_find("address", strlen("address"), err);
	return 0;
}

static int parse_table(struct report *report, struct err *err)
{
	const struct report_options *options = report->options;
	int rc = parse_keys(report, err);

	if (rc == 0)
		rc = complete_keys(report, err);
	return rc < 0 ? rc : order_check(&report->order, &report->given.by, options->children, err);
}

static int parse(struct report *report, const struct report_options *options, struct err *err)
{
	struct given *given = &report->given;
	int rc = format_parse(options->format, &given->format, err);

	report->options = given->options = options;
	given->grouped = options->by || options->children || options->side_by_side ||
			 options->details || options->hierarchy || options->merge ||
			 given->format != FORMAT_TEXT;
	if (rc == 0)
		rc = opened_name(&report->opened, &options->names, err);
	if (rc == 0)
		rc = parse_column(report, err);
	if (rc == 0)
		rc = parse_merge(report, err);
	if (rc == 0)
		rc = order_parse(options->sort, options->reversed, &report->order, err);
	if (rc == 0 && given->grouped)
		rc = parse_table(report, err);
	return rc < 0 ? rc : opened_choose(&report->opened, &options->selection, err);
}

int report_check(const struct report_options *options, struct err *err)
{
	struct report report = { 0 };
	int rc = parse(&report, options, err);

	report_done(&report);
	return rc;
}

size_t report_contradictions(const struct report_options *options,
			     void (*tell)(void *context, const char *sentence), void *context)
{
	struct report report = { 0 };
	size_t count = 0;

	if (parse(&report, options, NULL) == 0)
		count = contradictions_tell(&report.given, tell, context);
	report_done(&report);
	return count;
}

static void tally_points(struct report *report, const struct point *points, size_t count)
{
	const struct total *totals[TALLY_AT_ONCE];

	for (size_t i = 0, few; i < count; i += few) {
		few = count - i < TALLY_AT_ONCE ? count - i : TALLY_AT_ONCE;
		for (size_t j = 0; j < few; j++)
			totals[j] = &points[i + j].total;
		tally_add_all(&report->tally, totals, few);
	}
}

static void take(void *context, const struct point *points, size_t count)
{
	struct report *report = context;

	if (report->stacks || report->table) {
		table_add_all(report->stacks ? report->stacks : report->table, points, count);
	} else if (report->each_once) {
		for (size_t i = 0; i < count; i++)
			tally_append(&report->tally, &points[i].total);
	} else {
		tally_points(report, points, count);
	}
}

/* Makes the tables that collect samples. */
static void make_tables(struct report *report)
{
	const struct labels *labels = &report->opened.labels;
	struct key_list of_stacks = children_stack_keys(&report->keys);

	if (report->options->children)
		report->stacks = table_new(labels, &of_stacks);
	else if (report->given.grouped)
		report->table = table_new(labels, &report->keys);
}

/* Fields of a sample that the report needs. */
static unsigned fields_used(const struct report *report)
{
	if (report->stacks)
		return keys_use(&report->stacks->keys);
	return report->table ? keys_use(&report->table->keys) : SAMPLE_ALL & ~SAMPLE_NOT_IN_TOTALS;
}

/* Takes the sums of the whole profile in place of those of the selection. */
static void take_all_as_whole(struct report *report)
{
	struct table *table = report->table;
	const struct totals *totals = &report->opened.totals;

	for (int event = 0; event < PROFILE_MAX_EVENTS; event++)
		table->sums[event] = (struct table_sum){ .rows = table->sums[event].rows };
	for (size_t i = 0; i < totals->rows.count; i++) {
		const struct total *total = &totals->rows.items[i];
		struct table_sum *sum = &table->sums[total->event];

		sum->samples += total->samples;
		sum->weight += total->weight;
		sum->weight_squared += total->weight_squared;
	}
}

/* The table whose rows are shown. */
static struct table *shown_table(const struct report *report)
{
	if (report->classes)
		return report->classes->table;
	return report->details ? report->details->whole : report->table;
}

static int put_side_by_side(struct report *report, struct err *err)
{
	const struct table *disjoint = report->stacks ? report->stacks : report->table;
	size_t at = 0;

	while (disjoint->keys.items[at] != report->given.column)
		at++;
	return classes_new(report->table, disjoint, at, &report->classes, err);
}

static int make_shown(struct report *report, struct err *err)
{
	const struct report_options *options = report->options;
	struct table *shown;
	int rc = 0;

	if (report->stacks)
		report->table = children_new(report->stacks, &report->keys);
	if (report->table && options->global_percent)
		take_all_as_whole(report);
	if (report->table && report->given.column)
		rc = put_side_by_side(report, err);
	else if (options->details && report->given.format == FORMAT_TEXT)
		report->details = details_new(report->table);
	shown = shown_table(report);
	if (rc < 0 || !shown)
		return rc;
	shown->order = report->order;
	shown->accumulate = options->accumulated;
	shown->cover = options->cover;
	if (options->hierarchy) {
		report->hierarchy = hierarchy_new(shown, options->threshold, options->limit);
		return 0;
	}
	if (report->classes)
		return classes_finish(report->classes, options->threshold, options->limit, err);
	table_finish(shown, options->threshold, options->limit);
	return 0;
}

/* Collects what the keys need: totals, or every sample. */
static int collect(struct report *report, struct err *err)
{
	int rc;

	make_tables(report);
	report->each_once = !report->options->names.inlines &&
			    opened_gives_totals(&report->opened, fields_used(report));
	rc = opened_visit(&report->opened, fields_used(report), take, report, err);
	return rc < 0 ? rc : make_shown(report, err);
}

/* Prepares the frames that the report will need. One screen of text needs few others, and which is
 * not known yet. */
static void prepare_instructions(struct report *report)
{
	VEC(uint32_t) frames = { 0 };
	uint32_t frame;

	for (size_t i = 0; report->table && i < report->table->rows.count; i++) {
		if (table_frame(report->table, &report->table->rows.items[i], &frame))
			*vec_push(&frames) = frame;
	}
	for (size_t i = 0; report->options->level > VIEW_SCREEN && i < report->tally.rows.count;
	     i++) {
		uint32_t stack = report->tally.rows.items[i].stack;

		*vec_push(&frames) = report->opened.profile->stacks.items[stack].frame;
	}
	instructions_prepare(report->instructions, frames.items, frames.count);
	vec_free(&frames);
}

static int need_instructions(struct report *report, struct err *err)
{
	const struct line_options *lines = &report->opened.names.lines;
	const struct instructions_options options = { .max_images = report->options->max_images,
						      .intel = report->options->intel,
						      .vmlinux = report->options->vmlinux,
						      .symfs = { lines->symfs,
								 lines->symfs_sealed },
						      .readers = lines->readers };
	int rc;

	if (!report->options->instructions)
		return 0;
	rc = instructions_new(report->opened.profile, &options, &report->instructions, err);
	if (rc == 0)
		prepare_instructions(report);
	return rc;
}

static double detail_percent(const struct report_options *options)
{
	if (options->detail_percent >= 0)
		return options->detail_percent;
	return options->level >= VIEW_ALL ? options->list_percent : detail_percent_of_processes;
}

static struct view make_view(const struct report *report, const struct summary *summary)
{
	const struct report_options *options = report->options;
	struct view view = opened_view(&report->opened);

	view.summary = summary;
	view.file = options->file;
	view.level = options->level;
	view.list_percent = options->list_percent;
	view.detail_percent = detail_percent(options);
	view.threshold = options->threshold;
	view.limit = options->limit;
	view.lines = options->lines;
	view.columns = options->columns;
	view.colour = options->colour;
	view.details = report->details;
	view.bare = options->bare;
	return view;
}

static void print_classes(const struct report *report, const struct view *view, FILE *out)
{
	if (report->given.format == FORMAT_CSV)
		class_rows_csv(report->classes, !view->bare, out);
	else if (report->given.format == FORMAT_JSON)
		class_rows_json(view, report->classes, out);
	else
		text_classes_print(view, report->classes, out);
}

static void print_grouped(const struct report *report, const struct view *view, FILE *out)
{
	const struct table *table = shown_table(report);

	if (report->classes)
		print_classes(report, view, out);
	else if (report->hierarchy)
		text_hierarchy_print(view, report->hierarchy, out);
	else if (report->given.format == FORMAT_JSON)
		json_print(view, table, out);
	else if (report->given.format == FORMAT_TEXT)
		text_report_table(view, table, out);
	else if (view->bare)
		csv_print_rows(table, view->instructions, out);
	else
		csv_print(table, view->instructions, out);
}

static void print(const struct report *report, FILE *out)
{
	const struct instructions_view instructions = { .text = instructions_text,
							.note = instructions_note,
							.context = report->instructions };
	const struct tally *tally = &report->tally;
	struct wait_account waiting;
	struct summary summary;
	struct view view;

	summary_make(
		report->opened.profile, tally->rows.items, tally->rows.count,
		summary_main_event(report->opened.profile, tally->rows.items, tally->rows.count),
		&summary);
	wait_account_make(report->opened.profile, tally->rows.items, tally->rows.count, &waiting);
	view = make_view(report, &summary);
	view.waiting = &waiting;
	if (report->instructions)
		view.instructions = &instructions;
	if (report->given.grouped)
		print_grouped(report, &view, out);
	else
		text_report_print(&view, out);
	wait_account_done(&waiting);
	summary_done(&summary);
}

int report_print(const char *path, const struct report_options *options, FILE *out, struct err *err)
{
	struct report report = { 0 };
	int rc = parse(&report, options, err);

	if (rc == 0)
		rc = opened_load(&report.opened, path, err);
	if (rc == 0)
		rc = collect(&report, err);
	if (rc == 0)
		rc = need_instructions(&report, err);
	if (rc == 0) {
		print(&report, out);
		rc = opened_end(out, err);
	}
	report_done(&report);
	return rc;
}

void report_print_keys(FILE *out)
{
	for (const struct key *key = keys_all(); key->name; key++)
		fprintf(out, "  %-12s %s\n", key->name, key->help);
}
