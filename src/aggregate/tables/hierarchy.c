/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/tables/hierarchy.h"

#include <stdlib.h>

#include "base/xalloc.h"

/* Rows of a level by their parent row, in the order they are shown. */
struct below {
	size_t *parent; /* by a row's number: the number of its parent */
	size_t *first;	/* by the parent's number: where in order its rows begin */
	size_t *order;	/* indices of rows in the sorted level */
};

struct building {
	struct hierarchy *hierarchy;
	struct below below[KEYS_MAX];
	double threshold;
	size_t limit;
};

/* The steps of the order that apply to the level's keys. */
static struct order order_of_level(const struct order *order, const struct key_list *keys)
{
	struct order made = { .reversed = order->reversed };

	for (size_t i = 0; i < order->count; i++) {
		struct order one = { .steps = { order->steps[i] }, .count = 1 };

		if (order_check(&one, keys, false, NULL) == 0)
			made.steps[made.count++] = order->steps[i];
	}
	return made;
}

static struct table *make_level(const struct table *table, size_t level)
{
	struct key_list keys = table->keys;
	struct table *made;

	keys.count = level + 1;
	made = table_new(table->labels, &keys);
	made->order = order_of_level(&table->order, &keys);
	table_copy_sums(made, table);
	return made;
}

/* Adds a row of the whole table to the row of @level that contains it; returns that row's
 * number. */
static size_t add(struct table *level, const struct table *table, const struct table_row *part)
{
	struct table_row *row = table_row(level, part->event, &table->values.items[part->values]);

	row->samples += part->samples;
	row->weight += part->weight;
	return table_number(level, row);
}

static void add_rows(struct building *building, const struct table *table)
{
	struct hierarchy *hierarchy = building->hierarchy;
	size_t rows = table->rows.count;

	for (size_t level = 0; level < hierarchy->count; level++)
		building->below[level].parent =
			xcalloc(rows + 1, sizeof(*building->below[level].parent));
	for (size_t i = 0; i < rows; i++) {
		size_t above = 0;

		for (size_t level = 0; level < hierarchy->count; level++) {
			size_t number = add(hierarchy->levels[level], table, &table->rows.items[i]);

			building->below[level].parent[number] = above;
			above = number;
		}
	}
}

/* Groups the rows of a sorted level by parent; there are @parents. */
static void gather(struct below *below, const struct table *level, size_t parents)
{
	size_t rows = level->rows.count;

	below->first = xcalloc(parents + 2, sizeof(*below->first));
	below->order = xcalloc(rows + 1, sizeof(*below->order));
	for (size_t i = 0; i < rows; i++)
		below->first[below->parent[table_number(level, &level->rows.items[i])] + 2]++;
	for (size_t parent = 1; parent <= parents; parent++)
		below->first[parent + 1] += below->first[parent];
	for (size_t i = 0; i < rows; i++) {
		size_t parent = below->parent[table_number(level, &level->rows.items[i])];

		below->order[below->first[parent + 1]++] = i;
	}
}

/* Shows the rows of @level whose parent has the number @above, for one event. */
static void show(struct building *building, size_t level, size_t above, uint8_t event)
{
	struct hierarchy *hierarchy = building->hierarchy;
	const struct below *below = &building->below[level];
	const struct table *table = hierarchy->levels[level];
	size_t shown = 0;

	for (size_t i = below->first[above]; i < below->first[above + 1]; i++) {
		const struct table_row *row = &table->rows.items[below->order[i]];

		if (row->event != event)
			continue;
		if (table_percent(table, row) < building->threshold ||
		    (building->limit && shown >= building->limit)) {
			hierarchy->left_out[event]++;
			continue;
		}
		shown++;
		*vec_push(&hierarchy->rows) = (struct hierarchy_row){ level, row };
		if (level + 1 < hierarchy->count)
			show(building, level + 1, table_number(table, row), event);
	}
}

struct hierarchy *hierarchy_new(const struct table *table, double threshold, size_t limit)
{
	struct hierarchy *hierarchy = xcalloc(1, sizeof(*hierarchy));
	struct building building = { hierarchy, .threshold = threshold, .limit = limit };
	size_t parents = 1; /* the first level has one parent, the root */

	hierarchy->count = table->keys.count;
	for (size_t level = 0; level < hierarchy->count; level++)
		hierarchy->levels[level] = make_level(table, level);
	add_rows(&building, table);
	for (size_t level = 0; level < hierarchy->count; level++) {
		order_sort(&hierarchy->levels[level]->order, hierarchy->levels[level]);
		gather(&building.below[level], hierarchy->levels[level], parents);
		parents = hierarchy->levels[level]->rows.count;
	}
	for (int event = 0; hierarchy->count && event < PROFILE_MAX_EVENTS; event++)
		show(&building, 0, 0, (uint8_t)event);
	for (size_t level = 0; level < hierarchy->count; level++) {
		free(building.below[level].parent);
		free(building.below[level].first);
		free(building.below[level].order);
	}
	return hierarchy;
}

void hierarchy_free(struct hierarchy *hierarchy)
{
	if (!hierarchy)
		return;
	for (size_t level = 0; level < hierarchy->count; level++)
		table_free(hierarchy->levels[level]);
	vec_free(&hierarchy->rows);
	free(hierarchy);
}
