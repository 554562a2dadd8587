/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/diff_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/account/account.h"
#include "base/json_add.h"
#include "present/fields.h"

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

static void print_row(const struct diff_view *view, const struct diff_row *row,
		      struct fields *fields)
{
	const struct key_list *keys = &view->diff->keys;

	for (size_t key = 0; key < keys->count; key++) {
		buf_clear(&fields->text);
		diff_text(view->diff, row, key, &fields->text);
		fields_text(fields, keys->items[key]->name, buf_text(&fields->text));
	}
	fields_text(fields, "event", event_name(view, row));
	fields_text(fields, "verdict", diff_verdict_name(row->verdict));
	for (size_t i = 0; i < FIGURE_COUNT; i++) {
		double value = value_of(view, &figures[i], row);

		if (isfinite(value))
			buf_printf(fields_raw(fields, figures[i].name), "%.*f", figures[i].decimals,
				   value);
		else
			fields_nothing(fields, figures[i].name);
	}
	fields_end_row(fields);
}

/* Returns the number of rows. */
static size_t print_rows(const struct diff_view *view, bool json, FILE *out)
{
	struct fields fields = { .json = json, .out = out };
	size_t printed = 0;

	for (size_t event = 0; event < view->diff->events.count; event++) {
		size_t count, hidden;
		_cleanup_free_ const struct diff_row **rows =
			diff_view_rows(view, (uint8_t)event, &count, &hidden);

		for (size_t i = 0; i < count; i++)
			print_row(view, rows[i], &fields);
		printed += count;
	}
	fields_done(&fields);
	return printed;
}

void diff_rows_csv(const struct diff_view *view, FILE *out)
{
	for (size_t key = 0; key < view->diff->keys.count; key++)
		fprintf(out, "%s,", view->diff->keys.items[key]->name);
	fputs("event,verdict", out);
	for (size_t i = 0; i < FIGURE_COUNT; i++)
		fprintf(out, ",%s", figures[i].name);
	fputc('\n', out);
	print_rows(view, false, out);
}

static void add_source(const struct diff_source *source, struct buf *json)
{
	const struct run_facts *run = &source->profile->run;
	uint8_t event = account_main_event(source->profile);

	json_add_begin(json, NULL, '{');
	json_add_text(json, "side", source->side == DIFF_OLD ? "old" : "new");
	json_add_text(json, "file", source->file);
	json_add_text(json, "command", run->command ? run->command : "");
	json_add_number_or_null(json, "from_ns", source->from_ns);
	json_add_number_or_null(json, "to_ns", source->to_ns);
	json_add_number(json, "samples", source->samples);
	json_add_number(json, "lost", account_lost_samples(&source->profile->events[event]));
	json_add_fixed(json, "wall_s", source->wall_ns ? (double)source->wall_ns / 1e9 : NAN, 6);
	json_add_number_or_null(json, "cpus", run->cpus);
	json_add_end(json, '}');
}

static void add_event(const struct diff *diff, const struct diff_event *event, struct buf *json)
{
	const struct change *change = &event->by[DIFF_TIME];

	json_add_begin(json, NULL, '{');
	json_add_text(json, "event", strpool_get(&diff->strings, event->name));
	json_add_text(json, "unit", strpool_get(&diff->strings, event->unit));
	json_add_bool(json, "compared", event->is_compared);
	if (event->is_compared) {
		json_add_number(json, "old_samples", event->samples[DIFF_OLD]);
		json_add_number(json, "new_samples", event->samples[DIFF_NEW]);
		json_add_number(json, "rows", event->rows);
		json_add_number(json, "noise", event->noise);
		json_add_number(json, "too_few_samples", event->rows - event->tested);
		json_add_fixed(json, "old_weight", change->before, 0);
		json_add_fixed(json, "new_weight", change->after, 0);
		json_add_fixed(json, "weight_low", change->difference.low, 0);
		json_add_fixed(json, "weight_high", change->difference.high, 0);
		json_add_fixed(json, "detectable", measured_scale(diff) * event->detectable, 4);
	}
	json_add_end(json, '}');
}

static void add_header(const struct diff_view *view, struct buf *json)
{
	const struct diff *diff = view->diff;
	struct buf unlike = { 0 };

	json_add_begin(json, NULL, '{');
	json_add_number(json, "version", 1);
	json_add_text(json, "measure", diff_measure_name(diff->measure));
	json_add_text(json, "scope", view->command_only ? "command" : "all");
	json_add_text_or_null(json, "selection", view->selection);
	diff_view_differences(view, &unlike);
	json_add_text(json, "not_alike", buf_text(&unlike));
	json_add_line(json);
	json_add_begin(json, "runs", '[');
	for (size_t i = 0; i < view->source_count; i++) {
		if (i)
			json_add_line(json);
		add_source(&view->sources[i], json);
	}
	json_add_end(json, ']');
	json_add_line(json);
	json_add_begin(json, "events", '[');
	for (size_t i = 0; i < diff->events.count; i++) {
		if (i)
			json_add_line(json);
		add_event(diff, &diff->events.items[i], json);
	}
	json_add_end(json, ']');
	json_add_line(json);
	json_add_name(json, "conditions");
	diff_answers_add_json(diff, view->answers, view->answer_count, json);
	json_add_end(json, '}');
	buf_done(&unlike);
}

void diff_rows_json(const struct diff_view *view, FILE *out)
{
	struct buf header = { 0 };

	add_header(view, &header);
	fprintf(out, "{\"header\":%s,\n\"rows\":[", buf_text(&header));
	if (!print_rows(view, true, out))
		fputc('\n', out);
	fputs("\n]}\n", out);
	buf_done(&header);
}
