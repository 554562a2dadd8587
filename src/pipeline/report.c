/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pipeline/report.h"

#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aggregate/keys.h"
#include "aggregate/select.h"
#include "aggregate/table.h"
#include "aggregate/tally.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "pipeline/instructions.h"
#include "present/csv.h"
#include "present/json.h"
#include "present/text_report.h"
#include "resolve/demangler.h"
#include "store/store.h"

/* The table of csv and json when no --by says another: what the paper's report tells of each
 * process. */
static const char default_keys[] = "process,mode,image,symbol";
static const char default_keys_of_instructions[] = "process,mode,image,symbol,address";

static const double detail_percent_of_processes = 1;

struct report {
	const struct report_options *options;
	enum format {
		FORMAT_TEXT,
		FORMAT_CSV,
		FORMAT_JSON,
		FORMAT_COUNT,
	} format;
	bool grouped; /* a table by keys, not the paper's report */
	struct key_list keys;
	struct select *select;
	struct store_reader *store;
	struct profile *profile;
	struct totals totals;
	struct demangler *demangler;
	struct labels labels;
	VEC(struct user_name) users;
	struct buf selection; /* the clauses as typed */
	struct tally tally;   /* what was selected */
	struct table *table;
	uint64_t selected; /* samples */
	struct completeness completeness;
	struct instructions *instructions;
};

static void report_done(struct report *report)
{
	for (size_t i = 0; i < report->users.count; i++)
		free((char *)report->users.items[i].name);
	vec_free(&report->users);
	instructions_free(report->instructions);
	table_free(report->table);
	completeness_done(&report->completeness);
	tally_done(&report->tally);
	select_free(report->select);
	buf_done(&report->selection);
	labels_done(&report->labels);
	demangler_free(report->demangler);
	vec_free(&report->totals.rows);
	profile_free(report->profile);
	if (report->store)
		store_close(report->store);
}

static int parse_format(const char *name, enum format *ret_format, struct err *err)
{
	static const char *const names[FORMAT_COUNT] = { "text", "csv", "json" };

	*ret_format = FORMAT_TEXT;
	for (int format = 0; name && format < FORMAT_COUNT; format++) {
		if (strcmp(names[format], name) == 0) {
			*ret_format = (enum format)format;
			return 0;
		}
	}
	return name ? err_set(err, -EINVAL, "--format '%s' is none of text, csv, json", name) : 0;
}

static int parse_select(struct report *report, struct err *err)
{
	report->select = select_new();
	for (size_t i = 0; i < report->options->select_count; i++) {
		int rc = select_add(report->select, report->options->select[i], err);

		buf_add_str(&report->selection, i ? " " : "");
		buf_add_str(&report->selection, report->options->select[i]);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static bool has_frames(const struct key_list *keys)
{
	for (size_t i = 0; i < keys->count; i++) {
		if (keys_is_frame(keys->items[i]))
			return true;
	}
	return false;
}

static int parse_keys(struct report *report, struct err *err)
{
	const struct report_options *options = report->options;
	const char *by = options->instructions ? default_keys_of_instructions : default_keys;
	int rc = keys_parse(options->by ? options->by : by, &report->keys, err);

	if (rc == 0 && options->instructions && !has_frames(&report->keys))
		return err_set(err, -EINVAL,
			       "-d tells the instruction at each address: --by needs the key "
			       "'address' too");
	return rc;
}

static int parse(struct report *report, const struct report_options *options, struct err *err)
{
	int rc = parse_format(options->format, &report->format, err);

	report->options = options;
	report->grouped = options->by || report->format != FORMAT_TEXT;
	if (rc == 0 && report->grouped)
		rc = parse_keys(report, err);
	return rc < 0 ? rc : parse_select(report, err);
}

int report_check(const struct report_options *options, struct err *err)
{
	struct report report = { 0 };
	int rc = parse(&report, options, err);

	report_done(&report);
	return rc;
}

static bool knows_user(const struct report *report, uint32_t uid)
{
	for (size_t i = 0; i < report->users.count; i++) {
		if (report->users.items[i].uid == uid)
			return true;
	}
	return false;
}

/* Names of users hold on the machine of the recording only; elsewhere numbers are the truth. */
static void find_users(struct report *report)
{
	const char *recorded_on = report->profile->run.hostname;
	char here[256] = "";

	if (gethostname(here, sizeof(here) - 1) < 0 || !recorded_on ||
	    strcmp(here, recorded_on) != 0)
		return;
	for (size_t i = 1; i < report->profile->processes.count; i++) {
		uint32_t uid = report->profile->processes.items[i].uid;
		const struct passwd *user = knows_user(report, uid) ? NULL : getpwuid(uid);

		if (user)
			*vec_push(&report->users) =
				(struct user_name){ uid, xstrdup(user->pw_name) };
	}
}

static const char *demangle(void *context, const char *name)
{
	return demangler_text(context, name);
}

static int load(struct report *report, const char *path, struct err *err)
{
	int rc = store_open(path, &report->store, err);

	if (rc == 0)
		rc = store_load_profile(report->store, &report->profile, err);
	if (rc == 0)
		rc = store_load_totals(report->store, report->profile, &report->totals, err);
	if (rc < 0)
		return rc;
	labels_init(&report->labels, report->profile);
	report->demangler = demangler_new();
	report->labels.demangle = demangle;
	report->labels.demangle_context = report->demangler;
	find_users(report);
	report->labels.users = report->users.items;
	report->labels.user_count = report->users.count;
	completeness_make(report->profile, report->totals.rows.items, report->totals.rows.count,
			  account_main_event(report->profile), &report->completeness);
	return 0;
}

static void take(struct report *report, const struct point *point)
{
	if (!select_match(report->select, point))
		return;
	report->selected += point->total.samples;
	if (report->table)
		table_add(report->table, point);
	else
		tally_add(&report->tally, &point->total);
}

static int take_sample(void *context, const struct sample *sample)
{
	struct point point = {
		.total = { .task = sample->task,
			   .stack = sample->stack,
			   .event = sample->event,
			   .mode = sample->mode,
			   .context = sample->context,
			   .samples = 1,
			   .weight = sample->weight,
			   .weight_squared = (double)sample->weight * (double)sample->weight },
		.time_ns = sample->time_ns,
		.cpu = sample->cpu,
	};

	take(context, &point);
	return 0;
}

/* Feeds what the keys need: the totals, or every sample. */
static int collect(struct report *report, struct err *err)
{
	int rc;

	if (report->grouped)
		report->table = table_new(&report->labels, &report->keys);
	select_bind(report->select, &report->labels);
	if (keys_need_samples(&report->keys) || select_needs_samples(report->select)) {
		rc = store_each_sample(report->store, report->profile, 0, UINT64_MAX, take_sample,
				       report, err);
		if (rc < 0)
			return rc;
	} else {
		for (size_t i = 0; i < report->totals.rows.count; i++)
			take(report, &(struct point){ .total = report->totals.rows.items[i] });
	}
	if (report->table)
		table_finish(report->table, report->options->threshold, report->options->limit);
	return report->selected ? 0 : select_explain(report->select, err);
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

		*vec_push(&frames) = report->profile->stacks.items[stack].frame;
	}
	instructions_prepare(report->instructions, frames.items, frames.count);
	vec_free(&frames);
}

static int need_instructions(struct report *report, struct err *err)
{
	const struct instructions_options options = { .max_images = report->options->max_images,
						      .vmlinux = report->options->vmlinux };
	int rc;

	if (!report->options->instructions)
		return 0;
	rc = instructions_new(report->profile, &options, &report->instructions, err);
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
	const struct totals *totals = &report->totals;

	return (struct view){
		.labels = &report->labels,
		.account = account_of(report->profile),
		.naming = naming_of(report->profile, totals->rows.items, totals->rows.count,
				    account_main_event(report->profile)),
		.completeness = &report->completeness,
		.summary = summary,
		.selection = report->selection.size ? report->selection.bytes : NULL,
		.selected_samples = report->selected,
		.file = options->file,
		.level = options->level,
		.list_percent = options->list_percent,
		.detail_percent = detail_percent(options),
		.threshold = options->threshold,
		.limit = options->limit,
		.lines = options->lines,
		.columns = options->columns,
		.live = store_is_live(report->store),
		.colour = options->colour,
	};
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
	struct summary summary;
	struct view view;

	summary_make(report->profile, tally->rows.items, tally->rows.count,
		     summary_main_event(report->profile, tally->rows.items, tally->rows.count),
		     &summary);
	view = make_view(report, &summary);
	if (report->instructions)
		view.instructions = &instructions;
	if (report->grouped)
		print_grouped(report, &view, out);
	else
		text_report_print(&view, out);
	summary_done(&summary);
}

int report_print(const char *path, const struct report_options *options, FILE *out, struct err *err)
{
	struct report report = { 0 };
	int rc = parse(&report, options, err);

	if (rc == 0)
		rc = load(&report, path, err);
	if (rc == 0)
		rc = collect(&report, err);
	if (rc == 0)
		rc = need_instructions(&report, err);
	if (rc == 0) {
		print(&report, out);
		errno = 0;
		if (fflush(out) != 0 || ferror(out))
			rc = err_set(err, errno ? -errno : -EIO, "cannot write the report: %s",
				     strerror(errno ? errno : EIO));
	}
	report_done(&report);
	return rc;
}

void report_print_keys(FILE *out)
{
	for (const struct key *key = keys_all(); key->name; key++)
		fprintf(out, "  %-12s %s\n", key->name, key->help);
}
