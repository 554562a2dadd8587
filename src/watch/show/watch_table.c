/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/compare.h"
#include "base/xalloc.h"
#include "present/figures.h"
#include "present/safe.h"
#include "watch/show/watch_parts.h"

enum {
	LABEL_MOST = 60, /* characters of a function name if there is room, else: */
	LABEL_LEAST = 16,
	KEY_MOST = 24,
	CELL_LEAST = 8,
	ROWS_IN_ORDER = 60, /* sort by entries if there are more */
	TOLD_REFUSALS = 8,
};

/* A table during layout. */
struct layout {
	struct watch_show *show;
	struct watch_lines lines;
	size_t *order; /* of lines */
	size_t count;
	bool totals;
	double seconds;
	size_t label_width, key_width;
	size_t widths[METRIC_SET_MAX];
};

static double cell_value(const struct layout *layout, size_t line, size_t column)
{
	const struct watch_show *show = layout->show;
	const struct metric_set *set = show->options.metrics;

	return watch_line_value(&show->setting, set, set->metrics[column],
				&layout->lines.list.items[line], layout->seconds);
}

static void add_cell(const struct layout *layout, size_t line, size_t column, struct buf *text)
{
	const struct watch_show *show = layout->show;
	const struct metric *metric = show->options.metrics->metrics[column];

	if (watch_line_is_unknown(&show->setting, metric, &layout->lines.list.items[line]))
		buf_add_str(text, "unknown");
	else
		watch_value_text(text, metric, cell_value(layout, line, column), layout->totals);
}

/* ---- which rows ---- */

static int by_entries(const void *a, const void *b, void *context)
{
	const struct layout *layout = context;
	const size_t *left = a, *right = b;
	uint64_t one = layout->lines.list.items[*left].counts.entries,
		 other = layout->lines.list.items[*right].counts.entries;

	return COMPARE(other, one) ?: COMPARE(*left, *right);
}

static void choose_rows(struct layout *layout, size_t most)
{
	size_t count = layout->lines.list.count;

	layout->order = xcalloc(count ? count : 1, sizeof(*layout->order));
	for (size_t i = 0; i < count; i++)
		layout->order[i] = i;
	layout->count = count;
	if (count > ROWS_IN_ORDER || (most && count > most))
		qsort_r(layout->order, layout->count, sizeof(*layout->order), by_entries, layout);
	if (most && layout->count > most)
		layout->count = most;
	else if (!most && layout->count > ROWS_IN_ORDER) {
		/* totals of many functions only count those without entries */
		while (layout->count &&
		       !layout->lines.list.items[layout->order[layout->count - 1]].counts.entries)
			layout->count--;
	}
}

/* ---- how wide ---- */

static void widen(size_t *width, size_t wanted)
{
	if (wanted > *width)
		*width = wanted;
}

/* Widens for the text after safe_text. */
static void widen_for(size_t *width, const char *raw)
{
	struct buf text = { 0 };

	safe_text(&text, raw);
	widen(width, safe_width(buf_text(&text)));
	buf_done(&text);
}

static void measure(struct layout *layout)
{
	const struct watch_show *show = layout->show;
	const struct metric_set *set = show->options.metrics;
	struct buf cell = { 0 };

	for (size_t column = 0; column < set->count; column++) {
		widen(&layout->widths[column], CELL_LEAST);
		widen(&layout->widths[column], strlen(set->metrics[column]->name));
	}
	widen(&layout->label_width, strlen("function"));
	layout->key_width = strlen(watch_line_key_title(show->setting.key));
	for (size_t i = 0; i < layout->count; i++) {
		const struct watch_line *line = &layout->lines.list.items[layout->order[i]];

		widen_for(&layout->label_width, show->setting.targets[line->target].label);
		buf_clear(&cell);
		watch_line_key(&show->setting, line, &cell);
		widen_for(&layout->key_width, buf_text(&cell));
		for (size_t column = 0; column < set->count; column++) {
			buf_clear(&cell);
			add_cell(layout, layout->order[i], column, &cell);
			widen(&layout->widths[column], cell.size);
		}
	}
	buf_done(&cell);
}

/* The function column shrinks to make room for the numbers. */
static void fit(struct layout *layout)
{
	size_t columns = layout->show->options.columns, others = 0;
	size_t most = LABEL_MOST;

	if (layout->key_width > KEY_MOST)
		layout->key_width = KEY_MOST;
	for (size_t i = 0; i < layout->show->options.metrics->count; i++)
		others += layout->widths[i] + 2;
	others += layout->key_width ? layout->key_width + 2 : 0;
	if (columns)
		most = columns > others + LABEL_LEAST ? columns - others : LABEL_LEAST;
	if (layout->label_width > most)
		layout->label_width = most;
}

/* ---- text ---- */

static void add_padded(struct buf *text, const char *word, size_t width, bool right)
{
	size_t used = safe_width(word), spaces = width > used ? width - used : 0;

	if (right)
		buf_printf(text, "%*s", (int)spaces, "");
	buf_add_str(text, word);
	if (!right)
		buf_printf(text, "%*s", (int)spaces, "");
}

static void add_words(struct buf *text, const char *word, size_t width)
{
	struct buf cut = { 0 };

	safe_text_cut(&cut, word, width);
	add_padded(text, buf_text(&cut), width, false);
	buf_done(&cut);
}

/* Ends a line without trailing blanks. */
static void end_line(struct buf *text)
{
	while (text->size && text->bytes[text->size - 1] == ' ')
		text->size--;
	buf_add_char(text, '\n');
}

static void add_titles(const struct layout *layout, struct buf *text)
{
	const struct watch_show *show = layout->show;
	const struct metric_set *set = show->options.metrics;

	buf_add_str(text, show->options.colour ? "\033[1m" : "");
	add_padded(text, "function", layout->label_width, false);
	if (layout->key_width) {
		buf_add_str(text, "  ");
		add_padded(text, watch_line_key_title(show->setting.key), layout->key_width, false);
	}
	for (size_t i = 0; i < set->count; i++) {
		buf_add_str(text, "  ");
		add_padded(text, set->metrics[i]->name, layout->widths[i], true);
	}
	buf_add_str(text, show->options.colour ? "\033[0m\n" : "\n");
	buf_printf(text, "%*s",
		   (int)(layout->label_width + (layout->key_width ? layout->key_width + 2 : 0)),
		   "");
	for (size_t i = 0; i < set->count; i++) {
		buf_add_str(text, "  ");
		add_padded(text,
			   layout->totals ? set->metrics[i]->total_unit : set->metrics[i]->unit,
			   layout->widths[i], true);
	}
	end_line(text);
}

static void add_row(const struct layout *layout, size_t index, struct buf *text)
{
	const struct watch_show *show = layout->show;
	const struct watch_line *line = &layout->lines.list.items[index];
	struct buf cell = { 0 };

	add_words(text, show->setting.targets[line->target].label, layout->label_width);
	if (layout->key_width) {
		watch_line_key(&show->setting, line, &cell);
		buf_add_str(text, "  ");
		add_words(text, buf_text(&cell), layout->key_width);
	}
	for (size_t i = 0; i < show->options.metrics->count; i++) {
		buf_clear(&cell);
		add_cell(layout, index, i, &cell);
		buf_add_str(text, "  ");
		add_padded(text, buf_text(&cell), layout->widths[i], true);
	}
	end_line(text);
	buf_done(&cell);
}

static void add_rest(const struct layout *layout, struct buf *text)
{
	size_t left = layout->lines.list.count - layout->count;

	if (!left)
		return;
	buf_add_str(text, "and ");
	figures_count(text, left);
	buf_add_str(text, left == 1 ? " more row" : " more rows");
	buf_add_str(text, layout->totals ? ", of functions without entries\n" : "\n");
}

void watch_table_add(struct watch_show *show, const struct watch_tick *tick, bool totals,
		     size_t most)
{
	struct layout layout = { .show = show, .totals = totals };

	if (!totals)
		layout.seconds = (double)(tick->to_ns - tick->from_ns) / (double)NS_PER_S;
	watch_lines_make(&show->setting, tick, &layout.lines);
	choose_rows(&layout, most);
	measure(&layout);
	fit(&layout);
	add_titles(&layout, &show->text);
	for (size_t i = 0; i < layout.count; i++)
		add_row(&layout, layout.order[i], &show->text);
	add_rest(&layout, &show->text);
	free(layout.order);
	watch_lines_done(&layout.lines);
}

void watch_table_add_head(struct watch_show *show, const struct watch_tick *tick)
{
	double seconds = (double)(tick->to_ns - tick->from_ns) / (double)NS_PER_S;
	uint64_t took = tick->cost.program_ns + tick->cost.trap_ns;

	buf_printf(&show->text, "%.1f s",
		   (double)(tick->to_ns - tick->began_ns) / (double)NS_PER_S);
	buf_printf(&show->text, ", the last %.2f s", seconds);
	if (seconds > 0) {
		buf_add_str(&show->text, ", cost ");
		watch_percent_text(&show->text, 100 * (double)took / (double)NS_PER_S / seconds);
		buf_add_str(&show->text, " % of a CPU");
	}
	if (show->setting.attached < show->setting.target_count)
		buf_printf(&show->text, ", %zu of %zu attached", show->setting.attached,
			   show->setting.target_count);
	buf_add_char(&show->text, '\n');
}

void watch_table_add_refusals(const struct watch_show *show, struct buf *text)
{
	const struct watch_setting *setting = &show->setting;
	size_t told = 0;

	for (size_t i = 0; i < setting->target_count; i++) {
		const struct probe_outcome *outcome = &setting->outcomes[i];

		if (outcome->mechanism != PROBE_NONE && !outcome->exits_missing)
			continue;
		if (told++ >= TOLD_REFUSALS)
			continue;
		safe_text(text, setting->targets[i].label);
		buf_add_str(text,
			    outcome->exits_missing ? ": entries only: " : ": cannot be watched: ");
		safe_text(text, outcome->why);
		buf_add_char(text, '\n');
	}
	if (told > TOLD_REFUSALS)
		buf_printf(text, "and %zu more\n", told - TOLD_REFUSALS);
}
