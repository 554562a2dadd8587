/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/rows/class_rows.h"

#include <inttypes.h>
#include <string.h>

#include "present/rows/json_header.h"
#include "present/safe.h"

static const char *event_name(const struct classes *classes, uint8_t event)
{
	const struct profile *profile = classes->table->labels->profile;

	return profile_text(profile, profile->events[event].name);
}

static void csv_titles(const struct classes *classes, struct buf *line)
{
	static const char *const figures[] = { "samples", "weight", "percent" };
	const struct key_list *keys = &classes->table->keys;
	struct buf name = { 0 };

	for (size_t key = 0; key < keys->count; key++)
		buf_printf(line, "%s%s", key ? "," : "", keys->items[key]->name);
	if (!classes->of_events)
		buf_add_str(line, ",event,samples,weight,percent,low,high");
	for (size_t i = 0; i < 3 * classes->items.count; i++) {
		buf_clear(&name);
		buf_printf(&name, "%s=", classes->key->name);
		classes_text(classes, i / 3, &name);
		buf_printf(&name, " %s", figures[i % 3]);
		buf_add_char(line, ',');
		safe_csv(line, buf_text(&name));
	}
	buf_add_char(line, '\n');
	buf_done(&name);
}

static void csv_figures(const struct classes *classes, const struct table_row *row,
			struct buf *line)
{
	struct interval interval = table_interval(classes->table, row);

	buf_add_char(line, ',');
	safe_csv(line, event_name(classes, row->event));
	buf_printf(line, ",%" PRIu64 ",%" PRIu64 ",%.4f,%.4f,%.4f", row->samples, row->weight,
		   table_percent(classes->table, row), 100 * interval.low, 100 * interval.high);
}

static void csv_row(const struct classes *classes, const struct table_row *row, struct buf *line,
		    struct buf *text)
{
	const struct table *table = classes->table;

	for (size_t key = 0; key < table->keys.count; key++) {
		buf_clear(text);
		table_text(table, row, key, text);
		buf_add_str(line, key ? "," : "");
		safe_csv(line, buf_text(text));
	}
	if (!classes->of_events)
		csv_figures(classes, row, line);
	for (size_t i = 0; i < classes->items.count; i++) {
		const struct hits *cell = classes_cell(classes, row, i);

		buf_printf(line, ",%" PRIu64 ",%" PRIu64 ",%.4f", cell->samples, cell->weight,
			   classes_percent(classes, row, i));
	}
	buf_add_char(line, '\n');
}

void class_rows_csv(const struct classes *classes, bool titles, FILE *out)
{
	struct buf line = { 0 }, text = { 0 };

	if (titles) {
		csv_titles(classes, &line);
		fwrite(line.bytes, 1, line.size, out);
	}
	for (size_t i = 0; i < classes->table->rows.count; i++) {
		buf_clear(&line);
		csv_row(classes, &classes->table->rows.items[i], &line, &text);
		fwrite(line.bytes, 1, line.size, out);
	}
	buf_done(&line);
	buf_done(&text);
}

/* Appends a key's value as JSON: as a number if it is written in decimal. */
static void json_value(const struct key *key, const char *text, struct buf *line)
{
	if (key->kind == KEY_NUMBER && !key->number)
		buf_add_str(line, text);
	else
		safe_json(line, text);
}

static void json_classes(const struct classes *classes, struct buf *line)
{
	struct buf name = { 0 };

	buf_add_str(line, ",\n\"columns\":{\"key\":");
	safe_json(line, classes->key->name);
	buf_add_str(line, ",\"classes\":[");
	for (size_t i = 0; i < classes->items.count; i++) {
		const struct class *class = &classes->items.items[i];
		struct hits sum = { 0 };

		for (int event = 0; event < PROFILE_MAX_EVENTS; event++) {
			sum.samples += class->sums[event].samples;
			sum.weight += class->sums[event].weight;
		}
		buf_clear(&name);
		classes_text(classes, i, &name);
		buf_add_str(line, i ? ",{\"value\":" : "{\"value\":");
		json_value(classes->key, buf_text(&name), line);
		buf_printf(line, ",\"samples\":%" PRIu64, sum.samples);
		/* Weights of several events have different units. */
		if (classes->of_events || classes->table->labels->profile->event_count == 1)
			buf_printf(line, ",\"weight\":%" PRIu64, sum.weight);
		buf_add_char(line, '}');
	}
	buf_add_str(line, "]}");
	buf_done(&name);
}

static void json_figures(const struct classes *classes, const struct table_row *row,
			 struct buf *line)
{
	struct interval interval = table_interval(classes->table, row);

	buf_add_str(line, "\"event\":");
	safe_json(line, event_name(classes, row->event));
	buf_printf(line,
		   ",\"samples\":%" PRIu64 ",\"weight\":%" PRIu64
		   ",\"percent\":%.4f,\"low\":%.4f,\"high\":%.4f,",
		   row->samples, row->weight, table_percent(classes->table, row),
		   100 * interval.low, 100 * interval.high);
}

static void json_row(const struct classes *classes, const struct table_row *row, struct buf *line,
		     struct buf *text)
{
	const struct table *table = classes->table;

	buf_add_char(line, '{');
	for (size_t key = 0; key < table->keys.count; key++) {
		/* Every row already has its event. */
		if (!classes->of_events && strcmp(table->keys.items[key]->name, "event") == 0)
			continue;
		buf_clear(text);
		table_text(table, row, key, text);
		safe_json(line, table->keys.items[key]->name);
		buf_add_char(line, ':');
		json_value(table->keys.items[key], buf_text(text), line);
		buf_add_char(line, ',');
	}
	if (!classes->of_events)
		json_figures(classes, row, line);
	buf_add_str(line, "\"columns\":[");
	for (size_t i = 0; i < classes->items.count; i++) {
		const struct hits *cell = classes_cell(classes, row, i);

		buf_printf(line,
			   "%s{\"samples\":%" PRIu64 ",\"weight\":%" PRIu64 ",\"percent\":%.4f}",
			   i ? "," : "", cell->samples, cell->weight,
			   classes_percent(classes, row, i));
	}
	buf_add_str(line, "]}");
}

void class_rows_json(const struct view *view, const struct classes *classes, FILE *out)
{
	struct buf line = { 0 }, text = { 0 };

	fputs("{\"header\":", out);
	json_header_print(view, out);
	json_classes(classes, &line);
	buf_add_str(&line, ",\n\"rows\":[");
	fwrite(line.bytes, 1, line.size, out);
	for (size_t i = 0; i < classes->table->rows.count; i++) {
		buf_clear(&line);
		buf_add_str(&line, i ? ",\n" : "\n");
		json_row(classes, &classes->table->rows.items[i], &line, &text);
		fwrite(line.bytes, 1, line.size, out);
	}
	fputs("\n]}\n", out);
	buf_done(&line);
	buf_done(&text);
}
