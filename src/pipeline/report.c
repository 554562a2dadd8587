/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pipeline/report.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "aggregate/children.h"
#include "aggregate/keys.h"
#include "aggregate/table.h"
#include "aggregate/tally.h"
#include "aggregate/wait_account.h"
#include "base/vec.h"
#include "pipeline/format.h"
#include "pipeline/instructions.h"
#include "pipeline/opened.h"
#include "present/csv.h"
#include "present/json.h"
#include "present/text_report.h"

/* The table of csv and json when no --by says another: what the paper's report tells of each
 * process. */
static const char default_keys[] = "process,mode,image,symbol";
static const char default_keys_of_instructions[] = "process,mode,image,symbol,address";

static const char default_keys_of_children[] = "function,image";

static const double detail_percent_of_processes = 1;

struct report {
	const struct report_options *options;
	enum format format;
	bool grouped; /* a table by keys, not the paper's report */
	struct key_list keys;
	struct opened opened;
	struct tally tally;   /* what was selected */
	struct table *stacks; /* the same by stack, for an inclusive table */
	struct table *table;
	struct instructions *instructions;
};

static void report_done(struct report *report)
{
	instructions_free(report->instructions);
	table_free(report->table);
	table_free(report->stacks);
	tally_done(&report->tally);
	opened_done(&report->opened);
}

static bool has_frames(const struct key_list *keys)
{
	for (size_t i = 0; i < keys->count; i++) {
		if (keys_is_frame(keys->items[i]))
			return true;
	}
	return false;
}

static const char *default_keys_of(const struct report_options *options)
{
	if (options->children)
		return default_keys_of_children;
	return options->instructions ? default_keys_of_instructions : default_keys;
}

static int parse_keys(struct report *report, struct err *err)
{
	const struct report_options *options = report->options;
	const char *by = options->by ? options->by : default_keys_of(options);
	int rc = keys_parse(by, &report->keys, err);

	if (rc == 0 && options->children && children_check(&report->keys, err) < 0)
		return err_prefix(err, -EINVAL, "--children");
	if (rc == 0 && options->instructions && !has_frames(&report->keys))
		return err_set(err, -EINVAL,
			       "-d tells the instruction at each address: --by needs the key "
			       "'address' too");
	return rc;
}

static int parse(struct report *report, const struct report_options *options, struct err *err)
{
	int rc = format_parse(options->format, &report->format, err);

	report->options = options;
	report->grouped = options->by || options->children || report->format != FORMAT_TEXT;
	if (rc == 0 && options->children && options->instructions)
		rc = err_set(err, -EINVAL,
			     "-d shows what was hit itself, --children what was called as well: "
			     "one of them");
	if (rc == 0 && options->names.inlines && options->instructions)
		rc = err_set(err, -EINVAL,
			     "-d shows functions as they are in their file, --inlines takes them "
			     "apart: one of them");
	if (rc == 0)
		rc = opened_name(&report->opened, &options->names, err);
	if (rc == 0 && report->grouped)
		rc = parse_keys(report, err);
	return rc < 0 ? rc : opened_choose(&report->opened, &options->selection, err);
}

int report_check(const struct report_options *options, struct err *err)
{
	struct report report = { 0 };
	int rc = parse(&report, options, err);

	report_done(&report);
	return rc;
}

static void take(void *context, const struct point *point)
{
	struct report *report = context;

	if (report->stacks)
		table_add(report->stacks, point);
	else if (report->table)
		table_add(report->table, point);
	else
		tally_add(&report->tally, &point->total);
}

/* What the samples are put into. */
static void make_tables(struct report *report)
{
	const struct labels *labels = &report->opened.labels;
	struct key_list of_stacks = children_stack_keys(&report->keys);

	if (report->options->children)
		report->stacks = table_new(labels, &of_stacks);
	else if (report->grouped)
		report->table = table_new(labels, &report->keys);
}

/* What of each sample is looked at. */
static unsigned fields_used(const struct report *report)
{
	if (report->stacks)
		return keys_use(&report->stacks->keys);
	return report->table ? keys_use(&report->table->keys) : SAMPLE_ALL & ~SAMPLE_NOT_IN_TOTALS;
}

/* Feeds what the keys need: the totals, or every sample. */
static int collect(struct report *report, struct err *err)
{
	int rc;

	make_tables(report);
	rc = opened_visit(&report->opened, fields_used(report), take, report, err);
	if (rc < 0)
		return rc;
	if (report->stacks)
		report->table = children_new(report->stacks, &report->keys);
	if (report->table)
		table_finish(report->table, report->options->threshold, report->options->limit);
	return 0;
}

/* The frames the report will ask for. At one screen these are few, and not known before. */
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
	const struct instructions_options options = { .max_images = report->options->max_images,
						      .vmlinux = report->options->vmlinux,
						      .symfs = report->opened.names.lines.symfs };
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
	return view;
}

static void print_grouped(const struct report *report, const struct view *view, FILE *out)
{
	static void (*const with_head[FORMAT_COUNT])(const struct view *, const struct table *,
						     FILE *) = {
		[FORMAT_TEXT] = text_report_table,
		[FORMAT_JSON] = json_print,
	};

	if (with_head[report->format])
		with_head[report->format](view, report->table, out);
	else
		csv_print(report->table, view->instructions, out);
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
	if (report->grouped)
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
