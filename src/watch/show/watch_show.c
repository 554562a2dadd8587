/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/watch.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "watch/show/watch_parts.h"

enum {
	HEAD_LINES = 4,	    /* above a table: interval, titles, units; one for the prompt */
	PLAIN_COLUMNS = 80, /* of curves without a terminal */
	PLAIN_LINES = 20,
	MOST_CHARTS = 4,
	LEAST_CHART_LINES = 8,
	PLAIN_ROWS = 40, /* of an interval without a terminal */
};

struct watch_show *watch_show_new(const struct watch_show_options *options)
{
	struct watch_show *show = xcalloc(1, sizeof(*show));

	show->options = *options;
	if (options->plot && options->form == WATCH_FORM_TEXT)
		show->plot = watch_plot_new();
	return show;
}

void watch_show_free(struct watch_show *show)
{
	if (!show)
		return;
	watch_plot_free(show->plot);
	buf_done(&show->text);
	free(show);
}

static bool is_screen(const struct watch_show *show)
{
	return show->options.lines && show->options.columns &&
	       show->options.form == WATCH_FORM_TEXT;
}

/* Writes out and flushes: a reader may be waiting. */
static int write_out(struct watch_show *show)
{
	fwrite(buf_text(&show->text), 1, show->text.size, show->options.out);
	buf_clear(&show->text);
	return file_flush(show->options.out);
}

static void write_notes(const struct watch_show *show, const struct buf *text)
{
	if (show->options.notes)
		fputs(buf_text(text), show->options.notes);
}

static int begin(void *context, const struct watch_setting *setting)
{
	struct watch_show *show = context;
	struct buf notes = { 0 };

	show->setting = *setting;
	switch (show->options.form) {
	case WATCH_FORM_CSV:
		watch_stream_add_csv_head(show);
		watch_table_add_refusals(show, &notes);
		break;
	case WATCH_FORM_JSON:
		watch_stream_add_json_begin(show);
		break;
	case WATCH_FORM_TEXT:
		watch_table_add_refusals(show, &show->text);
		break;
	}
	write_notes(show, &notes);
	buf_done(&notes);
	return write_out(show);
}

/* ---- curves ---- */

static void take_points(struct watch_show *show, const struct watch_tick *tick)
{
	const struct metric_set *set = show->options.metrics;
	double seconds = (double)(tick->to_ns - tick->from_ns) / (double)NS_PER_S;
	struct watch_lines lines;
	struct buf name = { 0 };

	watch_plot_step(show->plot, (double)(tick->to_ns - tick->began_ns) / (double)NS_PER_S);
	watch_lines_make(&show->setting, tick, &lines);
	for (size_t i = 0; i < lines.list.count; i++) {
		const struct watch_line *line = &lines.list.items[i];

		for (size_t chart = 0; chart < set->count && chart < MOST_CHARTS; chart++) {
			buf_clear(&name);
			buf_printf(&name, "%s<%s", set->metrics[chart]->name,
				   show->setting.targets[line->target].label);
			if (show->setting.key != PROBE_BY_SUM) {
				buf_printf(&name, "/%s ",
					   line->row ? watch_line_key_title(show->setting.key)
						     : "");
				watch_line_key(&show->setting, line, &name);
			}
			buf_add_char(&name, '>');
			watch_plot_set(show->plot, chart, line->known, buf_text(&name),
				       watch_line_value(&show->setting, set, set->metrics[chart],
							line, seconds));
		}
	}
	buf_done(&name);
	watch_lines_done(&lines);
}

static void add_axis_value(void *context, double value, struct buf *text)
{
	watch_value_text(text, context, value, false);
}

static void add_charts(struct watch_show *show, size_t columns, size_t lines)
{
	const struct metric_set *set = show->options.metrics;
	size_t charts = set->count < MOST_CHARTS ? set->count : MOST_CHARTS;

	while (charts > 1 && lines / charts < LEAST_CHART_LINES)
		charts--;
	for (size_t i = 0; i < charts; i++) {
		struct buf title = { 0 };
		struct watch_plot_look look = { .columns = columns,
						.lines = lines / charts,
						.colour = show->options.colour,
						.ascii = show->options.ascii,
						.value = add_axis_value };

		buf_printf(&title, "%s (%s)", set->metrics[i]->name, set->metrics[i]->unit);
		look.title = buf_text(&title);
		look.context = (void *)(uintptr_t)set->metrics[i];
		watch_plot_draw(show->plot, i, &look, &show->text);
		buf_done(&title);
	}
}

/* ---- a tick ---- */

/* Lets each line of text overwrite one of the screen. */
static void draw_over(struct watch_show *show)
{
	struct buf lines = { 0 };

	buf_add_str(&lines, show->ticks == 1 ? "\033[2J\033[H" : "\033[H");
	for (size_t i = 0; i < show->text.size; i++) {
		if (show->text.bytes[i] == '\n')
			buf_add_str(&lines, "\033[K");
		buf_add_char(&lines, show->text.bytes[i]);
	}
	buf_add_str(&lines, "\033[J");
	buf_done(&show->text);
	show->text = lines;
}

static void add_text_tick(struct watch_show *show, const struct watch_tick *tick)
{
	const struct watch_show_options *options = &show->options;
	size_t most = PLAIN_ROWS;

	if (is_screen(show))
		most = options->lines > HEAD_LINES + 2 ? options->lines - HEAD_LINES - 1 : 1;
	if (show->plot && !is_screen(show))
		return; /* curves are drawn at the end */
	if (show->ticks == 1 && tick->end != WATCH_GOES_ON)
		return; /* the totals would repeat it */
	show->drawn = true;
	watch_table_add_head(show, tick);
	if (show->plot)
		add_charts(show, options->columns,
			   options->lines > HEAD_LINES ? options->lines - HEAD_LINES + 2 : 0);
	else
		watch_table_add(show, tick, false, most);
	if (is_screen(show))
		draw_over(show);
	else
		buf_add_char(&show->text, '\n');
}

static int tick(void *context, const struct watch_tick *tick_made)
{
	struct watch_show *show = context;

	show->ticks++;
	if (show->plot)
		take_points(show, tick_made);
	switch (show->options.form) {
	case WATCH_FORM_CSV:
		watch_stream_add_csv(show, tick_made, false);
		break;
	case WATCH_FORM_JSON:
		watch_stream_add_json(show, tick_made, false);
		break;
	case WATCH_FORM_TEXT:
		add_text_tick(show, tick_made);
		break;
	}
	return write_out(show);
}

/* ---- the end ---- */

static void add_text_end(struct watch_show *show, const struct watch_totals *totals)
{
	if (show->plot && !is_screen(show) && show->ticks > 1) {
		add_charts(show, PLAIN_COLUMNS,
			   PLAIN_LINES * (show->options.metrics->count < MOST_CHARTS
						  ? show->options.metrics->count
						  : MOST_CHARTS));
		buf_add_char(&show->text, '\n');
	}
	if (show->drawn && is_screen(show))
		buf_add_char(&show->text, '\n');
	buf_add_str(&show->text, show->drawn ? "totals\n" : "");
	watch_table_add(show, &totals->all, true, 0);
	watch_histogram_add(show, totals);
	buf_add_char(&show->text, '\n');
	watch_account_add(show, totals, &show->text);
}

static int end(void *context, const struct watch_totals *totals)
{
	struct watch_show *show = context;
	struct buf notes = { 0 };

	switch (show->options.form) {
	case WATCH_FORM_CSV:
		watch_stream_add_csv(show, &totals->all, true);
		watch_account_add(show, totals, &notes);
		break;
	case WATCH_FORM_JSON:
		watch_stream_add_json(show, &totals->all, true);
		watch_stream_add_json_end(show, totals);
		break;
	case WATCH_FORM_TEXT:
		add_text_end(show, totals);
		break;
	}
	write_notes(show, &notes);
	buf_done(&notes);
	return write_out(show);
}

struct watch_view watch_show_view(struct watch_show *show)
{
	return (struct watch_view){ .context = show, .begin = begin, .tick = tick, .end = end };
}
