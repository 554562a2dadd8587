/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/classes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum { WHOLE_SHARE = 1000000 };

/* Where each class of the profile stands. */
struct making {
	struct classes *classes;
	const struct table *fine;
	struct table *found; /* by the key of the classes alone; its rows are numbered as found */
	size_t *place;	     /* by such a number: which class that is */
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
	size_t number = number_of(making->found, table_row(making->found, 0, &value));

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
				       "--columns %s: there are more than %d; --select fewer of "
				       "them, or make them rows with --by %s",
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

/* Numbers and events stand in their own order; of the others the heaviest comes first. */
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
	making->place = xcalloc(count + 1, sizeof(*making->place));
	for (size_t i = 0; i < count; i++) {
		classes->items.items[i] = ranked[i].class;
		making->place[ranked[i].number] = i;
	}
}

/* The row that a row of @fine is a part of. */
static struct table_row *whole_row(struct making *making, const struct table_row *row)
{
	uint8_t event = making->classes->of_events ? 0 : row->event;

	return table_row(making->classes->table, event, values_of(making->fine, row));
}

static struct hits *cell_at(const struct classes *classes, const struct table_row *row,
			    size_t class)
{
	size_t number = number_of(classes->table, row);

	return &classes->cells[number * classes->items.count + class];
}

static void merge_rows(struct making *making)
{
	const struct table *fine = making->fine;

	for (size_t i = 0; i < fine->rows.count; i++) {
		const struct table_row *row = &fine->rows.items[i];
		struct table_row *whole = whole_row(making, row);

		whole->samples += row->samples;
		whole->weight += row->weight;
		add_to(&whole->self, row->self.samples, row->self.weight);
	}
}

static void fill_cells(struct making *making)
{
	const struct table *fine = making->fine;
	size_t last = fine->keys.count - 1;

	for (size_t i = 0; i < fine->rows.count; i++) {
		const struct table_row *row = &fine->rows.items[i];
		uint64_t value = class_value(fine, row, last);
		size_t number = number_of(making->found, table_row(making->found, 0, &value));

		add_to(cell_at(making->classes, whole_row(making, row), making->place[number]),
		       row->samples, row->weight);
	}
}

/* The largest share of an event that the row has; so any event that reaches a threshold shows it.
 */
static void weigh_by_share(struct classes *classes)
{
	for (size_t i = 0; i < classes->table->rows.count; i++) {
		struct table_row *row = &classes->table->rows.items[i];
		double most = 0;

		for (size_t class = 0; class < classes->items.count; class ++) {
			double here = classes_percent(classes, row, class);

			most = here > most ? here : most;
		}
		row->weight = (uint64_t)(most / 100 * WHOLE_SHARE + 0.5);
	}
	classes->table->sums[0].weight = WHOLE_SHARE;
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
	if (classes->table->rows.count > CLASSES_MAX_CELLS / (classes->items.count + 1))
		return err_set(err, -E2BIG,
			       "--columns %s: %zu rows of %zu columns are too many; --select "
			       "fewer, or put fewer keys into --by",
			       classes->key->name, classes->table->rows.count,
			       classes->items.count);
	classes->cells = xcalloc(classes->table->rows.count * classes->items.count + 1,
				 sizeof(*classes->cells));
	fill_cells(making);
	if (classes->of_events)
		weigh_by_share(classes);
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
	classes->table = table_new(fine->labels, &whole);
	classes->table->inclusive = fine->inclusive;
	making.found = table_new(fine->labels, &one);
	rc = make(&making, disjoint, at, err);
	table_free(making.found);
	free(making.place);
	if (rc < 0)
		classes_free(classes);
	else
		*ret_classes = classes;
	return rc;
}

void classes_free(struct classes *classes)
{
	if (!classes)
		return;
	table_free(classes->table);
	vec_free(&classes->items);
	free(classes->cells);
	free(classes);
}

const struct hits *classes_cell(const struct classes *classes, const struct table_row *row,
				size_t class)
{
	return cell_at(classes, row, class);
}

double classes_percent(const struct classes *classes, const struct table_row *row, size_t class)
{
	uint8_t event =
		classes->of_events ? (uint8_t)classes->items.items[class].value : row->event;
	uint64_t whole = classes->items.items[class].sums[event].weight;

	return whole ? 100.0 * (double)cell_at(classes, row, class)->weight / (double)whole : 0;
}

void classes_text(const struct classes *classes, size_t class, struct buf *buf)
{
	classes->key->text(classes->table->labels, classes->items.items[class].value, buf);
}
