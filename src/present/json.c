/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/json.h"

#include <inttypes.h>
#include <string.h>

#include "present/json_header.h"
#include "present/safe.h"

static void add_value(const struct table *table, const struct table_row *row, size_t key,
		      struct buf *line, struct buf *text)
{
	const struct key *spec = table->keys.items[key];

	buf_clear(text);
	table_text(table, row, key, text);
	safe_json(line, spec->name);
	buf_add_char(line, ':');
	/* A number that is written in another way than in decimal is a text. */
	if (spec->kind == KEY_NUMBER && !spec->number)
		buf_add_str(line, buf_text(text));
	else
		safe_json(line, buf_text(text));
	buf_add_char(line, ',');
}

/* "instruction": what it is; or null and, as "no_instruction", why it is not known. */
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

static void add_row(const struct table *table, const struct table_row *row, struct buf *line,
		    struct buf *text)
{
	const struct profile *profile = table->labels->profile;
	struct interval interval = table_interval(table, row);

	buf_add_char(line, '{');
	for (size_t key = 0; key < table->keys.count; key++) {
		/* Every row has its event already. */
		if (strcmp(table->keys.items[key]->name, "event") != 0)
			add_value(table, row, key, line, text);
	}
	buf_add_str(line, "\"event\":");
	safe_json(line, profile_text(profile, profile->events[row->event].name));
	buf_printf(line,
		   ",\"samples\":%" PRIu64 ",\"weight\":%" PRIu64
		   ",\"percent\":%.4f,\"low\":%.4f,\"high\":%.4f",
		   row->samples, row->weight, table_percent(table, row), 100 * interval.low,
		   100 * interval.high);
	if (table->inclusive)
		buf_printf(line,
			   ",\"self_samples\":%" PRIu64 ",\"self_weight\":%" PRIu64
			   ",\"self_percent\":%.4f",
			   row->self.samples, row->self.weight, table_self_percent(table, row));
	if (table->accumulate)
		buf_printf(line, ",\"accumulated\":%.4f", row->accumulated);
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
