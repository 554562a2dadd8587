/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/rows/csv.h"

#include "present/safe.h"

/* Appends the last column. */
static void add_instruction(const struct table *table, const struct table_row *row,
			    const struct instructions_view *instructions, struct buf *line,
			    struct buf *text)
{
	uint32_t frame;

	buf_clear(text);
	if (table_frame(table, row, &frame))
		instructions->text(instructions->context, frame, text);
	buf_add_char(line, ',');
	safe_csv(line, buf_text(text));
}

static void add_count(struct buf *line, uint64_t count)
{
	buf_add_char(line, ',');
	buf_add_decimal(line, count);
}

static void add_percent(struct buf *line, double percent)
{
	buf_add_char(line, ',');
	buf_add_fixed(line, percent, 4);
}

static void add_row(const struct table *table, const struct table_row *row, struct buf *line,
		    struct buf *text)
{
	const struct profile *profile = table->labels->profile;
	struct interval interval = table_interval(table, row);

	for (size_t key = 0; key < table->keys.count; key++) {
		buf_clear(text);
		table_text(table, row, key, text);
		safe_csv(line, buf_text(text));
		buf_add_char(line, ',');
	}
	safe_csv(line, profile_text(profile, profile->events[row->event].name));
	add_count(line, row->samples);
	add_count(line, row->weight);
	add_percent(line, table_percent(table, row));
	add_percent(line, 100 * interval.low);
	add_percent(line, 100 * interval.high);
	if (table->inclusive) {
		add_count(line, row->self.samples);
		add_count(line, row->self.weight);
		add_percent(line, table_self_percent(table, row));
	}
	if (table->accumulate)
		add_percent(line, row->accumulated);
}

static void print_titles(const struct table *table, bool instructions, FILE *out)
{
	for (size_t key = 0; key < table->keys.count; key++)
		fprintf(out, "%s,", table->keys.items[key]->name);
	fprintf(out, "event,samples,weight,percent,low,high%s%s%s\n",
		table->inclusive ? ",self_samples,self_weight,self_percent" : "",
		table->accumulate ? ",accumulated" : "", instructions ? ",instruction" : "");
}

void csv_print(const struct table *table, const struct instructions_view *instructions, FILE *out)
{
	print_titles(table, instructions != NULL, out);
	csv_print_rows(table, instructions, out);
}

void csv_print_rows(const struct table *table, const struct instructions_view *instructions,
		    FILE *out)
{
	struct buf line = { 0 }, text = { 0 };

	for (size_t i = 0; i < table->rows.count; i++) {
		buf_clear(&line);
		add_row(table, &table->rows.items[i], &line, &text);
		if (instructions)
			add_instruction(table, &table->rows.items[i], instructions, &line, &text);
		buf_add_char(&line, '\n');
		fwrite(line.bytes, 1, line.size, out);
	}
	buf_done(&line);
	buf_done(&text);
}
