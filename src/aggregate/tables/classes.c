/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/tables/classes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum { WHOLE_SHARE = 1000000 };

/* What finding and filling the classes share. */
struct making {
	struct classes *classes;
	const struct table *fine;
};

static struct key_list all_but_last(const struct key_list *keys)
{
	struct key_list made = *keys;

	made.count--;
	return made;
}

static const uint64_t *values_of(const struct table *table, const struct table_row *row)
{
	return &table->values.items[row->values];
}

static size_t number_of(const struct table *table, const struct table_row *row)
{
	return row->values / table->keys.count;
}

static void add_to(struct hits *hits, uint64_t samples, uint64_t weight)
{
	hits->samples += samples;
	hits->weight += weight;
}

static uint64_t class_value(const struct table *table, const struct table_row *row, size_t at)
{
	return values_of(table, row)[at];
}

static struct class *class_of(struct making *making, uint64_t value)
{
	struct classes *classes = making->classes;
	size_t number =
		number_of(making->classes->found, table_row(making->classes->found, 0, &value));

	if (number == classes->items.count)
		*vec_push(&classes->items) = (struct class){ .value = value };
	return &classes->items.items[number];
}

static int find_classes(struct making *making, const struct table *disjoint, size_t at,
			struct err *err)
{
	for (size_t i = 0; i < disjoint->rows.count; i++) {
		const struct table_row *row = &disjoint->rows.items[i];
		struct class *class = class_of(making, class_value(disjoint, row, at));

		add_to(&class->sums[row->event], row->samples, row->weight);
		if (making->classes->items.count > CLASSES_MAX)
			return err_set(err, -E2BIG,
				       "--columns %s would have more than %d columns: choose fewer "
				       "with --select, or make them rows with --by %s",
				       making->classes->key->name, CLASSES_MAX,
				       making->classes->key->name);
	}
	return 0;
}

struct ranked_class {
	struct class class;
	size_t number;
	uint64_t rank;
};

static int compare_ranks(const void *left, const void *right)
{
	const struct ranked_class *a = left, *b = right;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Numbers and events keep their own order; of other values the one with most samples comes
 * first. */
static uint64_t rank_of(const struct classes *classes, const struct class *class)
{
	const struct key *key = classes->key;
	uint64_t samples = 0;

	if (classes->of_events)
		return class->value;
	if (key->kind == KEY_NUMBER)
		return key->number ? key->number(classes->table->labels, class->value)
				   : class->value;
	for (int event = 0; event < PROFILE_MAX_EVENTS; event++)
		samples += class->sums[event].samples;
	return UINT64_MAX - samples;
}

static void sort_classes(struct making *making)
{
	struct classes *classes = making->classes;
	size_t count = classes->items.count;
	_cleanup_free_ struct ranked_class *ranked = xcalloc(count + 1, sizeof(*ranked));

	for (size_t i = 0; i < count; i++) {
		ranked[i].class = classes->items.items[i];
		ranked[i].number = i;
		ranked[i].rank = rank_of(classes, &ranked[i].class);
	}
	qsort(ranked, count, sizeof(*ranked), compare_ranks);
	classes->place = xcalloc(count + 1, sizeof(*classes->place));
	for (size_t i = 0; i < count; i++) {
		classes->items.items[i] = ranked[i].class;
		classes->place[ranked[i].number] = i;
	}
}

/* The row of the table that contains a row of @fine. */
static struct table_row *whole_row(const struct classes *classes, const struct table_row *row)
{
	uint8_t event = classes->of_events ? 0 : row->event;

	return table_row(classes->table, event, values_of(classes->fine, row));
}

static size_t class_number(const struct classes *classes, const struct table_row *row)
{
	const struct table *fine = classes->fine;
	uint64_t value = class_value(fine, row, fine->keys.count - 1);

	return classes->place[number_of(classes->found, table_row(classes->found, 0, &value))];
}

/* The row's share of its event, which is its class. */
static uint64_t share_of(const struct classes *classes, const struct table_row *row)
{
	const struct class *class = &classes->items.items[class_number(classes, row)];
	uint64_t whole = class->sums[row->event].weight;

	return whole ? (uint64_t)((double)row->weight / (double)whole * WHOLE_SHARE + 0.5) : 0;
}

static void merge_rows(struct making *making)
{
	const struct table *fine = making->fine;

	for (size_t i = 0; i < fine->rows.count; i++) {
		const struct table_row *row = &fine->rows.items[i];
		struct table_row *whole = whole_row(making->classes, row);
		uint64_t share = making->classes->of_events ? share_of(making->classes, row) : 0;

		whole->samples += row->samples;
		whole->self.samples += row->self.samples;
		whole->self.weight += row->self.weight;
		if (!making->classes->of_events)
			whole->weight += row->weight;
		else if (share > whole->weight)
			whole->weight = share;
	}
}

static void copy_sums(struct classes *classes, const struct table *fine)
{
	for (int event = 0; event < PROFILE_MAX_EVENTS; event++) {
		struct table_sum *sum = &classes->table->sums[event];

		sum->samples = fine->sums[event].samples;
		sum->weight = fine->sums[event].weight;
		sum->weight_squared = fine->sums[event].weight_squared;
	}
}

static int make(struct making *making, const struct table *disjoint, size_t at, struct err *err)
{
	struct classes *classes = making->classes;
	int rc = find_classes(making, disjoint, at, err);

	if (rc < 0)
		return rc;
	sort_classes(making);
	merge_rows(making);
	if (classes->of_events)
		classes->table->sums[0].weight = WHOLE_SHARE;
	else
		copy_sums(classes, making->fine);
	return 0;
}

int classes_new(const struct table *fine, const struct table *disjoint, size_t at,
		struct classes **ret_classes, struct err *err)
{
	const struct key_list whole = all_but_last(&fine->keys);
	const struct key *key = fine->keys.items[fine->keys.count - 1];
	struct key_list one = { .items = { key }, .count = 1 };
	struct classes *classes = xcalloc(1, sizeof(*classes));
	struct making making = { .classes = classes, .fine = fine };
	int rc;

	classes->key = key;
	classes->of_events = key->uses == 0;
	classes->fine = fine;
	classes->table = table_new(fine->labels, &whole);
	classes->table->inclusive = fine->inclusive;
	classes->found = table_new(fine->labels, &one);
	rc = make(&making, disjoint, at, err);
	if (rc < 0)
		classes_free(classes);
	else
		*ret_classes = classes;
	return rc;
}

enum { NOT_SHOWN = UINT32_MAX };

/* By a row's number in order of creation: its index among the shown rows. The caller frees it. */
static uint32_t *places_of_rows(const struct classes *classes, size_t made)
{
	uint32_t *places = xmalloc((made + 1) * sizeof(*places));

	for (size_t i = 0; i < made; i++)
		places[i] = NOT_SHOWN;
	for (size_t i = 0; i < classes->table->rows.count; i++)
		places[number_of(classes->table, &classes->table->rows.items[i])] = (uint32_t)i;
	return places;
}

/* @numbers: by row of the fine table, the number of the row that contains it. */
static void fill_cells(struct classes *classes, const uint32_t *numbers, const uint32_t *places)
{
	for (size_t i = 0; i < classes->fine->rows.count; i++) {
		const struct table_row *row = &classes->fine->rows.items[i];
		uint32_t place = places[numbers[i]];
		struct hits *cell;

		if (place == NOT_SHOWN)
			continue;
		cell = &classes->cells[place * classes->items.count + class_number(classes, row)];
		add_to(cell, row->samples, row->weight);
	}
}

int classes_finish(struct classes *classes, double threshold, size_t limit, struct err *err)
{
	const struct table *fine = classes->fine;
	_cleanup_free_ uint32_t *numbers = xmalloc((fine->rows.count + 1) * sizeof(*numbers));
	_cleanup_free_ uint32_t *places = NULL;
	size_t made = classes->table->rows.count, count = classes->items.count;

	for (size_t i = 0; i < fine->rows.count; i++)
		numbers[i] = (uint32_t)number_of(classes->table,
						 whole_row(classes, &fine->rows.items[i]));
	table_finish(classes->table, threshold, limit);
	if (classes->table->rows.count > CLASSES_MAX_CELLS / (count + 1))
		return err_set(err, -E2BIG,
			       "--columns %s would have too many cells (%zu rows, %zu columns): "
			       "choose fewer with --select, --limit or --threshold",
			       classes->key->name, classes->table->rows.count, count);
	places = places_of_rows(classes, made);
	classes->cells = xcalloc(classes->table->rows.count * count + 1, sizeof(*classes->cells));
	fill_cells(classes, numbers, places);
	return 0;
}

void classes_free(struct classes *classes)
{
	if (!classes)
		return;
	table_free(classes->table);
	table_free(classes->found);
	free(classes->place);
	vec_free(&classes->items);
	free(classes->cells);
	free(classes);
}

const struct hits *classes_cell(const struct classes *classes, const struct table_row *row,
				size_t class)
{
	size_t place = (size_t)(row - classes->table->rows.items);

	return &classes->cells[place * classes->items.count + class];
}

double classes_percent(const struct classes *classes, const struct table_row *row, size_t class)
{
	uint8_t event =
		classes->of_events ? (uint8_t)classes->items.items[class].value : row->event;
	uint64_t whole = classes->items.items[class].sums[event].weight;

	return whole ? 100.0 * (double)classes_cell(classes, row, class)->weight / (double)whole
		     : 0;
}

void classes_text(const struct classes *classes, size_t class, struct buf *buf)
{
	classes->key->text(classes->table->labels, classes->items.items[class].value, buf);
}
