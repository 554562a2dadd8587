/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/diff_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/account/account.h"
#include "base/clock.h"
#include "present/columns.h"
#include "present/figures.h"
#include "present/paragraph.h"
#include "present/safe.h"

enum {
	NAME_CAP = 40,
	FIGURES = 7, /* columns before the keys */
};

static const char no_old[] = "+++", no_new[] = "---";

static void print_source(const struct diff_view *view, const struct diff_source *source, FILE *out)
{
	const struct run_facts *run = &source->profile->run;
	const struct event *event = &source->profile->events[account_main_event(source->profile)];
	struct buf text = { 0 };

	safe_text(&text, source->file);
	if (source->to_ns) {
		buf_add_str(&text, ", ");
		figures_times(&text, source->from_ns, source->to_ns);
	}
	buf_add_str(&text, ": ");
	safe_text_cut(&text, run->command && *run->command ? run->command : "running processes",
		      NAME_CAP);
	if (source->wall_ns) {
		buf_add_str(&text, ", ");
		figures_seconds(&text, source->wall_ns);
	}
	buf_add_str(&text, ", ");
	figures_samples(&text, source->samples);
	buf_add_str(&text, ", lost ");
	figures_count(&text, account_lost_samples(event));
	if (source->complete_percent >= 0)
		buf_printf(&text, ", stacks %.2f %% complete", source->complete_percent);
	if (!run->end_ns)
		buf_add_str(&text, ", unfinished");
	paragraph_print(source->side == DIFF_OLD ? "Old" : "New", buf_text(&text),
			paragraph_width(&view->screen), out);
	buf_done(&text);
}

static void print_scope(const struct diff_view *view, FILE *out)
{
	struct buf text = { 0 };

	buf_add_str(&text, view->command_only
				   ? "the profiled command and its children (--machine: everything)"
				   : "everything recorded");
	if (view->selection) {
		buf_add_str(&text, ", selected by ");
		safe_text(&text, view->selection);
	}
	paragraph_print("Compared", buf_text(&text), paragraph_width(&view->screen), out);
	buf_clear(&text);
	diff_view_differences(view, &text);
	if (text.size) {
		struct buf safe = { 0 };

		safe_text(&safe, buf_text(&text));
		paragraph_print("Differences", buf_text(&safe), paragraph_width(&view->screen),
				out);
		buf_done(&safe);
	}
	buf_done(&text);
}

static void print_method(const struct diff_view *view, FILE *out)
{
	static const char *const measured[DIFF_MEASURES] = { "shares of the samples of each side",
							     "amounts per run",
							     "amounts per second of wall time" };
	const size_t *count = view->diff->run_count;
	struct buf text = { 0 };

	buf_printf(&text, "%s; 95 %% intervals from ", measured[view->diff->measure]);
	if (count[DIFF_OLD] == 1 && count[DIFF_NEW] == 1)
		buf_add_str(&text, "the samples of one run per side, which cannot show how runs "
				   "vary: record several (prospect diff OLD OLD -- NEW NEW)");
	else
		buf_printf(&text, "the variation of %zu and %zu runs, per row and overall",
			   count[DIFF_OLD], count[DIFF_NEW]);
	paragraph_print("Method", buf_text(&text), paragraph_width(&view->screen), out);
	buf_done(&text);
}

static void add_amount(struct buf *text, const struct diff_event *event, double amount)
{
	if (event->is_time)
		buf_printf(text, "%.4f", amount / (double)NS_PER_S);
	else
		buf_printf(text, "%.0f", amount);
}

/* The relative change: "+4.9 %". */
static void add_ratio(struct buf *text, double before, double after)
{
	if (before > 0 && after > 0)
		buf_printf(text, "%+.1f %%", 100 * (after / before - 1));
	else
		buf_add_str(text, after > 0 ? no_old : before > 0 ? no_new : "0");
}

static void print_event(const struct diff_view *view, const struct diff_event *event, FILE *out)
{
	const struct change *change = &event->by[DIFF_TIME];
	struct buf text = { 0 };

	buf_add_str(&text, "Event ");
	safe_text(&text, strpool_get(&view->diff->strings, event->name));
	buf_add_str(&text, ": ");
	figures_count(&text, event->samples[DIFF_OLD]);
	buf_add_str(&text, " and ");
	figures_samples(&text, event->samples[DIFF_NEW]);
	buf_add_str(&text, "; ");
	add_amount(&text, event, change->before);
	buf_add_str(&text, event->is_time ? " s, then " : ", then ");
	add_amount(&text, event, change->after);
	buf_add_str(&text, event->is_time ? " s per run (" : " per run (");
	add_ratio(&text, change->before, change->after);
	buf_printf(&text, ", 95 %% interval %+.1f to %+.1f)", 100 * (change->ratio.low - 1),
		   100 * (change->ratio.high - 1));
	fputc('\n', out);
	paragraph_text(buf_text(&text), &view->screen, out);
	buf_done(&text);
}

/* The factor from a value of the measure to what its column shows. */
static double scale_of(enum diff_measure measure, const struct diff_event *event)
{
	if (measure == DIFF_SHARE)
		return 100;
	return event->is_time ? 1 / (double)NS_PER_S : 1;
}

static int decimals_of(enum diff_measure measure, const struct diff_event *event)
{
	if (measure == DIFF_SHARE)
		return 2;
	return event->is_time ? 4 : 0;
}

/* Less of what is sampled, time or events, is better. What may be noise has no colour. */
static enum tint tint_of(const struct diff_row *row, const struct change *change)
{
	if (row->verdict == DIFF_WITHIN_NOISE)
		return TINT_NONE;
	return change->after < change->before ? TINT_BETTER : TINT_HOT;
}

static void add_change(const struct diff_view *view, const struct diff_event *event,
		       const struct diff_row *row, struct columns *columns)
{
	enum diff_measure measure = view->diff->measure;
	const struct change *change = &row->by[measure];
	double scale = scale_of(measure, event);
	int decimals = decimals_of(measure, event);

	columns_tint(columns, tint_of(row, change));
	columns_printf(columns, "%+.*f", decimals, scale * (change->after - change->before));
	columns_printf(columns, "%+.*f..%+.*f", decimals, scale * change->difference.low, decimals,
		       scale * change->difference.high);
}

static void add_row(const struct diff_view *view, const struct diff_event *event,
		    const struct diff_row *row, struct columns *columns)
{
	enum diff_measure shown = view->diff->measure == DIFF_RATE ? DIFF_RATE : DIFF_TIME;
	const struct change *time = &row->by[shown];

	add_change(view, event, row, columns);
	columns_printf(columns, "%.2f", 100 * row->by[DIFF_SHARE].before);
	columns_printf(columns, "%.2f", 100 * row->by[DIFF_SHARE].after);
	add_amount(columns_cell(columns), event, time->before);
	columns_end_cell(columns);
	add_amount(columns_cell(columns), event, time->after);
	columns_end_cell(columns);
	add_ratio(columns_cell(columns), time->before, time->after);
	columns_end_cell(columns);
	for (size_t key = 0; key < view->diff->keys.count; key++) {
		diff_text(view->diff, row, key, columns_cell(columns));
		columns_end_cell(columns);
	}
}

static struct columns *make_columns(const struct diff_view *view, const struct diff_event *event)
{
	bool rate = view->diff->measure == DIFF_RATE, share = view->diff->measure == DIFF_SHARE;
	struct columns *columns;
	struct column spec[KEYS_MAX + FIGURES] = {
		{ share ? "Points" : "Change", true, 0 },
		{ "95 % within", true, 0 },
		{ "Old %", true, 0 },
		{ "New %", true, 0 },
		{ NULL, true, 0 },
		{ NULL, true, 0 },
		{ event->is_time ? "Time" : "Weight", true, 0 },
	};

	spec[4].title = event->is_time ? (rate ? "Old s/s" : "Old s") : (rate ? "Old 1/s" : "Old");
	spec[5].title = event->is_time ? (rate ? "New s/s" : "New s") : (rate ? "New 1/s" : "New");
	columns = columns_for(&view->screen, spec,
			      FIGURES + columns_of_keys(&view->diff->keys, &spec[FIGURES]));
	/* A narrow screen can do without what is not compared. */
	for (size_t i = share ? 4 : 2; i < (share ? FIGURES : 4); i++)
		columns_spare(columns, i);
	if (rate)
		columns_spare(columns, FIGURES - 1);
	return columns;
}

/* Prints the smallest change that would have been detected. */
static void print_power(const struct diff_view *view, const struct diff_event *event, FILE *out)
{
	enum diff_measure measure = view->diff->measure;
	const char *unit = measure == DIFF_SHARE ? " points" : event->is_time ? " s" : "";
	struct buf text = { 0 };

	if (!isfinite(event->detectable))
		return;
	if (measure == DIFF_SHARE && event->detectable > 1) {
		paragraph_text("Some rows have too few samples, or vary too much, to detect any "
			       "change in them.",
			       &view->screen, out);
		return;
	}
	buf_printf(&text,
		   "A change of %.*f%s%s in any row with enough samples would have been detected "
		   "(19 times in 20).",
		   decimals_of(measure, event), scale_of(measure, event) * event->detectable, unit,
		   measure == DIFF_RATE ? "/s" : "");
	paragraph_text(buf_text(&text), &view->screen, out);
	buf_done(&text);
}

/* Each of some lines, which end with line ends. */
static void print_lines(const struct diff_view *view, const char *text, FILE *out)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		struct buf line = { 0 };

		buf_add(&line, text, length);
		paragraph_text(buf_text(&line), &view->screen, out);
		buf_done(&line);
		text += length + 1;
	}
}

static void print_noise(const struct diff_view *view, const struct diff_event *event, FILE *out)
{
	const char *what = event->noise == 1 ? "row is" : "rows are";
	struct buf alone = { 0 }, text = { 0 };
	size_t count = 0;

	if (event == &view->diff->events.items[view->diff->main_event])
		count = diff_answers_add_alone(view->diff, view->answers, view->answer_count,
					       &alone);
	if (event->noise && event->noise == event->rows)
		buf_add_str(&text, count ? "No row changed beyond noise when all are tested "
					   "together: "
					 : "Nothing changed beyond noise: ");
	if (event->noise)
		buf_printf(&text, "%zu %s within noise%s", event->noise, what,
			   view->all ? "" : " (--all shows them)");
	if (event->rows > event->tested && event->noise)
		buf_printf(&text, ", %zu of them with too few samples to tell",
			   event->rows - event->tested);
	if (event->noise) {
		buf_add_char(&text, '.');
		paragraph_text(buf_text(&text), &view->screen, out);
	}
	print_lines(view, buf_text(&alone), out);
	buf_done(&alone);
	buf_done(&text);
}

static void print_rows(const struct diff_view *view, uint8_t number, FILE *out)
{
	const struct diff_event *event = &view->diff->events.items[number];
	_cleanup_(columns_freep) struct columns *columns = make_columns(view, event);
	size_t count, hidden;
	_cleanup_free_ const struct diff_row **rows = diff_view_rows(view, number, &count, &hidden);

	for (size_t i = 0; i < count; i++) {
		add_row(view, event, rows[i], columns);
		if (i + 1 < count && rows[i]->verdict != DIFF_WITHIN_NOISE &&
		    rows[i + 1]->verdict == DIFF_WITHIN_NOISE)
			columns_rule(columns);
	}
	if (count)
		columns_print(columns, 0, out);
	if (hidden)
		fprintf(out, "Rows not listed (--threshold, --limit): %zu\n", hidden);
	print_noise(view, event, out);
	print_power(view, event, out);
}

static void print_not_compared(const struct diff_view *view, FILE *out)
{
	struct buf text = { 0 };

	for (size_t i = 0; i < view->diff->events.count; i++) {
		const struct diff_event *event = &view->diff->events.items[i];

		if (event->is_compared)
			continue;
		buf_add_str(&text, text.size ? ", " : "");
		safe_text(&text, strpool_get(&view->diff->strings, event->name));
	}
	if (text.size) {
		buf_add_str(&text, " (not in every profile)");
		paragraph_print("Omitted", buf_text(&text), paragraph_width(&view->screen), out);
	}
	buf_done(&text);
}

void diff_text_print(const struct diff_view *view, FILE *out)
{
	for (size_t i = 0; i < view->source_count; i++)
		print_source(view, &view->sources[i], out);
	print_scope(view, out);
	print_not_compared(view, out);
	print_method(view, out);
	for (size_t i = 0; i < view->diff->events.count; i++) {
		if (!view->diff->events.items[i].is_compared)
			continue;
		print_event(view, &view->diff->events.items[i], out);
		print_rows(view, (uint8_t)i, out);
	}
	diff_answers_print(view, out);
}
