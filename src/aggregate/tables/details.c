/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/tables/details.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/xalloc.h"

struct part {
	size_t whole, row;
	uint64_t number;
};

DEFINE_ORDER(compare_parts, struct part,
	     COMPARE(a->whole, b->whole) ?: COMPARE(a->number, b->number) ?:
	     COMPARE(a->row, b->row))

static void add_part(struct details *details, size_t id, struct part *ret_part)
{
	const struct table *fine = details->fine;
	const struct table_row *row = &fine->rows.items[id];
	const uint64_t *values = &fine->values.items[row->values];
	const struct key *last = fine->keys.items[fine->keys.count - 1];
	uint64_t value = values[fine->keys.count - 1];
	struct table_row *whole = table_row(details->whole, row->event, values);

	whole->samples += row->samples;
	whole->weight += row->weight;
	*ret_part = (struct part){ table_number(details->whole, whole), id,
				   last->number ? last->number(fine->labels, value) : value };
}

static void put_in_order(struct details *details, struct part *parts)
{
	size_t count = details->fine->rows.count, rows = details->whole->rows.count, at = 0;

	if (count)
		qsort(parts, count, sizeof(*parts), compare_parts);
	details->order = xcalloc(count + 1, sizeof(*details->order));
	details->first = xcalloc(rows + 1, sizeof(*details->first));
	for (size_t row = 0; row <= rows; row++) {
		details->first[row] = at;
		for (; at < count && parts[at].whole == row; at++)
			details->order[at] = parts[at].row;
	}
}

struct details *details_new(const struct table *fine)
{
	struct details *details = xcalloc(1, sizeof(*details));
	struct part *parts = xcalloc(fine->rows.count + 1, sizeof(*parts));
	struct key_list whole = fine->keys;

	whole.count--;
	details->fine = fine;
	details->whole = table_new(fine->labels, &whole);
	for (size_t i = 0; i < fine->rows.count; i++)
		add_part(details, i, &parts[i]);
	table_copy_sums(details->whole, fine);
	put_in_order(details, parts);
	free(parts);
	return details;
}

void details_free(struct details *details)
{
	if (!details)
		return;
	table_free(details->whole);
	free(details->order);
	free(details->first);
	free(details);
}

size_t details_count(const struct details *details, const struct table_row *whole)
{
	size_t number = table_number(details->whole, whole);

	return details->first[number + 1] - details->first[number];
}

const struct table_row *details_part(const struct details *details, const struct table_row *whole,
				     size_t part)
{
	size_t number = table_number(details->whole, whole);

	return &details->fine->rows.items[details->order[details->first[number] + part]];
}
