/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/text/text_report.h"

#include <inttypes.h>

#include "aggregate/tables/details.h"
#include "present/columns.h"
#include "present/event_line.h"
#include "present/figures.h"
#include "present/hit_instructions.h"
#include "present/safe.h"
#include "present/text/text_parts.h"
#include "present/text/text_screen.h"
#include "present/text/text_stacks.h"
#include "present/text/text_waiting.h"
#include "present/text/trust.h"

enum {
	WAITS = 25, /* the longest, if wanted */
	NAME_CAP = 40,
	FIGURES = 6, /* columns before the keys */
};

void text_report_print(const struct view *view, FILE *out)
{
	if (view->level <= VIEW_SCREEN) {
		text_screen_print(view, out);
		return;
	}
	trust_print(view, out);
	text_parts_statistics(view, out);
	if (view->level >= VIEW_PROCESSES)
		text_stacks_print(view, out);
	text_parts_summary(view, out);
	text_waiting_print(view, WAITS, out);
	text_parts_details(view, out);
	if (view->level >= VIEW_ALL)
		text_parts_kernel(view, out);
	hit_instructions_print_note(view, out);
}

static struct columns *table_columns(const struct table *table, bool is_time, bool instructions)
{
	struct column spec[KEYS_MAX + FIGURES + 1] = { 0 };
	size_t count = 0;

	/* Numbers first: they are short, and names of any length may follow. */
	spec[count++] = (struct column){ table->inclusive ? "Total %" : "%", true, 0 };
	spec[count++] = (struct column){ "95 % within", true, 0 };
	if (table->inclusive)
		spec[count++] = (struct column){ "Self %", true, 0 };
	if (table->accumulate)
		spec[count++] = (struct column){ "Sum %", true, 0 };
	spec[count++] = (struct column){ "Hits", true, 0 };
	spec[count++] = (struct column){ is_time ? "Time" : "Weight", true, 0 };
	for (size_t key = 0; key < table->keys.count; key++)
		spec[count++] =
			(struct column){ .title = table->keys.items[key]->name,
					 .right = table->keys.items[key]->kind == KEY_NUMBER,
					 .cap = NAME_CAP };
	if (instructions)
		spec[count++] = (struct column){ "instruction", false, 0 };
	return columns_new(spec, count);
}

static void add_instruction(const struct table *table, const struct table_row *row,
			    const struct instructions_view *instructions, struct columns *columns)
{
	struct buf text = { 0 };
	uint32_t frame;

	if (!instructions || !table_frame(table, row, &frame))
		return;
	instructions->text(instructions->context, frame, &text);
	columns_add(columns, buf_text(&text));
	buf_done(&text);
}

static void add_interval(const struct table *table, const struct table_row *row, struct buf *text,
			 struct columns *columns)
{
	struct interval interval = table_interval(table, row);

	buf_clear(text);
	buf_add_fixed(text, 100 * interval.low, 2);
	buf_add_char(text, '-');
	buf_add_fixed(text, 100 * interval.high, 2);
	columns_add(columns, buf_text(text));
}

/* @text: room for one cell, shared by all rows. */
static void add_row(const struct table *table, const struct table_row *row, bool is_time,
		    struct buf *text, struct columns *columns)
{
	columns_fixed(columns, table_percent(table, row), 2);
	add_interval(table, row, text, columns);
	if (table->inclusive)
		columns_fixed(columns, table_self_percent(table, row), 2);
	if (table->accumulate)
		columns_fixed(columns, row->accumulated, 2);
	columns_decimal(columns, row->samples);
	buf_clear(text);
	figures_weight(text, row->weight, is_time);
	columns_add(columns, buf_text(text));
	for (size_t key = 0; key < table->keys.count; key++) {
		if (columns_skip(columns))
			continue;
		buf_clear(text);
		table_text(table, row, key, text);
		columns_add(columns, text->size ? buf_text(text) : "-");
	}
}

/* Adds a line for each part of the row: hits, percent of the row, name. */
static void add_details(const struct details *details, const struct table_row *row,
			struct columns *columns)
{
	const struct key_list *keys = &details->fine->keys;
	struct buf line = { 0 }, text = { 0 };

	for (size_t i = 0; i < details_count(details, row); i++) {
		const struct table_row *part = details_part(details, row, i);

		buf_clear(&line);
		buf_clear(&text);
		table_text(details->fine, part, keys->count - 1, &text);
		buf_printf(&line, "    %8" PRIu64 "  %6.2f %%  ", part->samples,
			   row->weight ? 100.0 * (double)part->weight / (double)row->weight : 0);
		safe_text(&line, buf_text(&text));
		columns_line(columns, buf_text(&line));
	}
	buf_done(&line);
	buf_done(&text);
}

/* The rows of one event: [first, end). */
struct stretch {
	size_t first, end;
	bool is_time;
};

static struct stretch event_stretch(const struct table *table, size_t first)
{
	uint8_t event = table->rows.items[first].event;
	size_t end = first;

	while (end < table->rows.count && table->rows.items[end].event == event)
		end++;
	return (struct stretch){ first, end, account_is_time(table->labels->profile, event) };
}

static void add_rows(const struct view *view, const struct table *table,
		     const struct stretch *stretch, struct columns *columns)
{
	struct buf text = { 0 };

	for (size_t at = stretch->first; at < stretch->end; at++) {
		const struct table_row *row = &table->rows.items[at];

		add_row(table, row, stretch->is_time, &text, columns);
		add_instruction(table, row, view->instructions, columns);
		if (view->details)
			add_details(view->details, row, columns);
	}
	buf_done(&text);
}

/* Does not hold rows as text, as there may be millions. With instructions or details it does:
 * instructions are looked up only once, and lines below rows need their rows. */
static void print_rows(const struct view *view, const struct table *table,
		       const struct stretch *stretch, FILE *out)
{
	_cleanup_(columns_freep) struct columns *columns =
		table_columns(table, stretch->is_time, view->instructions != NULL);

	if (view->details || view->instructions) {
		add_rows(view, table, stretch, columns);
		columns_print(columns, 0, out);
		return;
	}
	columns_measure(columns);
	add_rows(view, table, stretch, columns);
	columns_begin(columns, 0, out);
	add_rows(view, table, stretch, columns);
}

/* Prints the rows of one event from @first on; returns the index after them. */
static size_t print_event(const struct view *view, const struct table *table, size_t first,
			  FILE *out)
{
	struct stretch stretch = event_stretch(table, first);
	uint8_t event = table->rows.items[first].event;
	size_t count = stretch.end - first;

	event_line_print(table, event, out);
	print_rows(view, table, &stretch, out);
	if (count < table->sums[event].rows)
		fprintf(out, "Rows not listed (--threshold, --limit%s): %zu\n",
			table->cover > 0 ? ", --cover" : "", table->sums[event].rows - count);
	return stretch.end;
}

void text_report_table(const struct view *view, const struct table *table, FILE *out)
{
	if (!view->bare)
		trust_print(view, out);
	for (size_t at = 0; at < table->rows.count;)
		at = print_event(view, table, at, out);
	if (!table->rows.count)
		fputs("\nNo row reaches the minimum share (--threshold).\n", out);
	hit_instructions_print_note(view, out);
}
