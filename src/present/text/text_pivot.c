/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/text/text_report.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "present/columns.h"
#include "present/safe.h"

enum {
	SHOWN = 12, /* columns of the pivot; the others are added up */
	TITLE_CAP = 16,
	FEWEST = 2,	  /* columns shown on the narrowest screen */
	NAMES_WIDTH = 44, /* of a screen, for everything else */
	PAIR_WIDTH = 15,
	FIGURES = 2, /* before the columns: percent and samples of all */
};

_Static_assert(KEYS_MAX + FIGURES + 2 * (SHOWN + 1) <= COLUMNS_MAX, "all columns have room");

/* The columns that are shown. */
struct shown {
	size_t column[SHOWN];
	size_t count, others;
	bool *is_own; /* by column: it is shown; owned */
	struct buf titles;
	size_t title_at[SHOWN + 1]; /* of each of these, then of the others */
	bool numbered;		    /* titles are numbers; the names are above the table */
};

struct section {
	const struct view *view;
	const struct pivot *pivot;
	uint8_t event;
	struct shown shown;
};

static uint64_t weight_of(const struct section *section, size_t column)
{
	const struct pivot_column *row = &section->pivot->columns.items[column];

	return row->sums[section->pivot->of_events ? row->value : section->event].weight;
}

/* Finds the heaviest column not shown yet; false: no other has samples. */
static bool next_column(const struct section *section, size_t *ret_column)
{
	bool found = false;
	uint64_t most = 0;

	for (size_t i = 0; i < section->pivot->columns.count; i++) {
		uint64_t here = weight_of(section, i);

		if (section->shown.is_own[i] || here <= most)
			continue;
		most = here;
		*ret_column = i;
		found = true;
	}
	return found;
}

/* How many columns fit in a line, beside names of usual length. */
static size_t room(const struct view *view)
{
	size_t screen = screen_width(&view->screen);
	size_t pairs = screen > NAMES_WIDTH ? (screen - NAMES_WIDTH) / PAIR_WIDTH : 0;

	if (!screen || pairs > SHOWN)
		return SHOWN;
	return pairs < FEWEST ? FEWEST : pairs;
}

static void choose(struct section *section)
{
	struct shown *shown = &section->shown;
	size_t count = section->pivot->columns.count, column;

	shown->is_own = xcalloc(count + 1, sizeof(bool));
	for (size_t i = 0; i < room(section->view) && next_column(section, &column); i++)
		shown->is_own[column] = true;
	for (size_t i = 0; i < count; i++) {
		if (shown->is_own[i])
			shown->column[shown->count++] = i;
		else if (weight_of(section, i))
			shown->others++;
	}
}

static void make_titles(struct section *section)
{
	struct shown *shown = &section->shown;
	struct buf name = { 0 };

	for (size_t i = 0; i < shown->count; i++) {
		buf_clear(&name);
		if (section->pivot->key->kind == KEY_NUMBER)
			buf_printf(&name, "%s ", section->pivot->key->name);
		pivot_text(section->pivot, shown->column[i], &name);
		shown->title_at[i] = shown->titles.size;
		safe_text(&shown->titles, name.size ? buf_text(&name) : "-");
		buf_add_char(&shown->titles, '\0');
		if (safe_width(shown->titles.bytes + shown->title_at[i]) > TITLE_CAP)
			shown->numbered = true;
	}
	shown->title_at[shown->count] = shown->titles.size;
	buf_printf(&shown->titles, "%zu others", shown->others);
	buf_add_char(&shown->titles, '\0');
	buf_done(&name);
}

static const char *title(const struct shown *shown, size_t i)
{
	return shown->titles.bytes + shown->title_at[i];
}

static void print_number(size_t number, const char *name, size_t most, FILE *out)
{
	struct buf line = { 0 };
	size_t used;

	buf_printf(&line, "[%zu] ", number);
	used = line.size;
	safe_text_middle(&line, name, most > used ? most - used : used);
	fprintf(out, "%s\n", buf_text(&line));
	buf_done(&line);
}

/* Replaces titles by numbers, and explains the numbers above the table. */
static void number_titles(struct shown *shown, const struct screen *screen, FILE *out)
{
	size_t most = screen_names_width(screen);
	struct buf numbers = { 0 };
	size_t at[SHOWN + 1] = { 0 };

	if (!shown->numbered)
		return;
	for (size_t i = 0; i <= shown->count; i++) {
		at[i] = numbers.size;
		if (i < shown->count) {
			print_number(i + 1, title(shown, i), most ? most : SIZE_MAX, out);
			buf_printf(&numbers, "[%zu]", i + 1);
		} else {
			buf_add_str(&numbers, title(shown, i));
		}
		buf_add_char(&numbers, '\0');
	}
	fputc('\n', out);
	buf_done(&shown->titles);
	shown->titles = numbers;
	for (size_t i = 0; i <= shown->count; i++)
		shown->title_at[i] = at[i];
}

static struct columns *make_columns(const struct section *section)
{
	const struct shown *shown = &section->shown;
	struct column spec[COLUMNS_MAX] = { 0 };
	size_t count = 0;

	if (!section->pivot->of_events) {
		spec[count++] = (struct column){ "%", true, 0 };
		spec[count++] = (struct column){ "Hits", true, 0 };
	}
	for (size_t i = 0; i < shown->count + (shown->others > 0); i++) {
		spec[count++] = (struct column){ title(shown, i), true, 0 };
		spec[count++] = (struct column){ "%", true, 0 };
	}
	count += columns_of_keys(&section->pivot->table->keys, &spec[count]);
	return columns_for(&section->view->screen, spec, count);
}

static void add_pair(struct columns *columns, uint64_t samples, double percent)
{
	columns_decimal(columns, samples);
	if (samples)
		columns_printf(columns, "%.2f", percent);
	else
		columns_add(columns, "-");
}

/* Adds the sum of the columns that are not shown. */
static void add_others(const struct section *section, const struct table_row *row,
		       struct columns *columns)
{
	struct hits sum = { 0 };
	uint64_t whole = 0;

	for (size_t i = 0; i < section->pivot->columns.count; i++) {
		if (section->shown.is_own[i])
			continue;
		whole += weight_of(section, i);
		hits_add(&sum, pivot_cell(section->pivot, row, i));
	}
	add_pair(columns, sum.samples, whole ? 100.0 * (double)sum.weight / (double)whole : 0);
}

static void add_row(const struct section *section, const struct table_row *row,
		    struct columns *columns)
{
	const struct pivot *pivot = section->pivot;
	const struct table *table = pivot->table;

	if (!pivot->of_events) {
		columns_printf(columns, "%.2f", table_percent(table, row));
		columns_decimal(columns, row->samples);
	}
	for (size_t i = 0; i < section->shown.count; i++) {
		size_t column = section->shown.column[i];

		add_pair(columns, pivot_cell(pivot, row, column)->samples,
			 pivot_percent(pivot, row, column));
	}
	if (section->shown.others)
		add_others(section, row, columns);
	for (size_t key = 0; key < table->keys.count; key++) {
		table_text(table, row, key, columns_cell(columns));
		columns_end_cell(columns);
	}
}

static void print_events(const struct section *section, FILE *out)
{
	const struct pivot *pivot = section->pivot;

	if (!pivot->of_events) {
		const struct table_sum *sum = &pivot->table->sums[section->event];

		text_report_event_of(section->view, section->event,
				     &(struct hits){ sum->samples, sum->weight }, out);
		return;
	}
	for (size_t i = 0; i < pivot->columns.count; i++) {
		const struct pivot_column *column = &pivot->columns.items[i];

		text_report_event_of(section->view, (uint8_t)column->value,
				     &column->sums[column->value], out);
	}
}

/* Returns the index after the rows of the event. */
static size_t print_section(struct section *section, size_t first, FILE *out)
{
	const struct table *table = section->pivot->table;
	struct columns *columns;
	size_t at = first;

	choose(section);
	make_titles(section);
	print_events(section, out);
	fprintf(out, "By %s: samples, and their share of all in the column\n",
		section->pivot->key->name);
	number_titles(&section->shown, &section->view->screen, out);
	columns = make_columns(section);
	for (; at < table->rows.count && table->rows.items[at].event == section->event; at++)
		add_row(section, &table->rows.items[at], columns);
	columns_print(columns, 0, out);
	if (at - first < table->sums[section->event].rows)
		fprintf(out, "Rows not listed (--threshold, --limit): %zu\n",
			table->sums[section->event].rows - (at - first));
	columns_free(columns);
	free(section->shown.is_own);
	buf_done(&section->shown.titles);
	return at;
}

void text_pivot_print(const struct view *view, const struct pivot *pivot, FILE *out)
{
	const struct table *table = pivot->table;

	text_report_head(view, out);
	for (size_t at = 0; at < table->rows.count;) {
		struct section section = { .view = view,
					   .pivot = pivot,
					   .event = table->rows.items[at].event };

		at = print_section(&section, at, out);
	}
	if (!table->rows.count)
		text_report_nothing(view, out);
}
