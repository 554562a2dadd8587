/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/rows/json.h"

#include <string.h>

#include "present/rows/json_header.h"
#include "present/safe.h"

static void add_value(const struct table *table, const struct table_row *row, size_t key,
		      struct buf *line, struct buf *text)
{
	const struct key *spec = table->keys.items[key];

	buf_clear(text);
	table_text(table, row, key, text);
	safe_json(line, spec->name);
	buf_add_char(line, ':');
	/* A number that is not written in decimal is a string. */
	if (spec->kind == KEY_NUMBER && !spec->number)
		buf_add_str(line, buf_text(text));
	else
		safe_json(line, buf_text(text));
	buf_add_char(line, ',');
}

/* Adds "instruction"; if it is unknown, it is null and "no_instruction" says why. */
static void add_instruction(const struct table *table, const struct table_row *row,
			    const struct instructions_view *instructions, struct buf *line,
			    struct buf *text)
{
	uint32_t frame;

	buf_clear(text);
	if (!table_frame(table, row, &frame))
		return;
	if (!instructions->text(instructions->context, frame, text))
		buf_add_str(line, ",\"instruction\":null,\"no_instruction\":");
	else
		buf_add_str(line, ",\"instruction\":");
	safe_json(line, buf_text(text));
}

static void add_name(struct buf *line, const char *name)
{
	buf_add_str(line, ",\"");
	buf_add_str(line, name);
	buf_add_str(line, "\":");
}

static void add_count(struct buf *line, const char *name, uint64_t count)
{
	add_name(line, name);
	buf_add_decimal(line, count);
}

static void add_percent(struct buf *line, const char *name, double percent)
{
	add_name(line, name);
	buf_add_fixed(line, percent, 4);
}

static void add_row(const struct table *table, const struct table_row *row, struct buf *line,
		    struct buf *text)
{
	const struct profile *profile = table->labels->profile;
	struct interval interval = table_interval(table, row);

	buf_add_char(line, '{');
	for (size_t key = 0; key < table->keys.count; key++) {
		/* Every row already has its event. */
		if (strcmp(table->keys.items[key]->name, "event") != 0)
			add_value(table, row, key, line, text);
	}
	buf_add_str(line, "\"event\":");
	safe_json(line, profile_text(profile, profile->events[row->event].name));
	add_count(line, "samples", row->samples);
	add_count(line, "weight", row->weight);
	add_percent(line, "percent", table_percent(table, row));
	add_percent(line, "low", 100 * interval.low);
	add_percent(line, "high", 100 * interval.high);
	if (table->inclusive) {
		add_count(line, "self_samples", row->self.samples);
		add_count(line, "self_weight", row->self.weight);
		add_percent(line, "self_percent", table_self_percent(table, row));
	}
	if (table->accumulate)
		add_percent(line, "accumulated", row->accumulated);
}

void json_print(const struct view *view, const struct table *table, FILE *out)
{
	struct buf line = { 0 }, text = { 0 };

	fputs("{\"header\":", out);
	json_header_print(view, out);
	fputs(",\n\"rows\":[", out);
	for (size_t i = 0; i < table->rows.count; i++) {
		buf_clear(&line);
		buf_add_str(&line, i ? ",\n" : "\n");
		add_row(table, &table->rows.items[i], &line, &text);
		if (view->instructions)
			add_instruction(table, &table->rows.items[i], view->instructions, &line,
					&text);
		buf_add_char(&line, '}');
		fwrite(line.bytes, 1, line.size, out);
	}
	fputs("\n]}\n", out);
	buf_done(&line);
	buf_done(&text);
}
