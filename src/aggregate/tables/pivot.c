/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/tables/pivot.h"

#include <errno.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/xalloc.h"

enum { WHOLE_SHARE = 1000000 };

static const uint64_t *values_of(const struct table *table, const struct table_row *row)
{
	return &table->values.items[row->values];
}

static struct pivot_column *column_of(struct pivot *pivot, uint64_t value)
{
	size_t number = table_number(pivot->found, table_row(pivot->found, 0, &value));

	if (number == pivot->columns.count)
		*vec_push(&pivot->columns) = (struct pivot_column){ .value = value };
	return &pivot->columns.items[number];
}

static int find_columns(struct pivot *pivot, const struct table *disjoint, size_t at,
			struct err *err)
{
	for (size_t i = 0; i < disjoint->rows.count; i++) {
		const struct table_row *row = &disjoint->rows.items[i];
		struct pivot_column *column = column_of(pivot, values_of(disjoint, row)[at]);

		hits_add(&column->sums[row->event], &(struct hits){ row->samples, row->weight });
		if (pivot->columns.count > PIVOT_MAX_COLUMNS)
			return err_set(err, -E2BIG,
				       "--columns %s would have more than %d columns: choose fewer "
				       "with --select, or make them rows with --by %s",
				       pivot->key->name, PIVOT_MAX_COLUMNS, pivot->key->name);
	}
	return 0;
}

struct ranked_column {
	struct pivot_column column;
	size_t number;
	uint64_t rank;
};

DEFINE_ORDER(compare_ranks, struct ranked_column,
	     COMPARE(a->rank, b->rank) ?: COMPARE(a->number, b->number))

/* Numbers and events keep their own order; of other values the one with most samples comes
 * first. */
static uint64_t rank_of(const struct pivot *pivot, const struct pivot_column *column)
{
	const struct key *key = pivot->key;
	uint64_t samples = 0;

	if (pivot->of_events)
		return column->value;
	if (key->kind == KEY_NUMBER)
		return key->number ? key->number(pivot->table->labels, column->value)
				   : column->value;
	for (int event = 0; event < PROFILE_MAX_EVENTS; event++)
		samples += column->sums[event].samples;
	return UINT64_MAX - samples;
}

static void sort_columns(struct pivot *pivot)
{
	size_t count = pivot->columns.count;
	_cleanup_free_ struct ranked_column *ranked = xcalloc(count + 1, sizeof(*ranked));

	for (size_t i = 0; i < count; i++) {
		ranked[i].column = pivot->columns.items[i];
		ranked[i].number = i;
		ranked[i].rank = rank_of(pivot, &ranked[i].column);
	}
	qsort(ranked, count, sizeof(*ranked), compare_ranks);
	pivot->place = xcalloc(count + 1, sizeof(*pivot->place));
	for (size_t i = 0; i < count; i++) {
		pivot->columns.items[i] = ranked[i].column;
		pivot->place[ranked[i].number] = i;
	}
}

/* The row of the table that contains a row of @fine. */
static struct table_row *whole_row(const struct pivot *pivot, const struct table_row *row)
{
	uint8_t event = pivot->of_events ? 0 : row->event;

	return table_row(pivot->table, event, values_of(pivot->fine, row));
}

static size_t column_number(const struct pivot *pivot, const struct table_row *row)
{
	const struct table *fine = pivot->fine;
	uint64_t value = values_of(fine, row)[fine->keys.count - 1];

	return pivot->place[table_number(pivot->found, table_row(pivot->found, 0, &value))];
}

/* The row's share of its event, which is its column. */
static uint64_t share_of(const struct pivot *pivot, const struct table_row *row)
{
	const struct pivot_column *column = &pivot->columns.items[column_number(pivot, row)];
	uint64_t whole = column->sums[row->event].weight;

	return whole ? (uint64_t)((double)row->weight / (double)whole * WHOLE_SHARE + 0.5) : 0;
}

static void merge_rows(struct pivot *pivot)
{
	const struct table *fine = pivot->fine;

	for (size_t i = 0; i < fine->rows.count; i++) {
		const struct table_row *row = &fine->rows.items[i];
		struct table_row *whole = whole_row(pivot, row);
		uint64_t share = pivot->of_events ? share_of(pivot, row) : 0;

		whole->samples += row->samples;
		hits_add(&whole->self, &row->self);
		if (!pivot->of_events)
			whole->weight += row->weight;
		else if (share > whole->weight)
			whole->weight = share;
	}
}

static int make(struct pivot *pivot, const struct table *disjoint, size_t at, struct err *err)
{
	int rc = find_columns(pivot, disjoint, at, err);

	if (rc < 0)
		return rc;
	sort_columns(pivot);
	merge_rows(pivot);
	if (pivot->of_events)
		pivot->table->sums[0].weight = WHOLE_SHARE;
	else
		table_copy_sums(pivot->table, pivot->fine);
	return 0;
}

int pivot_new(const struct table *fine, const struct table *disjoint, size_t at,
	      struct pivot **ret_pivot, struct err *err)
{
	const struct key *key = fine->keys.items[fine->keys.count - 1];
	struct key_list whole = fine->keys, one = { .items = { key }, .count = 1 };
	struct pivot *pivot = xcalloc(1, sizeof(*pivot));
	int rc;

	whole.count--;
	pivot->key = key;
	pivot->of_events = key->uses == 0;
	pivot->fine = fine;
	pivot->table = table_new(fine->labels, &whole);
	pivot->table->inclusive = fine->inclusive;
	pivot->found = table_new(fine->labels, &one);
	rc = make(pivot, disjoint, at, err);
	if (rc < 0)
		pivot_free(pivot);
	else
		*ret_pivot = pivot;
	return rc;
}

enum { NOT_SHOWN = UINT32_MAX };

/* By a row's number in order of creation: its index among the shown rows. The caller frees it. */
static uint32_t *places_of_rows(const struct pivot *pivot, size_t made)
{
	uint32_t *places = xmalloc((made + 1) * sizeof(*places));

	for (size_t i = 0; i < made; i++)
		places[i] = NOT_SHOWN;
	for (size_t i = 0; i < pivot->table->rows.count; i++)
		places[table_number(pivot->table, &pivot->table->rows.items[i])] = (uint32_t)i;
	return places;
}

/* @numbers: by row of the fine table, the number of the row that contains it. */
static void fill_cells(struct pivot *pivot, const uint32_t *numbers, const uint32_t *places)
{
	for (size_t i = 0; i < pivot->fine->rows.count; i++) {
		const struct table_row *row = &pivot->fine->rows.items[i];
		uint32_t place = places[numbers[i]];
		struct hits *cell;

		if (place == NOT_SHOWN)
			continue;
		cell = &pivot->cells[place * pivot->columns.count + column_number(pivot, row)];
		hits_add(cell, &(struct hits){ row->samples, row->weight });
	}
}

int pivot_finish(struct pivot *pivot, double threshold, size_t limit, struct err *err)
{
	const struct table *fine = pivot->fine;
	_cleanup_free_ uint32_t *numbers = xmalloc((fine->rows.count + 1) * sizeof(*numbers));
	_cleanup_free_ uint32_t *places = NULL;
	size_t made = pivot->table->rows.count, count = pivot->columns.count;

	for (size_t i = 0; i < fine->rows.count; i++)
		numbers[i] = (uint32_t)table_number(pivot->table,
						    whole_row(pivot, &fine->rows.items[i]));
	table_finish(pivot->table, threshold, limit);
	if (pivot->table->rows.count > PIVOT_MAX_CELLS / (count + 1))
		return err_set(err, -E2BIG,
			       "--columns %s would have too many cells (%zu rows, %zu columns): "
			       "choose fewer with --select, --limit or --threshold",
			       pivot->key->name, pivot->table->rows.count, count);
	places = places_of_rows(pivot, made);
	pivot->cells = xcalloc(pivot->table->rows.count * count + 1, sizeof(*pivot->cells));
	fill_cells(pivot, numbers, places);
	return 0;
}

void pivot_free(struct pivot *pivot)
{
	if (!pivot)
		return;
	table_free(pivot->table);
	table_free(pivot->found);
	free(pivot->place);
	vec_free(&pivot->columns);
	free(pivot->cells);
	free(pivot);
}

const struct hits *pivot_cell(const struct pivot *pivot, const struct table_row *row, size_t column)
{
	size_t place = (size_t)(row - pivot->table->rows.items);

	return &pivot->cells[place * pivot->columns.count + column];
}

double pivot_percent(const struct pivot *pivot, const struct table_row *row, size_t column)
{
	uint8_t event = pivot->of_events ? (uint8_t)pivot->columns.items[column].value : row->event;
	uint64_t whole = pivot->columns.items[column].sums[event].weight;

	return whole ? 100.0 * (double)pivot_cell(pivot, row, column)->weight / (double)whole : 0;
}

void pivot_text(const struct pivot *pivot, size_t column, struct buf *buf)
{
	pivot->key->text(pivot->table->labels, pivot->columns.items[column].value, buf);
}
