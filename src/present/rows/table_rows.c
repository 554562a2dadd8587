/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/rows/table_rows.h"

#include <string.h>

#include "base/json_add.h"
#include "present/fields.h"
#include "present/rows/json_header.h"
#include "present/safe.h"

enum { DECIMALS = 4 }; /* of percentages */

static bool is_event(const struct key *key)
{
	return strcmp(key->name, "event") == 0;
}

/* @own_event: the row has its event besides. JSON has no two fields of one name. */
static void add_keys(struct fields *fields, const struct table *table, const struct table_row *row,
		     bool own_event)
{
	for (size_t key = 0; key < table->keys.count; key++) {
		if (fields->json && own_event && is_event(table->keys.items[key]))
			continue;
		buf_clear(&fields->text);
		table_text(table, row, key, &fields->text);
		fields_key(fields, table->keys.items[key], buf_text(&fields->text));
	}
}

static bool is_inclusive(const struct table *table)
{
	return table->inclusive;
}

static bool is_accumulated(const struct table *table)
{
	return table->accumulate;
}

static void add_event(struct fields *fields, const char *name, const struct table *table,
		      const struct table_row *row)
{
	const struct profile *profile = table->labels->profile;

	fields_text(fields, name, profile_text(profile, profile->events[row->event].name));
}

static void add_samples(struct fields *fields, const char *name, const struct table *table,
			const struct table_row *row)
{
	fields_number(fields, name, row->samples);
}

static void add_weight(struct fields *fields, const char *name, const struct table *table,
		       const struct table_row *row)
{
	fields_number(fields, name, row->weight);
}

static void add_percent(struct fields *fields, const char *name, const struct table *table,
			const struct table_row *row)
{
	fields_percent(fields, name, table_percent(table, row));
}

static void add_low(struct fields *fields, const char *name, const struct table *table,
		    const struct table_row *row)
{
	fields_percent(fields, name, 100 * table_interval(table, row).low);
}

static void add_high(struct fields *fields, const char *name, const struct table *table,
		     const struct table_row *row)
{
	fields_percent(fields, name, 100 * table_interval(table, row).high);
}

static void add_self_samples(struct fields *fields, const char *name, const struct table *table,
			     const struct table_row *row)
{
	fields_number(fields, name, row->self.samples);
}

static void add_self_weight(struct fields *fields, const char *name, const struct table *table,
			    const struct table_row *row)
{
	fields_number(fields, name, row->self.weight);
}

static void add_self_percent(struct fields *fields, const char *name, const struct table *table,
			     const struct table_row *row)
{
	fields_percent(fields, name, table_self_percent(table, row));
}

static void add_accumulated(struct fields *fields, const char *name, const struct table *table,
			    const struct table_row *row)
{
	fields_percent(fields, name, row->accumulated);
}

/* The fields after the keys. */
static const struct figure {
	const char *name;
	bool (*when)(const struct table *table); /* NULL: always; else not with --columns */
	void (*add)(struct fields *fields, const char *name, const struct table *table,
		    const struct table_row *row);
} figures[] = {
	{ "event", NULL, add_event },
	{ "samples", NULL, add_samples },
	{ "weight", NULL, add_weight },
	{ "percent", NULL, add_percent },
	{ "low", NULL, add_low },
	{ "high", NULL, add_high },
	{ "self_samples", is_inclusive, add_self_samples },
	{ "self_weight", is_inclusive, add_self_weight },
	{ "self_percent", is_inclusive, add_self_percent },
	{ "accumulated", is_accumulated, add_accumulated },
};

enum { FIGURES = sizeof(figures) / sizeof(figures[0]) };

static bool has_figure(const struct figure *figure, const struct table *table, bool of_pivot)
{
	return !figure->when || (!of_pivot && figure->when(table));
}

static void add_figures(struct fields *fields, const struct table *table,
			const struct table_row *row, bool of_pivot)
{
	for (size_t i = 0; i < FIGURES; i++)
		if (has_figure(&figures[i], table, of_pivot))
			figures[i].add(fields, figures[i].name, table, row);
}

static void add_title(struct buf *line, const char *title)
{
	buf_printf(line, "%s%s", line->size ? "," : "", title);
}

static void add_key_titles(struct buf *line, const struct key_list *keys)
{
	for (size_t key = 0; key < keys->count; key++)
		add_title(line, keys->items[key]->name);
}

static void add_figure_titles(struct buf *line, const struct table *table, bool of_pivot)
{
	for (size_t i = 0; i < FIGURES; i++)
		if (has_figure(&figures[i], table, of_pivot))
			add_title(line, figures[i].name);
}

/* If it is unknown, it is null in JSON, and "no_instruction" says why. */
static void add_instruction(struct fields *fields, const struct table *table,
			    const struct table_row *row,
			    const struct instructions_view *instructions)
{
	bool has_frame, found = false;
	uint32_t frame;

	buf_clear(&fields->text);
	has_frame = table_frame(table, row, &frame);
	if (has_frame)
		found = instructions->text(instructions->context, frame, &fields->text);
	if (fields->json && has_frame && !found)
		fields_nothing(fields, "instruction");
	if (has_frame || !fields->json)
		fields_text(fields, found || !fields->json ? "instruction" : "no_instruction",
			    buf_text(&fields->text));
}

static void print_rows(struct fields *fields, const struct table *table,
		       const struct instructions_view *instructions)
{
	for (size_t i = 0; i < table->rows.count; i++) {
		const struct table_row *row = &table->rows.items[i];

		add_keys(fields, table, row, true);
		add_figures(fields, table, row, false);
		if (instructions)
			add_instruction(fields, table, row, instructions);
		fields_end_row(fields);
	}
	fields_done(fields);
}

static void print_titles(const struct table *table, bool instructions, FILE *out)
{
	struct buf line = { 0 };

	add_key_titles(&line, &table->keys);
	add_figure_titles(&line, table, false);
	if (instructions)
		add_title(&line, "instruction");
	fprintf(out, "%s\n", buf_text(&line));
	buf_done(&line);
}

void table_rows_csv(const struct table *table, const struct instructions_view *instructions,
		    bool titles, FILE *out)
{
	struct fields fields = { .out = out };

	if (titles)
		print_titles(table, instructions != NULL, out);
	print_rows(&fields, table, instructions);
}

void table_rows_json(const struct view *view, const struct table *table, FILE *out)
{
	struct fields fields = { .json = true, .out = out };

	fputs("{\"header\":", out);
	json_header_print(view, out);
	fputs(",\n\"rows\":[", out);
	print_rows(&fields, table, view->instructions);
	fputs("\n]}\n", out);
}

/* ---- --columns ---- */

static void print_pivot_titles(const struct pivot *pivot, FILE *out)
{
	static const char *const cells[] = { "samples", "weight", "percent" };
	struct buf name = { 0 }, line = { 0 };

	add_key_titles(&line, &pivot->table->keys);
	if (!pivot->of_events)
		add_figure_titles(&line, pivot->table, true);
	for (size_t i = 0; i < 3 * pivot->columns.count; i++) {
		buf_clear(&name);
		buf_printf(&name, "%s=", pivot->key->name);
		pivot_text(pivot, i / 3, &name);
		buf_printf(&name, " %s", cells[i % 3]);
		buf_add_char(&line, ',');
		safe_csv(&line, buf_text(&name));
	}
	fprintf(out, "%s\n", buf_text(&line));
	buf_done(&name);
	buf_done(&line);
}

static void add_cells(struct fields *fields, const struct pivot *pivot, const struct table_row *row)
{
	struct buf *line = &fields->line;

	if (fields->json)
		json_add_begin(line, "columns", '[');
	for (size_t i = 0; i < pivot->columns.count; i++) {
		const struct hits *cell = pivot_cell(pivot, row, i);
		double percent = pivot_percent(pivot, row, i);

		if (fields->json) {
			json_add_begin(line, NULL, '{');
			json_add_number(line, "samples", cell->samples);
			json_add_number(line, "weight", cell->weight);
			json_add_fixed(line, "percent", percent, DECIMALS);
			json_add_end(line, '}');
		} else {
			fields_number(fields, "samples", cell->samples);
			fields_number(fields, "weight", cell->weight);
			fields_percent(fields, "percent", percent);
		}
	}
	if (fields->json)
		json_add_end(line, ']');
}

static void print_pivot_rows(struct fields *fields, const struct pivot *pivot)
{
	for (size_t i = 0; i < pivot->table->rows.count; i++) {
		const struct table_row *row = &pivot->table->rows.items[i];

		add_keys(fields, pivot->table, row, !pivot->of_events);
		if (!pivot->of_events)
			add_figures(fields, pivot->table, row, true);
		add_cells(fields, pivot, row);
		fields_end_row(fields);
	}
	fields_done(fields);
}

void table_rows_pivot_csv(const struct pivot *pivot, bool titles, FILE *out)
{
	struct fields fields = { .out = out };

	if (titles)
		print_pivot_titles(pivot, out);
	print_pivot_rows(&fields, pivot);
}

static void add_column(const struct pivot *pivot, size_t column, struct buf *line, struct buf *text)
{
	struct hits sum = { 0 };

	for (int event = 0; event < PROFILE_MAX_EVENTS; event++)
		hits_add(&sum, &pivot->columns.items[column].sums[event]);
	buf_clear(text);
	pivot_text(pivot, column, text);
	json_add_begin(line, NULL, '{');
	json_add_name(line, "value");
	if (fields_is_number(pivot->key))
		buf_add_str(line, buf_text(text));
	else
		json_add_string(line, buf_text(text));
	json_add_number(line, "samples", sum.samples);
	/* Weights of several events have different units. */
	if (pivot->of_events || pivot->table->labels->profile->event_count == 1)
		json_add_number(line, "weight", sum.weight);
	json_add_end(line, '}');
}

void table_rows_pivot_json(const struct view *view, const struct pivot *pivot, FILE *out)
{
	struct fields fields = { .json = true, .out = out };
	struct buf line = { 0 }, text = { 0 };

	fputs("{\"header\":", out);
	json_header_print(view, out);
	for (size_t i = 0; i < pivot->columns.count; i++)
		add_column(pivot, i, &line, &text);
	/* The classes are the columns of --columns. */
	fprintf(out, ",\n\"columns\":{\"key\":\"%s\",\"classes\":[%s]},\n\"rows\":[",
		pivot->key->name, buf_text(&line));
	buf_done(&line);
	buf_done(&text);
	print_pivot_rows(&fields, pivot);
	fputs("\n]}\n", out);
}
