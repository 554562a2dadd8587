/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/text/text_report.h"

#include <inttypes.h>

#include "aggregate/account/account.h"
#include "aggregate/tables/details.h"
#include "present/columns.h"
#include "present/figures.h"
#include "present/hit_instructions.h"
#include "present/paragraph.h"
#include "present/safe.h"
#include "present/text/report_head.h"
#include "present/text/text_parts.h"

enum {
	WAITS = 25, /* the longest, if wanted */
	INDENT = 2, /* of each level of a hierarchy */
};

void text_report_print(const struct view *view, FILE *out)
{
	if (view->level <= VIEW_SCREEN) {
		text_screen_print(view, out);
		return;
	}
	report_head_print(view, out);
	text_parts_statistics(view, out);
	if (view->level >= VIEW_PROCESSES)
		text_parts_stacks(view, out);
	text_parts_summary(view, out);
	text_off_cpu_print(view, WAITS, out);
	text_parts_details(view, out);
	if (view->level >= VIEW_ALL)
		text_parts_kernel(view, out);
	hit_instructions_print_note(view, out);
}

void text_report_quality(const struct view *view, FILE *out)
{
	struct view whole = *view;

	whole.level = VIEW_ALL;
	report_head_print(&whole, out);
	text_parts_statistics(&whole, out);
	text_parts_stacks(&whole, out);
}

/* ---- tables ---- */

void text_report_head(const struct view *view, FILE *out)
{
	if (view->bare)
		return;
	if (view->level <= VIEW_SCREEN)
		text_screen_print_head(view, out);
	else
		report_head_print(view, out);
}

static void print_event_line(const struct view *view, uint8_t event, const struct hits *sum,
			     const char *end, FILE *out)
{
	const struct profile *profile = view->labels->profile;
	struct buf text = { 0 };

	buf_add_str(&text, "Event ");
	safe_text(&text, profile_text(profile, profile->events[event].name));
	buf_add_str(&text, ": ");
	figures_count(&text, sum->samples);
	buf_printf(&text, " %ssample%s%s, ", view->selection && !view->of_all ? "selected " : "",
		   sum->samples == 1 ? "" : "s", scope_words(profile, view->scope));
	if (account_is_time(profile, event))
		figures_seconds(&text, sum->weight);
	else
		figures_count(&text, sum->weight);
	buf_add_str(&text, end);
	fputc('\n', out);
	paragraph_text(buf_text(&text), &view->screen, out);
	buf_done(&text);
}

void text_report_nothing(const struct view *view, FILE *out)
{
	if (view->selected_samples)
		fputs("\nNo row reaches the minimum share (--threshold).\n", out);
	else if (view->scope == SCOPE_COMMAND)
		fprintf(out, "\nNo samples%s: --machine shows everything recorded.\n",
			scope_words(view->labels->profile, view->scope));
	else
		fputs("\nNo samples.\n", out);
}

void text_report_event_of(const struct view *view, uint8_t event, const struct hits *sum, FILE *out)
{
	print_event_line(view, event, sum, "", out);
}

void text_report_event(const struct view *view, const struct table *table, uint8_t event, FILE *out)
{
	const struct hits sum = { table->sums[event].samples, table->sums[event].weight };

	print_event_line(view, event, &sum, " = 100 %", out);
}

static bool is_inclusive(const struct table *table, uint8_t event)
{
	return table->inclusive;
}

static bool is_plain(const struct table *table, uint8_t event)
{
	return !table->inclusive;
}

static bool is_accumulated(const struct table *table, uint8_t event)
{
	return table->accumulate;
}

static bool is_time(const struct table *table, uint8_t event)
{
	return account_is_time(table->labels->profile, event);
}

static bool is_weight(const struct table *table, uint8_t event)
{
	return !is_time(table, event);
}

static void add_percent(const struct table *table, const struct table_row *row,
			struct columns *columns)
{
	double percent = table_percent(table, row);

	columns_tint(columns, tint_of_share(percent));
	columns_fixed(columns, percent, 2);
}

static void add_interval(const struct table *table, const struct table_row *row,
			 struct columns *columns)
{
	columns_interval(columns, table_interval(table, row));
}

static void add_self_percent(const struct table *table, const struct table_row *row,
			     struct columns *columns)
{
	double percent = table_self_percent(table, row);

	columns_tint(columns, tint_of_share(percent));
	columns_fixed(columns, percent, 2);
}

static void add_accumulated(const struct table *table, const struct table_row *row,
			    struct columns *columns)
{
	columns_fixed(columns, row->accumulated, 2);
}

static void add_samples(const struct table *table, const struct table_row *row,
			struct columns *columns)
{
	columns_decimal(columns, row->samples);
}

static void add_time(const struct table *table, const struct table_row *row,
		     struct columns *columns)
{
	columns_weight(columns, row->weight, true);
}

static void add_weight(const struct table *table, const struct table_row *row,
		       struct columns *columns)
{
	columns_weight(columns, row->weight, false);
}

/* The columns before the keys. Numbers come first: they are short, and names of any length may
 * follow. */
static const struct figure {
	const char *title;
	bool (*when)(const struct table *table, uint8_t event); /* NULL: always */
	void (*add)(const struct table *table, const struct table_row *row,
		    struct columns *columns);
	bool spare; /* a narrow screen can do without: it repeats or qualifies the share */
} figures[] = {
	{ "Total %", is_inclusive, add_percent, false },
	{ "%", is_plain, add_percent, false },
	{ "95 % within", NULL, add_interval, true },
	{ "Self %", is_inclusive, add_self_percent, false },
	{ "Sum %", is_accumulated, add_accumulated, false },
	{ "Hits", NULL, add_samples, true },
	{ "Time", is_time, add_time, true },
	{ "Weight", is_weight, add_weight, true },
};

enum { FIGURES = sizeof(figures) / sizeof(figures[0]) };

static bool has_figure(const struct figure *figure, const struct table *table, uint8_t event)
{
	return !figure->when || figure->when(table, event);
}

/* Fills in a column for each figure; returns their number. */
static size_t columns_of_figures(const struct table *table, uint8_t event,
				 struct column *ret_columns)
{
	size_t count = 0;

	for (size_t i = 0; i < FIGURES; i++)
		if (has_figure(&figures[i], table, event))
			ret_columns[count++] = (struct column){ figures[i].title, true, 0 };
	return count;
}

static void add_figures(const struct table *table, const struct table_row *row,
			struct columns *columns)
{
	for (size_t i = 0; i < FIGURES; i++)
		if (has_figure(&figures[i], table, row->event))
			figures[i].add(table, row, columns);
}

static void spare_figures(const struct table *table, uint8_t event, struct columns *columns)
{
	size_t at = 0;

	for (size_t i = 0; i < FIGURES; i++) {
		if (!has_figure(&figures[i], table, event))
			continue;
		if (figures[i].spare)
			columns_spare(columns, at);
		at++;
	}
}

static struct columns *table_columns(const struct view *view, const struct table *table,
				     uint8_t event)
{
	struct column spec[FIGURES + KEYS_MAX + 1] = { 0 };
	size_t count = columns_of_figures(table, event, spec);
	struct columns *columns;

	count += columns_of_keys(&table->keys, &spec[count]);
	if (view->instructions)
		spec[count++] = (struct column){ "instruction", false, 0 };
	columns = columns_for(&view->screen, spec, count);
	spare_figures(table, event, columns);
	return columns;
}

static void add_instruction(const struct table *table, const struct table_row *row,
			    const struct instructions_view *instructions, struct columns *columns)
{
	uint32_t frame;

	if (!instructions || !table_frame(table, row, &frame))
		return;
	instructions->text(instructions->context, frame, columns_cell(columns));
	columns_end_cell(columns);
}

static void add_row(const struct table *table, const struct table_row *row, struct columns *columns)
{
	add_figures(table, row, columns);
	for (size_t key = 0; key < table->keys.count; key++) {
		if (columns_skip(columns))
			continue;
		table_text(table, row, key, columns_cell(columns));
		columns_end_cell(columns);
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
	uint8_t event;
};

static struct stretch event_stretch(const struct table *table, size_t first)
{
	uint8_t event = table->rows.items[first].event;
	size_t end = first;

	while (end < table->rows.count && table->rows.items[end].event == event)
		end++;
	return (struct stretch){ first, end, event };
}

static void add_rows(const struct view *view, const struct table *table,
		     const struct stretch *stretch, struct columns *columns)
{
	for (size_t at = stretch->first; at < stretch->end; at++) {
		const struct table_row *row = &table->rows.items[at];

		add_row(table, row, columns);
		add_instruction(table, row, view->instructions, columns);
		if (view->details)
			add_details(view->details, row, columns);
	}
}

/* Does not hold rows as text, as there may be millions. With instructions or details it does:
 * instructions are looked up only once, and lines below rows need their rows. */
static void print_rows(const struct view *view, const struct table *table,
		       const struct stretch *stretch, FILE *out)
{
	_cleanup_(columns_freep) struct columns *columns =
		table_columns(view, table, stretch->event);

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
	uint8_t event = stretch.event;
	size_t count = stretch.end - first;

	text_report_event(view, table, event, out);
	print_rows(view, table, &stretch, out);
	if (count < table->sums[event].rows)
		fprintf(out, "Rows not listed (--threshold, --limit%s): %zu\n",
			table->cover > 0 ? ", --cover" : "", table->sums[event].rows - count);
	return stretch.end;
}

void text_report_table(const struct view *view, const struct table *table, FILE *out)
{
	text_report_head(view, out);
	for (size_t at = 0; at < table->rows.count;)
		at = print_event(view, table, at, out);
	if (!table->rows.count)
		text_report_nothing(view, out);
	hit_instructions_print_note(view, out);
}

/* ---- hierarchies ---- */

static struct columns *hierarchy_columns(const struct view *view, const struct table *top,
					 uint8_t event, const char *title)
{
	struct column spec[FIGURES + 1] = { 0 };
	size_t count = columns_of_figures(top, event, spec);
	struct columns *columns;

	spec[count++] = (struct column){ title, false, 0 };
	columns = columns_for(&view->screen, spec, count);
	spare_figures(top, event, columns);
	return columns;
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

/* Prints the rows of one event from @first on; returns the index after them. */
static size_t print_level_rows(const struct view *view, const struct hierarchy *hierarchy,
			       size_t first, FILE *out)
{
	const struct table *top = hierarchy->levels[0];
	uint8_t event = hierarchy->rows.items[first].row->event;
	_cleanup_(columns_freep) struct columns *columns = NULL;
	struct buf title = { 0 };
	size_t at = first;

	add_title(hierarchy, &title);
	columns = hierarchy_columns(view, top, event, buf_text(&title));
	for (; at < hierarchy->rows.count; at++) {
		const struct hierarchy_row *row = &hierarchy->rows.items[at];

		if (row->row->event != event)
			break;
		add_figures(hierarchy->levels[row->level], row->row, columns);
		add_name(hierarchy->levels[row->level], row, columns_cell(columns));
		columns_end_cell(columns);
	}
	text_report_event(view, top, event, out);
	columns_print(columns, 0, out);
	if (hierarchy->left_out[event])
		fprintf(out,
			"Rows not listed (--threshold, --limit): %zu, and what is below them\n",
			hierarchy->left_out[event]);
	buf_done(&title);
	return at;
}

void text_report_hierarchy(const struct view *view, const struct hierarchy *hierarchy, FILE *out)
{
	text_report_head(view, out);
	for (size_t at = 0; at < hierarchy->rows.count;)
		at = print_level_rows(view, hierarchy, at, out);
	if (!hierarchy->rows.count)
		text_report_nothing(view, out);
}
