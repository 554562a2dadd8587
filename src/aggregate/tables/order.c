/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/tables/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/tables/table.h"
#include "base/cleanup.h"
#include "base/compare.h"
#include "base/radix.h"
#include "base/xalloc.h"

static const struct {
	const char *name;
	enum order_kind kind;
} words[] = {
	{ "weight", ORDER_WEIGHT },
	{ "samples", ORDER_SAMPLES },
	{ "self", ORDER_SELF },
};

/* Numbers have their value, texts their position in sorting.texts. */
struct sort_value {
	uint64_t number;
	size_t text;
};

struct sorting {
	const struct order *order;
	const struct table *table;
	struct buf texts;
	struct sort_value *values; /* for each row, one for each step; NULL: no key is compared */
};

struct sorted_row {
	struct table_row row;
	size_t place; /* index before sorting */
	const struct sorting *sorting;
};

static int parse_step(const char *text, size_t length, struct order_step *ret_step, struct err *err)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i].name) == length && memcmp(words[i].name, text, length) == 0) {
			*ret_step = (struct order_step){ .kind = words[i].kind };
			return 0;
		}
	}
	*ret_step = (struct order_step){ ORDER_KEY, keys_find(text, length, err) };
	return ret_step->key ? 0
			     : err_prefix(err, -EINVAL,
					  "--sort (expected weight, samples, self or a key)");
}

static bool has_step(const struct order *order, const struct order_step *step)
{
	for (size_t i = 0; i < order->count; i++) {
		if (order->steps[i].kind == step->kind && order->steps[i].key == step->key)
			return true;
	}
	return false;
}

int order_parse(const char *text, bool reversed, struct order *ret_order, struct err *err)
{
	struct order order = { .reversed = reversed };

	while (text) {
		size_t length = strcspn(text, ",");
		struct order_step step = { .key = NULL };
		int rc = length || !order.count ? parse_step(text, length, &step, err)
						: err_set(err, -EINVAL,
							  "empty word in --sort: expected weight, "
							  "samples, self or a key");

		if (rc < 0)
			return rc;
		if (has_step(&order, &step) || order.count == KEYS_MAX)
			return err_set(err, -EINVAL, "--sort: '%.*s' is given twice", (int)length,
				       text);
		order.steps[order.count++] = step;
		text = text[length] ? text + length + 1 : NULL;
	}
	*ret_order = order;
	return 0;
}

int order_check(const struct order *order, const struct key_list *keys, bool inclusive,
		struct err *err)
{
	for (size_t i = 0; i < order->count; i++) {
		const struct order_step *step = &order->steps[i];

		if (step->kind == ORDER_SELF && !inclusive)
			return err_set(err, -EINVAL, "--sort self needs --children");
		if (step->kind == ORDER_KEY && !keys_has(keys, step->key))
			return err_set(err, -EINVAL,
				       "--sort %s: the table has no such key: add it to --by",
				       step->key->name);
	}
	return 0;
}

/* Texts have the number 0, so they are compared as texts. */
static int compare_values(const struct sorting *sorting, size_t step, const struct sorted_row *a,
			  const struct sorted_row *b)
{
	size_t count = sorting->order->count;
	const struct sort_value *left = &sorting->values[a->place * count + step];
	const struct sort_value *right = &sorting->values[b->place * count + step];

	return COMPARE(left->number, right->number)
		       ?: strcmp(sorting->texts.bytes + left->text,
				 sorting->texts.bytes + right->text);
}

static int compare_step(const struct sorting *sorting, size_t step, const struct sorted_row *a,
			const struct sorted_row *b)
{
	switch (sorting->order->steps[step].kind) {
	case ORDER_WEIGHT:
		return COMPARE(b->row.weight, a->row.weight);
	case ORDER_SAMPLES:
		return COMPARE(b->row.samples, a->row.samples);
	case ORDER_SELF:
		return COMPARE(b->row.self.weight, a->row.self.weight);
	default:
		return compare_values(sorting, step, a, b);
	}
}

static uint64_t own_weight(const struct sorting *sorting, const struct sorted_row *row)
{
	return sorting->table->by_self ? row->row.self.weight : row->row.weight;
}

static int compare_rows(const void *left, const void *right)
{
	const struct sorted_row *a = left, *b = right;
	const struct sorting *sorting = a->sorting;
	int rc = COMPARE(a->row.event, b->row.event);

	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < sorting->order->count; i++)
		rc = compare_step(sorting, i, a, b);
	if (!rc)
		rc = COMPARE(own_weight(sorting, b), own_weight(sorting, a));
	if (sorting->order->reversed)
		rc = -rc;
	return rc ?: COMPARE(a->row.values, b->row.values);
}

/* The value by which a row is compared. */
static struct sort_value sort_value_of(struct sorting *sorting, const struct order_step *step,
				       const struct table_row *row)
{
	const struct table *table = sorting->table;
	struct sort_value made = { .text = sorting->texts.size };
	size_t at = 0;
	uint64_t value;

	while (table->keys.items[at] != step->key)
		at++;
	value = table->values.items[row->values + at];
	if (step->key->kind == KEY_NUMBER)
		made.number = step->key->number ? step->key->number(table->labels, value) : value;
	else
		step->key->text(table->labels, value, &sorting->texts);
	buf_add_char(&sorting->texts, '\0');
	return made;
}

static void find_values(struct sorting *sorting)
{
	const struct order *order = sorting->order;
	const struct table *table = sorting->table;

	sorting->values = xcalloc(table->rows.count * order->count + 1, sizeof(*sorting->values));
	for (size_t i = 0; i < table->rows.count * order->count; i++) {
		const struct order_step *step = &order->steps[i % order->count];

		if (step->kind == ORDER_KEY)
			sorting->values[i] =
				sort_value_of(sorting, step, &table->rows.items[i / order->count]);
	}
}

/* The numbers of the default order, least significant first. */
enum number {
	NUMBER_PLACE,
	NUMBER_WEIGHT,
	NUMBER_EVENT,
	NUMBER_COUNT,
};

static uint64_t number_of(const struct table *table, const struct table_row *row,
			  enum number number)
{
	switch (number) {
	case NUMBER_PLACE:
		return row->values;
	case NUMBER_WEIGHT:
		return ~(table->by_self ? row->self.weight : row->weight);
	default:
		return row->event;
	}
}

/* Looks up the number of each row in @order. True if they are already in order. */
static bool find_numbers(const struct table *table, enum number number, struct radix_item *order)
{
	bool ascending = true;
	uint64_t before = 0;

	for (size_t i = 0; i < table->rows.count; i++) {
		order[i].key = number_of(table, &table->rows.items[order[i].id], number);
		ascending &= order[i].key >= before;
		before = order[i].key;
	}
	return ascending;
}

/* The same order as compare_rows without steps, but faster: there may be millions of rows. */
static void sort_by_weight(struct table *table)
{
	size_t count = table->rows.count;
	_cleanup_free_ struct radix_item *order = xmalloc((count + 1) * sizeof(*order));

	for (size_t i = 0; i < count; i++)
		order[i].id = (uint32_t)i;
	for (enum number number = NUMBER_PLACE; number < NUMBER_COUNT; number++) {
		if (!find_numbers(table, number, order))
			radix_sort(order, count);
	}
	radix_arrange(order, count, table->rows.items, sizeof(*table->rows.items));
}

static void sort_by_steps(const struct order *order, struct table *table)
{
	struct sorting sorting = { .order = order, .table = table };
	_cleanup_free_ struct sorted_row *rows = xcalloc(table->rows.count + 1, sizeof(*rows));

	if (order->count)
		find_values(&sorting);
	for (size_t i = 0; i < table->rows.count; i++)
		rows[i] = (struct sorted_row){ table->rows.items[i], i, &sorting };
	if (table->rows.count)
		qsort(rows, table->rows.count, sizeof(*rows), compare_rows);
	for (size_t i = 0; i < table->rows.count; i++)
		table->rows.items[i] = rows[i].row;
	free(sorting.values);
	buf_done(&sorting.texts);
}

void order_sort(const struct order *order, struct table *table)
{
	if (order->count || order->reversed)
		sort_by_steps(order, table);
	else
		sort_by_weight(table);
}
