/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/text/text_classes.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "present/columns.h"
#include "present/event_line.h"
#include "present/safe.h"
#include "present/text/trust.h"

enum {
	SHOWN = 12, /* classes with columns of their own */
	TITLE_CAP = 16,
	NAME_CAP = 40,
	FEWEST = 2,	  /* classes shown on the narrowest screen */
	NAMES_WIDTH = 44, /* of a screen, for everything but the classes */
	PAIR_WIDTH = 15,
	FIGURES = 2, /* columns before the classes: percent and samples of all */
};

_Static_assert(KEYS_MAX + FIGURES + 2 * (SHOWN + 1) <= COLUMNS_MAX, "all columns have room");

/* The classes that have columns. */
struct shown {
	size_t class[SHOWN];
	size_t count, others;
	bool *is_own; /* by class: it has a column; owned */
	struct buf titles;
	size_t title_at[SHOWN + 1]; /* of each of these, then of the others */
	bool numbered;		    /* titles are numbers; the names are above the table */
};

struct section {
	const struct view *view;
	const struct classes *classes;
	uint8_t event;
	struct shown shown;
};

static uint64_t weight_of(const struct section *section, size_t class)
{
	const struct class *row = &section->classes->items.items[class];

	return row->sums[section->classes->of_events ? row->value : section->event].weight;
}

/* Finds the heaviest class without a column; false: no other class has samples. */
static bool next_class(const struct section *section, size_t *ret_class)
{
	bool found = false;
	uint64_t most = 0;

	for (size_t i = 0; i < section->classes->items.count; i++) {
		uint64_t here = weight_of(section, i);

		if (section->shown.is_own[i] || here <= most)
			continue;
		most = here;
		*ret_class = i;
		found = true;
	}
	return found;
}

/* How many classes fit in a line, beside names of usual length. */
static size_t room(const struct view *view)
{
	size_t pairs = view->columns > NAMES_WIDTH ? (view->columns - NAMES_WIDTH) / PAIR_WIDTH : 0;

	if (!view->columns || pairs > SHOWN)
		return SHOWN;
	return pairs < FEWEST ? FEWEST : pairs;
}

static void choose(struct section *section)
{
	struct shown *shown = &section->shown;
	size_t count = section->classes->items.count, class;

	shown->is_own = xcalloc(count + 1, sizeof(bool));
	for (size_t i = 0; i < room(section->view) && next_class(section, &class); i++)
		shown->is_own[class] = true;
	for (size_t i = 0; i < count; i++) {
		if (shown->is_own[i])
			shown->class[shown->count++] = i;
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
		if (section->classes->key->kind == KEY_NUMBER)
			buf_printf(&name, "%s ", section->classes->key->name);
		classes_text(section->classes, shown->class[i], &name);
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

/* Replaces titles by numbers, and explains the numbers above the table. */
static void number_titles(struct shown *shown, FILE *out)
{
	struct buf numbers = { 0 };
	size_t at[SHOWN + 1] = { 0 };

	if (!shown->numbered)
		return;
	for (size_t i = 0; i <= shown->count; i++) {
		at[i] = numbers.size;
		if (i < shown->count) {
			fprintf(out, "[%zu] %s\n", i + 1, title(shown, i));
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
	const struct key_list *keys = &section->classes->table->keys;
	const struct shown *shown = &section->shown;
	struct column spec[COLUMNS_MAX] = { 0 };
	size_t count = 0;

	if (!section->classes->of_events) {
		spec[count++] = (struct column){ "%", true, 0 };
		spec[count++] = (struct column){ "Hits", true, 0 };
	}
	for (size_t i = 0; i < shown->count + (shown->others > 0); i++) {
		spec[count++] = (struct column){ title(shown, i), true, 0 };
		spec[count++] = (struct column){ "%", true, 0 };
	}
	for (size_t key = 0; key < keys->count; key++)
		spec[count++] = (struct column){ .title = keys->items[key]->name,
						 .right = keys->items[key]->kind == KEY_NUMBER,
						 .cap = NAME_CAP };
	return columns_new(spec, count);
}

static void add_pair(struct columns *columns, uint64_t samples, double percent)
{
	columns_printf(columns, "%" PRIu64, samples);
	if (samples)
		columns_printf(columns, "%.2f", percent);
	else
		columns_add(columns, "-");
}

/* Adds the sum of the classes without columns. */
static void add_others(const struct section *section, const struct table_row *row,
		       struct columns *columns)
{
	struct hits sum = { 0 };
	uint64_t whole = 0;

	for (size_t i = 0; i < section->classes->items.count; i++) {
		const struct hits *cell = classes_cell(section->classes, row, i);

		if (section->shown.is_own[i])
			continue;
		whole += weight_of(section, i);
		sum.samples += cell->samples;
		sum.weight += cell->weight;
	}
	add_pair(columns, sum.samples, whole ? 100.0 * (double)sum.weight / (double)whole : 0);
}

static void add_row(const struct section *section, const struct table_row *row,
		    struct columns *columns)
{
	const struct classes *classes = section->classes;
	const struct table *table = classes->table;
	struct buf text = { 0 };

	if (!classes->of_events) {
		columns_printf(columns, "%.2f", table_percent(table, row));
		columns_printf(columns, "%" PRIu64, row->samples);
	}
	for (size_t i = 0; i < section->shown.count; i++) {
		size_t class = section->shown.class[i];

		add_pair(columns, classes_cell(classes, row, class)->samples,
			 classes_percent(classes, row, class));
	}
	if (section->shown.others)
		add_others(section, row, columns);
	for (size_t key = 0; key < table->keys.count; key++) {
		buf_clear(&text);
		table_text(table, row, key, &text);
		columns_add(columns, text.size ? buf_text(&text) : "-");
	}
	buf_done(&text);
}

static void print_events(const struct section *section, FILE *out)
{
	const struct classes *classes = section->classes;

	if (!classes->of_events) {
		event_line_print(classes->table, section->event, out);
		return;
	}
	for (size_t i = 0; i < classes->items.count; i++) {
		const struct class *class = &classes->items.items[i];

		event_line_of(classes->table->labels->profile, (uint8_t) class->value,
			      &class->sums[class->value], out);
	}
}

/* Returns the index after the rows of the event. */
static size_t print_section(struct section *section, size_t first, FILE *out)
{
	const struct table *table = section->classes->table;
	struct columns *columns;
	size_t at = first;

	choose(section);
	make_titles(section);
	print_events(section, out);
	fprintf(out, "By %s: samples, and their share of all in the column\n",
		section->classes->key->name);
	number_titles(&section->shown, out);
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

void text_classes_print(const struct view *view, const struct classes *classes, FILE *out)
{
	const struct table *table = classes->table;

	if (!view->bare)
		trust_print(view, out);
	for (size_t at = 0; at < table->rows.count;) {
		struct section section = { .view = view,
					   .classes = classes,
					   .event = table->rows.items[at].event };

		at = print_section(&section, at, out);
	}
	if (!table->rows.count)
		fputs("\nNo row reaches the minimum share (--threshold).\n", out);
}
