/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/count.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/json_add.h"
#include "base/xalloc.h"
#include "count/counters.h"
#include "perf/cpu_list.h"
#include "perf/event_names.h"
#include "perf/event_sources.h"
#include "present/columns.h"
#include "present/safe.h"

enum { TRY_MS = 20, NAME_CAP = 34, TEXT_CAP = 30 };

int event_listing_check_format(const char *format, struct err *err)
{
	if (strcmp(format, "text") == 0 || strcmp(format, "csv") == 0 ||
	    strcmp(format, "json") == 0)
		return 0;
	return err_set(err, -EINVAL, "invalid --format '%s': expected text, csv or json", format);
}

/* ---- rows: name, kind (or state, if tried), code, text ---- */

struct rows_form {
	const char *format; /* "text", "csv", "json"; borrowed until the end */
	bool bare_names;    /* only names */
	bool tried;	    /* kinds are states */
	struct screen screen;
};

struct rows {
	struct rows_form form;
	FILE *out;
	size_t count;
	struct columns *columns; /* text */
	struct buf json;	 /* an array; empty: another form */
};

static struct rows *rows_new(const struct rows_form *form, FILE *out)
{
	const struct column titles[] = {
		{ "event", false, NAME_CAP },
		{ form->tried ? "state" : "kind", false, 0 },
		{ "type", true, 0 },
		{ "config", true, 0 },
		{ "description", false, TEXT_CAP },
	};
	struct rows *rows = xcalloc(1, sizeof(*rows));

	rows->form = *form;
	rows->out = out;
	if (form->bare_names)
		return rows;
	if (form->format[0] == 't')
		rows->columns =
			columns_for(&form->screen, titles, sizeof(titles) / sizeof(titles[0]));
	else if (form->format[0] == 'j')
		json_add_begin(&rows->json, NULL, '[');
	else
		fprintf(out, "event,%s,type,config,text,masks\n", form->tried ? "state" : "kind");
	return rows;
}

static void add_text(struct rows *rows, const struct event_entry *row)
{
	struct buf text = { 0 };

	columns_add(rows->columns, row->name);
	columns_add(rows->columns, row->kind);
	columns_printf(rows->columns, row->coded ? "%" PRIu32 : "", row->type);
	columns_printf(rows->columns, row->coded ? "%#" PRIx64 : "", row->config);
	columns_add(rows->columns, row->text);
	if (row->masks[0]) {
		buf_add_str(&text, "    :");
		safe_text(&text, row->masks);
		columns_line(rows->columns, buf_text(&text));
	}
	buf_done(&text);
}

static void print_csv(const struct rows *rows, const struct event_entry *row)
{
	struct buf line = { 0 };

	safe_csv(&line, row->name);
	buf_add_char(&line, ',');
	safe_csv(&line, row->kind);
	if (row->coded)
		buf_printf(&line, ",%" PRIu32 ",%#" PRIx64 ",", row->type, row->config);
	else
		buf_add_str(&line, ",,,");
	safe_csv(&line, row->text);
	buf_add_char(&line, ',');
	safe_csv(&line, row->masks);
	fprintf(rows->out, "%s\n", buf_text(&line));
	buf_done(&line);
}

static void add_json(struct rows *rows, const struct event_entry *row)
{
	struct buf *json = &rows->json;
	char config[32];

	json_add_begin(json, NULL, '{');
	json_add_text(json, "event", row->name);
	json_add_text(json, rows->form.tried ? "state" : "kind", row->kind);
	snprintf(config, sizeof(config), "%#" PRIx64, row->config);
	if (row->coded)
		json_add_number(json, "type", row->type);
	else
		json_add_null(json, "type");
	json_add_text_or_null(json, "config", row->coded ? config : NULL);
	json_add_text(json, "text", row->text);
	json_add_text(json, "masks", row->masks);
	json_add_end(json, '}');
}

/* Text is printed at the end, when the widths are known; other formats at once. */
static void rows_add(struct rows *rows, const struct event_entry *row)
{
	struct buf name = { 0 };

	rows->count++;
	if (rows->form.bare_names) {
		safe_text(&name, row->name);
		fprintf(rows->out, "%s\n", buf_text(&name));
		buf_done(&name);
	} else if (rows->columns) {
		add_text(rows, row);
	} else if (rows->json.size) {
		add_json(rows, row);
	} else {
		print_csv(rows, row);
	}
}

/* Prints the rest, and frees. */
static void rows_finish(struct rows *rows)
{
	if (rows->columns && rows->count)
		columns_print(rows->columns, 0, rows->out);
	if (rows->json.size) {
		json_add_end(&rows->json, ']');
		json_add_print(&rows->json, 1, rows->out);
	}
	columns_free(rows->columns);
	free(rows);
}

/* ---- listing ---- */

struct listing {
	const struct event_listing_options *options;
	struct rows *rows;
};

static bool contains(const char *text, const char *part)
{
	return strcasestr(text, part) != NULL;
}

static bool matches(const char *pattern, const struct event_entry *entry)
{
	if (!pattern)
		return true;
	if (strpbrk(pattern, "*?["))
		return fnmatch(pattern, entry->name, FNM_CASEFOLD) == 0;
	return contains(entry->name, pattern) || contains(entry->kind, pattern) ||
	       contains(entry->text, pattern);
}

static void take(void *context, const struct event_entry *entry)
{
	const struct listing *listing = context;

	if (matches(listing->options->pattern, entry))
		rows_add(listing->rows, entry);
}

size_t event_listing_print(const struct event_listing_options *options, FILE *out,
			   struct event_listing_notes *ret_notes)
{
	struct rows_form form = { .format = options->format,
				  .bare_names = options->bare_names,
				  .screen = options->screen };
	struct listing listing = { options, rows_new(&form, out) };
	size_t count;

	*ret_notes = (struct event_listing_notes){ 0 };
	if (options->all_processors)
		event_library_each(true, take, &listing);
	else
		event_names_each(take, &listing, &ret_notes->no_tracepoints,
				 &ret_notes->no_library);
	count = listing.rows->count;
	rows_finish(listing.rows);
	return count;
}

/* ---- trying ---- */

/* Uses a moment of CPU time, so the events have something to count. */
static void spin(void)
{
	uint64_t end = clock_read(CLOCK_THREAD_CPUTIME_ID) + TRY_MS * NS_PER_MS;

	while (clock_read(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static struct count_value read_all(const struct counters *counters, size_t event)
{
	struct count_value sum = { 0 };

	for (size_t i = 0; i < counters_targets(counters); i++) {
		struct count_value value = counters_read(counters, i, event);

		counts_add_value(&sum, &value);
	}
	return sum;
}

static bool print_tried(const struct counters *counters, const struct event_spec *specs,
			size_t count, struct rows *rows)
{
	bool all_good = true;

	for (size_t i = 0; i < count; i++) {
		const struct count_event *event = counters_event(counters, i);
		struct count_value value = read_all(counters, i);
		enum count_state state = counts_value_state(event, &value);
		char share[64] = "";
		struct event_entry row = { .name = event->name,
					   .kind = counts_state_word(state),
					   .text = event->why,
					   .masks = "",
					   .type = specs[i].type,
					   .config = specs[i].config,
					   .coded = true };

		if (state == COUNT_GOOD)
			row.kind = "can be counted";
		if (state == COUNT_GOOD && counts_percent_counted(&value) < 99) {
			snprintf(share, sizeof(share), "takes turns: %.0f%% of the time",
				 counts_percent_counted(&value));
			row.text = share;
		}
		all_good &= state == COUNT_GOOD;
		rows_add(rows, &row);
	}
	return all_good;
}

static bool any_whole_cpus(const struct event_spec *specs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (specs[i].whole_cpus)
			return true;
	}
	return false;
}

int event_listing_check(const char *const *lists, size_t count,
			const struct event_listing_options *listing, FILE *out, bool *ret_all_good,
			struct err *err)
{
	const struct rows_form form = { .format = listing->format,
					.tried = true,
					.screen = listing->screen };
	struct event_spec specs[COUNTS_MAX_EVENTS];
	unsigned groups[COUNTS_MAX_EVENTS];
	const pid_t self = 0;
	struct counters_options options = { .specs = specs,
					    .groups = groups,
					    .tids = &self,
					    .tid_count = 1,
					    .may_restrict = true };
	_cleanup_(counters_freep) struct counters *counters = NULL;
	_cleanup_free_ int *cpus = NULL;
	struct rows *rows;
	int rc = event_names_parse_groups(lists, count, specs, groups, COUNTS_MAX_EVENTS,
					  &options.count, err);

	if (rc == 0 && any_whole_cpus(specs, options.count)) {
		rc = cpu_list_online(&cpus, &options.cpu_count, err);
		options.cpus = cpus;
		options.tids = NULL;
	}
	if (rc == 0)
		rc = counters_open(&options, &counters, err);
	if (rc < 0)
		return rc;
	counters_enable(counters);
	spin();
	counters_disable(counters);
	rows = rows_new(&form, out);
	*ret_all_good = print_tried(counters, specs, options.count, rows);
	rows_finish(rows);
	return 0;
}
