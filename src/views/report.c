/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/views.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "aggregate/account/off_cpu_account.h"
#include "aggregate/account/unnamed.h"
#include "aggregate/keys.h"
#include "aggregate/tables/details.h"
#include "aggregate/tables/hierarchy.h"
#include "aggregate/tables/pivot.h"
#include "aggregate/tables/table.h"
#include "aggregate/tables/tally.h"
#include "aggregate/trees/children.h"
#include "base/vec.h"
#include "code/instructions.h"
#include "load/opened.h"
#include "load/output.h"
#include "names/debug_files/debug_packages.h"
#include "present/rows/table_rows.h"
#include "present/text/text_report.h"

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
	enum format format;
	bool grouped;		  /* a table is printed */
	struct key_list by;	  /* its keys */
	struct key_list merged;	  /* --merge */
	const struct key *column; /* --columns; NULL: none */
	struct order order;
	struct key_list keys; /* of the collected table */
	struct opened opened;
	struct tally tally;   /* the selection */
	bool each_once;	      /* points that come into it are all different */
	struct table *stacks; /* the selection by stack, for an inclusive table */
	struct table *table;
	struct table *functions;     /* of the first screen, inclusive */
	struct pivot *pivot;	     /* of the table */
	struct details *details;     /* of the table */
	struct hierarchy *hierarchy; /* of the table */
	struct instructions *instructions;
};

static void report_done(struct report *report)
{
	instructions_free(report->instructions);
	pivot_free(report->pivot);
	details_free(report->details);
	hierarchy_free(report->hierarchy);
	table_free(report->table);
	table_free(report->functions);
	table_free(report->stacks);
	tally_done(&report->tally);
	opened_done(&report->opened);
}

static const char *default_keys_of(const struct report *report)
{
	const struct report_options *options = report->options;
	const struct key *column = report->column;

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
	const char *text = report->options->columns_key;

	if (!text)
		return 0;
	if (strchr(text, ','))
		return err_set(err, -EINVAL,
			       "--columns takes one key, not '%s': put the others into --by, or "
			       "omit them to merge their values",
			       text);
	report->column = keys_find(text, strlen(text), err);
	return report->column ? 0 : err_prefix(err, -EINVAL, "--columns");
}

static int parse_merge(struct report *report, struct err *err)
{
	const char *text = report->options->merge;
	struct key_list *merged = &report->merged;

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

/* Removes the keys that --merge adds up from the default ones. */
static int leave_out_merged(struct report *report, struct err *err)
{
	struct key_list *by = &report->by;
	size_t kept = 0;

	for (size_t i = 0; i < by->count; i++) {
		if (!keys_has(&report->merged, by->items[i]))
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
	struct key_list *by = &report->by;
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
	report->keys = report->by;
	if (!report->column && !report->options->details)
		return 0;
	if (report->keys.count == KEYS_MAX)
		return err_set(err, -EINVAL,
			       "--by takes at most %d keys with --columns or --details",
			       KEYS_MAX - 1);
	report->keys.items[report->keys.count++] =
		report->column ? report->column : keys_find("address", strlen("address"), err);
	return 0;
}

static int parse_table(struct report *report, struct err *err)
{
	const struct report_options *options = report->options;
	int rc = parse_keys(report, err);

	if (rc == 0)
		rc = complete_keys(report, err);
	return rc < 0 ? rc : order_check(&report->order, &report->by, options->children, err);
}

static bool is_screen(const struct report *report)
{
	return !report->grouped && report->options->level <= VIEW_SCREEN;
}

/* CSV, JSON and the long reports are about all processes, and have names as in symbol tables. */
static bool is_for_people(const struct report *report)
{
	return report->format == FORMAT_TEXT && report->options->level <= VIEW_SCREEN;
}

static enum scope default_scope(const struct report *report)
{
	return is_for_people(report) ? SCOPE_COMMAND : SCOPE_MACHINE;
}

static int parse(struct report *report, const struct report_options *options, struct err *err)
{
	int rc = output_format(options->format, &report->format, err);

	report->options = options;
	report->grouped = options->by || options->children || options->columns_key ||
			  options->details || options->hierarchy || options->merge ||
			  report->format != FORMAT_TEXT;
	if (rc == 0)
		rc = opened_name(&report->opened, &options->names, err);
	if (rc == 0)
		rc = parse_column(report, err);
	if (rc == 0)
		rc = parse_merge(report, err);
	if (rc == 0)
		rc = order_parse(options->sort, options->reversed, &report->order, err);
	if (rc == 0 && report->grouped)
		rc = parse_table(report, err);
	else if (rc == 0 && is_screen(report))
		rc = keys_parse(default_keys_of_children, &report->keys, err);
	return rc < 0 ? rc
		      : opened_choose(&report->opened, &options->selection, default_scope(report),
				      err);
}

int report_check(const struct report_options *options, struct err *err)
{
	struct report report = { 0 };
	int rc = parse(&report, options, err);

	report_done(&report);
	return rc;
}

/* ---- contradictions ---- */

/* What the options say. */
enum fact {
	CHILDREN = 1 << 0,
	INSTRUCTIONS = 1 << 1,
	NO_INSTRUCTIONS = 1 << 2,
	INTEL = 1 << 3,
	INLINES = 1 << 4,
	DETAILS = 1 << 5,
	HIERARCHY = 1 << 6,
	COLUMN = 1 << 7,
	COLUMN_OF_CODE = 1 << 8,
	BY_COLUMN = 1 << 9,   /* the key of the columns is one of the rows' */
	BY_ADDRESS = 1 << 10, /* the rows have the key address */
	NO_ADDRESS = 1 << 11, /* nothing in the table shows addresses */
	MERGED = 1 << 12,
	SHOWN_MERGED = 1 << 13, /* a merged key is shown */
	MERGED_EVENT = 1 << 14,
	SLICE = 1 << 15,
	NO_TIME = 1 << 16, /* neither rows nor columns have the key time */
	SORTED = 1 << 17,
	ACCUMULATED = 1 << 18,
	COVER = 1 << 19,
	GLOBAL_PERCENT = 1 << 20,
	BARE = 1 << 21,
	NO_TABLE = 1 << 22,
	NOT_TEXT = 1 << 23,
	JSON = 1 << 24,
	QUALITY = 1 << 25,
	TABLE = 1 << 26,
};

/* Columns: two sets of facts that exclude each other, and why. */
static const struct {
	unsigned one, other;
	const char *sentence;
} exclusions[] = {
	{ CHILDREN, INSTRUCTIONS,
	  "-d and --children cannot be used together: -d shows only what was hit itself" },
	{ INSTRUCTIONS, NO_ADDRESS,
	  "-d shows the instruction at each address: add the key 'address' to --by" },
	{ INTEL, NO_INSTRUCTIONS, "--intel-syntax needs -d, which shows instructions" },
	{ INLINES, INSTRUCTIONS,
	  "-d and --inlines cannot be used together: -d shows functions as they are in their "
	  "file" },
	{ CHILDREN, DETAILS,
	  "--details and --children cannot be used together: --details lists only addresses that "
	  "were hit" },
	{ DETAILS, INSTRUCTIONS,
	  "--details and -d cannot be used together: use -d --by symbol,address" },
	{ COLUMN, INSTRUCTIONS, "-d and --columns cannot be used together" },
	{ COLUMN, DETAILS,
	  "--details and --columns cannot be used together: use --columns with --by "
	  "symbol,address" },
	{ HIERARCHY, CHILDREN,
	  "--hierarchy and --children cannot be used together: for what functions called see "
	  "prospect graph" },
	{ HIERARCHY, COLUMN, "--hierarchy and --columns cannot be used together" },
	{ HIERARCHY, DETAILS | INSTRUCTIONS,
	  "--hierarchy cannot be used with --details or -d: use --by symbol,address for "
	  "addresses" },
	{ HIERARCHY, ACCUMULATED,
	  "--accumulated and --hierarchy cannot be used together: nested rows overlap" },
	{ HIERARCHY, NOT_TEXT,
	  "--hierarchy needs --format text: csv and json rows have all keys of --by without it" },
	{ DETAILS, BY_ADDRESS,
	  "--details and --by address cannot be used together: both show addresses" },
	{ COLUMN, BY_COLUMN, "--columns and --by cannot have the same key" },
	{ COLUMN_OF_CODE, CHILDREN,
	  "with --children, --columns needs a key that is not code, such as cpu or thread: columns "
	  "would overlap" },
	{ MERGED, SHOWN_MERGED, "--merge cannot have a key of --by or --columns" },
	{ MERGED, MERGED_EVENT,
	  "--merge event is not possible: events have different units; choose one with --select "
	  "event=NAME, or show them side by side with --columns event" },
	{ SLICE, NO_TIME, "--slice needs --by time or --columns time" },
	{ ACCUMULATED, CHILDREN,
	  "--accumulated and --children cannot be used together: shares of callers and callees "
	  "overlap" },
	{ COVER, CHILDREN | HIERARCHY | COLUMN,
	  "--cover cannot be used with --children, --hierarchy or --columns" },
	{ ACCUMULATED, COLUMN, "--accumulated and --columns cannot be used together" },
	{ GLOBAL_PERCENT, COLUMN, "--global-percent and --columns cannot be used together" },
	{ NO_TABLE, SORTED | ACCUMULATED | GLOBAL_PERCENT | BARE | COVER,
	  "--sort, --reverse, --accumulated, --cover, --global-percent and --no-header need a "
	  "table: add --by, --children, --columns, --details or --hierarchy" },
	{ QUALITY, TABLE | INSTRUCTIONS,
	  "--quality is a report of its own: no table, no -d, and only as text (the header of json "
	  "has its figures)" },
	{ BARE, JSON, "--no-header cannot be used with --format json: use csv" },
};

static bool has_name(const struct key_list *keys, const char *name)
{
	return keys_has(keys, keys_find(name, strlen(name), NULL));
}

static bool shows_merged(const struct report *report)
{
	for (size_t i = 0; i < report->merged.count; i++) {
		const struct key *key = report->merged.items[i];

		if (key == report->column || (report->options->by && keys_has(&report->by, key)))
			return true;
	}
	return false;
}

static unsigned facts_of_keys(const struct report *report)
{
	const struct report_options *options = report->options;
	const struct key *column = report->column;
	bool by_address = has_name(&report->by, "address");
	bool has_time =
		has_name(&report->by, "time") || (column && strcmp(column->name, "time") == 0);

	return (column ? COLUMN : 0) | (column && column->of_frame ? COLUMN_OF_CODE : 0) |
	       (keys_has(&report->by, column) ? BY_COLUMN : 0) | (by_address ? BY_ADDRESS : 0) |
	       (report->grouped && !options->children && !column && !options->details && !by_address
			? NO_ADDRESS
			: 0) |
	       (options->merge ? MERGED : 0) | (shows_merged(report) ? SHOWN_MERGED : 0) |
	       (has_name(&report->merged, "event") ? MERGED_EVENT : 0) | (has_time ? 0 : NO_TIME);
}

static unsigned facts_of(const struct report *report)
{
	const struct report_options *options = report->options;

	return facts_of_keys(report) | (options->children ? CHILDREN : 0) |
	       (options->instructions ? INSTRUCTIONS : NO_INSTRUCTIONS) |
	       (options->intel ? INTEL : 0) | (options->names.inlines ? INLINES : 0) |
	       (options->details ? DETAILS : 0) | (options->hierarchy ? HIERARCHY : 0) |
	       (options->selection.slice ? SLICE : 0) |
	       (options->sort || options->reversed ? SORTED : 0) |
	       (options->accumulated ? ACCUMULATED : 0) | (options->cover > 0 ? COVER : 0) |
	       (options->global_percent ? GLOBAL_PERCENT : 0) | (options->bare ? BARE : 0) |
	       (options->quality ? QUALITY : 0) | (report->grouped ? TABLE : NO_TABLE) |
	       (report->format != FORMAT_TEXT ? NOT_TEXT : 0) |
	       (report->format == FORMAT_JSON ? JSON : 0);
}

size_t report_contradictions(const struct report_options *options,
			     void (*tell)(void *context, const char *sentence), void *context)
{
	struct report report = { 0 };
	unsigned facts = parse(&report, options, NULL) == 0 ? facts_of(&report) : 0;
	size_t count = 0;

	for (size_t i = 0; i < sizeof(exclusions) / sizeof(exclusions[0]); i++) {
		if (!(facts & exclusions[i].one) || !(facts & exclusions[i].other))
			continue;
		tell(context, exclusions[i].sentence);
		count++;
	}
	report_done(&report);
	return count;
}

/* ---- the tables ---- */

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

	if (report->stacks || report->table)
		table_add_all(report->stacks ? report->stacks : report->table, points, count);
	if (report->grouped)
		return;
	if (report->each_once) {
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

	if (report->options->children || is_screen(report))
		report->stacks = table_new(labels, &of_stacks);
	else if (report->grouped)
		report->table = table_new(labels, &report->keys);
}

/* Fields of a sample that the report needs. */
static unsigned fields_used(const struct report *report)
{
	if (report->stacks && report->grouped)
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
	for (size_t i = 0; i < report->opened.in_scope; i++) {
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
	if (report->pivot)
		return report->pivot->table;
	return report->details ? report->details->whole : report->table;
}

static int put_columns(struct report *report, struct err *err)
{
	const struct table *disjoint = report->stacks ? report->stacks : report->table;
	size_t at = 0;

	while (disjoint->keys.items[at] != report->column)
		at++;
	return pivot_new(report->table, disjoint, at, &report->pivot, err);
}

/* The functions that take most themselves. */
static void make_functions(struct report *report)
{
	report->functions = children_new(report->stacks, &report->keys);
	report->functions->by_self = true;
	table_finish(report->functions, 0, 0);
}

static int make_shown(struct report *report, struct err *err)
{
	const struct report_options *options = report->options;
	size_t limit = (size_t)options->limit;
	struct table *shown;
	int rc = 0;

	if (is_screen(report))
		make_functions(report);
	else if (report->stacks)
		report->table = children_new(report->stacks, &report->keys);
	if (report->table && options->global_percent)
		take_all_as_whole(report);
	if (report->table && report->column)
		rc = put_columns(report, err);
	else if (options->details && report->format == FORMAT_TEXT)
		report->details = details_new(report->table);
	shown = shown_table(report);
	if (rc < 0 || !shown)
		return rc;
	shown->order = report->order;
	shown->accumulate = options->accumulated;
	shown->cover = options->cover;
	if (options->hierarchy) {
		report->hierarchy = hierarchy_new(shown, options->threshold, limit);
		return 0;
	}
	if (report->pivot)
		return pivot_finish(report->pivot, options->threshold, limit, err);
	table_finish(shown, options->threshold, limit);
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
	const struct instructions_options options = {
		.max_images = (size_t)report->options->max_images,
		.intel = report->options->intel,
		.vmlinux = report->options->vmlinux,
		.symfs = { lines->symfs, lines->symfs_sealed },
		.readers = lines->readers
	};
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

/* Looks for the package that a file without names belongs to. */
static void advise_names(const struct report *report, const struct unnamed *unnamed,
			 struct buf *advice)
{
	const struct profile *profile = report->opened.profile;

	if (unnamed->file)
		debug_packages_advise(
			DEBUG_PACKAGES_LISTS,
			profile_text(profile, profile->images.items[unnamed->file].path),
			"set DEBUGINFOD_URLS for report --debuginfod", "do not strip it", advice);
}

static struct view make_view(const struct report *report, const struct summary *summary)
{
	const struct report_options *options = report->options;
	struct view view = opened_view(&report->opened);

	view.summary = summary;
	view.functions = report->functions;
	view.file = options->file;
	view.level = (int)options->level;
	view.list_percent = options->list_percent;
	view.detail_percent = detail_percent(options);
	view.threshold = options->threshold;
	view.limit = (size_t)options->limit;
	view.screen = options->screen;
	view.details = report->details;
	view.bare = options->bare;
	view.of_all = options->global_percent;
	return view;
}

static void print_pivot(const struct report *report, const struct view *view, FILE *out)
{
	if (report->format == FORMAT_CSV)
		table_rows_pivot_csv(report->pivot, !view->bare, out);
	else if (report->format == FORMAT_JSON)
		table_rows_pivot_json(view, report->pivot, out);
	else
		text_pivot_print(view, report->pivot, out);
}

static void print_grouped(const struct report *report, const struct view *view, FILE *out)
{
	const struct table *table = shown_table(report);

	if (report->pivot)
		print_pivot(report, view, out);
	else if (report->hierarchy)
		text_report_hierarchy(view, report->hierarchy, out);
	else if (report->format == FORMAT_JSON)
		table_rows_json(view, table, out);
	else if (report->format == FORMAT_TEXT)
		text_report_table(view, table, out);
	else
		table_rows_csv(table, view->instructions, !view->bare, out);
}

static void print(const struct report *report, FILE *out)
{
	const struct instructions_view instructions = { .text = instructions_text,
							.note = instructions_note,
							.context = report->instructions };
	const struct tally *tally = &report->tally;
	struct off_cpu_account off_cpu;
	struct buf advice = { 0 };
	struct unnamed unnamed;
	struct summary summary;
	struct view view;

	summary_make(
		report->opened.profile, tally->rows.items, tally->rows.count,
		summary_main_event(report->opened.profile, tally->rows.items, tally->rows.count),
		&summary);
	off_cpu_account_make(report->opened.profile, tally->rows.items, tally->rows.count,
			     &off_cpu);
	view = make_view(report, &summary);
	view.off_cpu = &off_cpu;
	if (is_screen(report)) {
		unnamed_find(report->opened.profile, summary.totals, summary.total_count, &unnamed);
		advise_names(report, &unnamed, &advice);
		view.unnamed = &unnamed;
		view.names_advice = advice.size ? buf_text(&advice) : NULL;
	}
	if (report->instructions)
		view.instructions = &instructions;
	if (report->grouped)
		print_grouped(report, &view, out);
	else if (report->options->quality)
		text_report_quality(&view, out);
	else
		text_report_print(&view, out);
	buf_done(&advice);
	off_cpu_account_done(&off_cpu);
	summary_done(&summary);
}

int report_print(const char *path, const struct report_options *options, FILE *out, struct err *err)
{
	struct report report = { 0 };
	int rc = parse(&report, options, err);

	if (rc == 0)
		rc = opened_load(&report.opened, path, err);
	report.opened.labels.by_start = is_for_people(&report);
	if (rc == 0)
		rc = collect(&report, err);
	if (rc == 0)
		rc = need_instructions(&report, err);
	if (rc == 0) {
		print(&report, out);
		rc = output_end(out, err);
	}
	report_done(&report);
	return rc;
}

void report_print_keys(FILE *out)
{
	for (const struct key *key = keys_all(); key->name; key++)
		fprintf(out, "  %-12s %s\n", key->name, key->help);
}
