/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/count_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/xalloc.h"

/* One line's rows, one from each run. */
struct gathered {
	struct mean counts[COUNTS_MAX_EVENTS];
	struct mean ratios[COUNTS_MAX_EVENTS];
	struct count_value sums[COUNTS_MAX_EVENTS];
	bool seen[COUNTS_MAX_EVENTS]; /* counted in some run */
	double executed;
};

static const struct count_row nothing;

static void gather(struct gathered *gathered, const struct count_table *table,
		   const struct count_row *row, uint64_t wall_ns)
{
	gathered->executed += (double)row->runs;
	for (size_t i = 0; i < table->event_count; i++) {
		double ratio;

		counts_add_value(&gathered->sums[i], &row->values[i]);
		if (counts_value_state(&table->events[i], &row->values[i]) != COUNT_GOOD)
			continue;
		gathered->seen[i] = true;
		mean_add(&gathered->counts[i], counts_scaled(&row->values[i]));
		if (!table->has_ratio[i])
			continue;
		ratio = count_ratios_value(&table->ratios[i], table->events, i, row->values,
					   wall_ns);
		if (!isnan(ratio))
			mean_add(&gathered->ratios[i], ratio);
	}
}

static struct count_number number_of(const struct mean *mean)
{
	return (struct count_number){ mean->value, mean_half(mean) };
}

static void fill(struct count_line *line, const struct count_table *table,
		 const struct gathered *gathered)
{
	line->runs = gathered->executed / (double)table->repeats;
	for (size_t i = 0; i < table->event_count; i++) {
		struct count_figure *figure = &line->figures[i];

		figure->state = table->events[i].state;
		if (figure->state == COUNT_GOOD && !gathered->seen[i])
			figure->state = COUNT_NOT_COUNTED;
		figure->percent_counted = counts_percent_counted(&gathered->sums[i]);
		figure->count = number_of(&gathered->counts[i]);
		figure->has_ratio = gathered->ratios[i].count > 0;
		figure->ratio = number_of(&gathered->ratios[i]);
	}
}

/* The row with the same key in another run; an empty row if there is none. */
static const struct count_row *row_of(const struct counts *counts, const struct count_key *key)
{
	for (size_t i = 0; i < counts->rows.count; i++) {
		if (counts_compare_keys(&counts->rows.items[i].key, key) == 0)
			return &counts->rows.items[i];
	}
	return &nothing;
}

static void add_line(struct count_table *table, const struct counts *runs, size_t count,
		     size_t first_run, const struct count_row *row)
{
	struct count_line *line = vec_push(&table->lines);
	struct gathered gathered = { 0 };

	*line = (struct count_line){ .key = row->key };
	for (size_t i = 0; i < count; i++)
		gather(&gathered, table, i == first_run ? row : row_of(&runs[i], &row->key),
		       runs[i].wall_ns);
	fill(line, table, &gathered);
}

static bool was_in_earlier(const struct counts *runs, size_t run, const struct count_key *key)
{
	for (size_t i = 0; i < run; i++) {
		if (row_of(&runs[i], key) != &nothing)
			return true;
	}
	return false;
}

static void add_lines(struct count_table *table, const struct counts *runs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < runs[i].rows.count; j++) {
			const struct count_row *row = &runs[i].rows.items[j];

			if (!was_in_earlier(runs, i, &row->key))
				add_line(table, runs, count, i, row);
		}
	}
}

static void add_total(struct count_table *table, const struct counts *runs, size_t count)
{
	struct gathered gathered = { 0 };
	struct mean wall = { 0 };

	for (size_t i = 0; i < count; i++) {
		struct count_row total = counts_total(&runs[i]);

		gather(&gathered, table, &total, runs[i].wall_ns);
		mean_add(&wall, (double)runs[i].wall_ns / (double)NS_PER_S);
	}
	table->total.key = (struct count_key){ .cpu = -1, .pid = -1, .tid = -1 };
	fill(&table->total, table, &gathered);
	table->wall_s = number_of(&wall);
}

struct count_table *count_table_new(const struct counts *runs, size_t count)
{
	struct count_table *table = xcalloc(1, sizeof(*table));

	table->repeats = count;
	table->event_count = runs[0].event_count;
	table->complete = true;
	table->ended_s = (double)runs[0].ended_ns / (double)NS_PER_S;
	memcpy(table->events, runs[0].events, sizeof(table->events));
	for (size_t i = 0; i < table->event_count; i++)
		table->has_ratio[i] =
			count_ratios_find(table->events, table->event_count, i, &table->ratios[i]);
	for (size_t i = 0; i < count; i++)
		table->complete &= runs[i].complete;
	add_lines(table, runs, count);
	add_total(table, runs, count);
	return table;
}

void count_table_free(struct count_table *table)
{
	if (!table)
		return;
	vec_free(&table->lines);
	free(table);
}
