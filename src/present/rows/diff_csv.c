/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/rows/diff_csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/account/account.h"
#include "present/safe.h"

/* The numbers of a row in CSV and JSON. NaN and infinity mean unknown. */
struct figure {
	const char *name;
	int decimals;
	double (*of)(const struct diff_row *row);
	bool is_measured; /* in the unit of the measure: shares in percent */
};

#define FIGURE(name, value)                                     \
	static double figure_##name(const struct diff_row *row) \
	{                                                       \
		return (value);                                 \
	}
#define FIGURES_OF_MEASURE(name, measure, scale)                                            \
	FIGURE(old_##name, (scale)*row->by[measure].before)                                 \
	FIGURE(new_##name, (scale)*row->by[measure].after)                                  \
	FIGURE(name##_change, (scale) * (row->by[measure].after - row->by[measure].before)) \
	FIGURE(name##_low, (scale)*row->by[measure].difference.low)                         \
	FIGURE(name##_high, (scale)*row->by[measure].difference.high)
#define ROWS_OF_MEASURE(name, decimals)                                       \
	{ "old_" #name, decimals, figure_old_##name, false },                 \
		{ "new_" #name, decimals, figure_new_##name, false },         \
		{ #name "_change", decimals, figure_##name##_change, false }, \
		{ #name "_low", decimals, figure_##name##_low, false },       \
	{                                                                     \
#name "_high", decimals, figure_##name##_high, false          \
	}

FIGURE(q, row->q)
FIGURE(old_samples, (double)row->samples[DIFF_OLD])
FIGURE(new_samples, (double)row->samples[DIFF_NEW])
FIGURES_OF_MEASURE(percent, DIFF_SHARE, 100)
FIGURES_OF_MEASURE(weight, DIFF_TIME, 1)
FIGURE(ratio, row->by[DIFF_TIME].before > 0 ? row->by[DIFF_TIME].after / row->by[DIFF_TIME].before
					    : INFINITY)
FIGURE(ratio_low, row->by[DIFF_TIME].ratio.low)
FIGURE(ratio_high, row->by[DIFF_TIME].ratio.high)
FIGURES_OF_MEASURE(rate, DIFF_RATE, 1)
FIGURE(detectable, row->detectable)

static const struct figure figures[] = {
	{ "q", 6, figure_q, false },
	{ "old_samples", 0, figure_old_samples, false },
	{ "new_samples", 0, figure_new_samples, false },
	ROWS_OF_MEASURE(percent, 4),
	ROWS_OF_MEASURE(weight, 0),
	{ "ratio", 6, figure_ratio, false },
	{ "ratio_low", 6, figure_ratio_low, false },
	{ "ratio_high", 6, figure_ratio_high, false },
	ROWS_OF_MEASURE(rate, 2),
	{ "detectable", 4, figure_detectable, .is_measured = true },
};

enum { FIGURE_COUNT = sizeof(figures) / sizeof(figures[0]) };

static double measured_scale(const struct diff *diff)
{
	return diff->measure == DIFF_SHARE ? 100 : 1;
}

static double value_of(const struct diff_view *view, const struct figure *figure,
		       const struct diff_row *row)
{
	return figure->of(row) * (figure->is_measured ? measured_scale(view->diff) : 1);
}

static const char *event_name(const struct diff_view *view, const struct diff_row *row)
{
	const struct diff *diff = view->diff;

	return strpool_get(&diff->strings, diff->events.items[row->event].name);
}

static void add_csv_row(const struct diff_view *view, const struct diff_row *row, struct buf *line)
{
	struct buf text = { 0 };

	for (size_t key = 0; key < view->diff->keys.count; key++) {
		buf_clear(&text);
		diff_text(view->diff, row, key, &text);
		safe_csv(line, buf_text(&text));
		buf_add_char(line, ',');
	}
	safe_csv(line, event_name(view, row));
	buf_printf(line, ",%s", diff_verdict_name(row->verdict));
	for (size_t i = 0; i < FIGURE_COUNT; i++) {
		double value = value_of(view, &figures[i], row);

		if (isfinite(value))
			buf_printf(line, ",%.*f", figures[i].decimals, value);
		else
			buf_add_char(line, ',');
	}
	buf_add_char(line, '\n');
	buf_done(&text);
}

static void add_json_row(const struct diff_view *view, const struct diff_row *row, struct buf *line)
{
	struct buf text = { 0 };

	buf_add_char(line, '{');
	for (size_t key = 0; key < view->diff->keys.count; key++) {
		buf_clear(&text);
		diff_text(view->diff, row, key, &text);
		safe_json(line, view->diff->keys.items[key]->name);
		buf_add_char(line, ':');
		safe_json(line, buf_text(&text));
		buf_add_char(line, ',');
	}
	buf_add_str(line, "\"event\":");
	safe_json(line, event_name(view, row));
	buf_printf(line, ",\"verdict\":\"%s\"", diff_verdict_name(row->verdict));
	for (size_t i = 0; i < FIGURE_COUNT; i++) {
		double value = value_of(view, &figures[i], row);

		if (isfinite(value))
			buf_printf(line, ",\"%s\":%.*f", figures[i].name, figures[i].decimals,
				   value);
		else
			buf_printf(line, ",\"%s\":null", figures[i].name);
	}
	buf_add_char(line, '}');
	buf_done(&text);
}

/* Prints each shown row, as @add makes it; @before precedes all but the first. */
static void print_rows(const struct diff_view *view, const char *before,
		       void (*add)(const struct diff_view *, const struct diff_row *, struct buf *),
		       FILE *out)
{
	struct buf line = { 0 };
	bool first = true;

	for (size_t event = 0; event < view->diff->events.count; event++) {
		size_t count, hidden;
		_cleanup_free_ const struct diff_row **rows =
			diff_view_rows(view, (uint8_t)event, &count, &hidden);

		for (size_t i = 0; i < count; i++) {
			buf_clear(&line);
			buf_add_str(&line, first ? "" : before);
			add(view, rows[i], &line);
			fwrite(line.bytes, 1, line.size, out);
			first = false;
		}
	}
	buf_done(&line);
}

void diff_csv_print(const struct diff_view *view, FILE *out)
{
	for (size_t key = 0; key < view->diff->keys.count; key++)
		fprintf(out, "%s,", view->diff->keys.items[key]->name);
	fputs("event,verdict", out);
	for (size_t i = 0; i < FIGURE_COUNT; i++)
		fprintf(out, ",%s", figures[i].name);
	fputc('\n', out);
	print_rows(view, "", add_csv_row, out);
}

static void add_source(const struct diff_source *source, struct buf *json)
{
	const struct run_facts *run = &source->profile->run;
	uint8_t event = account_main_event(source->profile);

	buf_printf(json, "{\"side\":\"%s\",\"file\":", source->side == DIFF_OLD ? "old" : "new");
	safe_json(json, source->file);
	buf_add_str(json, ",\"command\":");
	safe_json(json, run->command ? run->command : "");
	buf_printf(json,
		   ",\"samples\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"wall_s\":", source->samples,
		   account_lost_samples(&source->profile->events[event]));
	if (source->wall_ns)
		buf_printf(json, "%.6f", (double)source->wall_ns / 1e9);
	else
		buf_add_str(json, "null");
	if (run->cpus)
		buf_printf(json, ",\"cpus\":%" PRIu64 "}", run->cpus);
	else
		buf_add_str(json, ",\"cpus\":null}");
}

static void add_figure(struct buf *json, const char *name, double value, int decimals)
{
	if (isfinite(value))
		buf_printf(json, ",\"%s\":%.*f", name, decimals, value);
	else
		buf_printf(json, ",\"%s\":null", name);
}

static void add_event(const struct diff *diff, const struct diff_event *event, struct buf *json)
{
	const struct change *change = &event->by[DIFF_TIME];

	buf_add_str(json, "{\"event\":");
	safe_json(json, strpool_get(&diff->strings, event->name));
	buf_add_str(json, ",\"unit\":");
	safe_json(json, strpool_get(&diff->strings, event->unit));
	buf_printf(json, ",\"compared\":%s", event->is_compared ? "true" : "false");
	if (event->is_compared) {
		buf_printf(json,
			   ",\"old_samples\":%" PRIu64 ",\"new_samples\":%" PRIu64
			   ",\"rows\":%zu,\"noise\":%zu,\"too_few_samples\":%zu",
			   event->samples[DIFF_OLD], event->samples[DIFF_NEW], event->rows,
			   event->noise, event->rows - event->tested);
		add_figure(json, "old_weight", change->before, 0);
		add_figure(json, "new_weight", change->after, 0);
		add_figure(json, "weight_low", change->difference.low, 0);
		add_figure(json, "weight_high", change->difference.high, 0);
		add_figure(json, "detectable", measured_scale(diff) * event->detectable, 4);
	}
	buf_add_char(json, '}');
}

static void add_header(const struct diff_view *view, struct buf *json)
{
	const struct diff *diff = view->diff;
	struct buf unlike = { 0 };

	buf_printf(json, "{\"version\":1,\"measure\":\"%s\",\"scope\":\"%s\",\"selection\":",
		   diff_measure_name(diff->measure), view->command_only ? "command" : "all");
	if (view->selection)
		safe_json(json, view->selection);
	else
		buf_add_str(json, "null");
	diff_view_differences(view, &unlike);
	buf_add_str(json, ",\"not_alike\":");
	safe_json(json, buf_text(&unlike));
	buf_add_str(json, ",\n\"runs\":[");
	for (size_t i = 0; i < view->source_count; i++) {
		buf_add_str(json, i ? ",\n" : "");
		add_source(&view->sources[i], json);
	}
	buf_add_str(json, "],\n\"events\":[");
	for (size_t i = 0; i < diff->events.count; i++) {
		buf_add_str(json, i ? ",\n" : "");
		add_event(diff, &diff->events.items[i], json);
	}
	buf_add_str(json, "],\n\"conditions\":");
	diff_answers_add_json(diff, view->answers, view->answer_count, json);
	buf_add_char(json, '}');
	buf_done(&unlike);
}

void diff_json_print(const struct diff_view *view, FILE *out)
{
	struct buf header = { 0 };

	add_header(view, &header);
	fprintf(out, "{\"header\":%s,\n\"rows\":[\n", buf_text(&header));
	print_rows(view, ",\n", add_json_row, out);
	fputs("\n]}\n", out);
	buf_done(&header);
}
