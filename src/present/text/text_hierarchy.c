/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/text/text_hierarchy.h"

#include <inttypes.h>

#include "aggregate/account/account.h"
#include "present/columns.h"
#include "present/event_line.h"
#include "present/figures.h"
#include "present/text/trust.h"

enum { INDENT = 2 }; /* of each level */

static struct columns *make_columns(const char *title, bool is_time)
{
	const struct column spec[] = {
		{ "%", true, 0 },    { "95 % within", true, 0 },
		{ "Hits", true, 0 }, { is_time ? "Time" : "Weight", true, 0 },
		{ title, false, 0 },
	};

	return columns_new(spec, sizeof(spec) / sizeof(spec[0]));
}

/* The keys of the levels, outermost first. */
static void add_title(const struct hierarchy *hierarchy, struct buf *title)
{
	const struct key_list *keys = &hierarchy->levels[hierarchy->count - 1]->keys;

	for (size_t i = 0; i < keys->count; i++)
		buf_printf(title, "%s%s", i ? ", " : "", keys->items[i]->name);
}

/* The name of the row; a number follows the name of its key. */
static void add_name(const struct table *table, const struct hierarchy_row *at, struct buf *text)
{
	const struct key *key = table->keys.items[at->level];
	size_t empty;

	buf_printf(text, "%*s", (int)(INDENT * at->level), "");
	if (key->kind == KEY_NUMBER)
		buf_printf(text, "%s ", key->name);
	empty = text->size;
	table_text(table, at->row, at->level, text);
	if (text->size == empty)
		buf_add_char(text, '-');
}

static void add_row(const struct table *table, const struct hierarchy_row *at, bool is_time,
		    struct columns *columns)
{
	struct interval interval = table_interval(table, at->row);
	struct buf text = { 0 };

	columns_printf(columns, "%.2f", table_percent(table, at->row));
	columns_printf(columns, "%.2f-%.2f", 100 * interval.low, 100 * interval.high);
	columns_printf(columns, "%" PRIu64, at->row->samples);
	figures_weight(&text, at->row->weight, is_time);
	columns_add(columns, buf_text(&text));
	buf_clear(&text);
	add_name(table, at, &text);
	columns_add(columns, buf_text(&text));
	buf_done(&text);
}

/* Prints the rows of one event from @first on; returns the index after them. */
static size_t print_event(const struct hierarchy *hierarchy, size_t first, FILE *out)
{
	const struct table *top = hierarchy->levels[0];
	uint8_t event = hierarchy->rows.items[first].row->event;
	bool is_time = account_is_time(top->labels->profile, event);
	_cleanup_(columns_freep) struct columns *columns = NULL;
	struct buf title = { 0 };
	size_t at = first;

	add_title(hierarchy, &title);
	columns = make_columns(buf_text(&title), is_time);
	for (; at < hierarchy->rows.count; at++) {
		const struct hierarchy_row *row = &hierarchy->rows.items[at];

		if (row->row->event != event)
			break;
		add_row(hierarchy->levels[row->level], row, is_time, columns);
	}
	event_line_print(top, event, out);
	columns_print(columns, 0, out);
	if (hierarchy->left_out[event])
		fprintf(out,
			"Rows not listed (--threshold, --limit): %zu, and what is below them\n",
			hierarchy->left_out[event]);
	buf_done(&title);
	return at;
}

void text_hierarchy_print(const struct view *view, const struct hierarchy *hierarchy, FILE *out)
{
	if (!view->bare)
		trust_print(view, out);
	for (size_t at = 0; at < hierarchy->rows.count;)
		at = print_event(hierarchy, at, out);
	if (!hierarchy->rows.count)
		fputs("\nNo row reaches the minimum share (--threshold).\n", out);
}
