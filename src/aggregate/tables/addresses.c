/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/tables/addresses.h"

#include <stdlib.h>

#include "base/search.h"

/* A total of one frame, before the totals of each frame are added up. */
struct hit {
	const struct frame *frame;
	uint32_t id;
	const struct total *total;
};

/* Orders by routine, then by address. */
static int compare(const struct frame *a, const struct frame *b)
{
	if (a->image != b->image)
		return a->image < b->image ? -1 : 1;
	if (a->symbol != b->symbol)
		return a->symbol < b->symbol ? -1 : 1;
	return a->address < b->address ? -1 : a->address > b->address;
}

static int by_address(const void *left, const void *right)
{
	const struct hit *a = left, *b = right;
	int order = compare(a->frame, b->frame);

	if (order)
		return order;
	return a->id < b->id ? -1 : a->id > b->id;
}

void addresses_make(const struct profile *profile, const struct total *totals, size_t count,
		    enum routines_part part, struct addresses *ret_addresses)
{
	struct addresses addresses = { .profile = profile };
	VEC(struct hit) hits = { 0 };

	for (size_t i = 0; i < count; i++) {
		uint32_t frame = profile->stacks.items[totals[i].stack].frame;

		if (routines_has(part, &totals[i]))
			*vec_push(&hits) =
				(struct hit){ &profile->frames.items[frame], frame, &totals[i] };
	}
	if (hits.count)
		qsort(hits.items, hits.count, sizeof(*hits.items), by_address);
	for (size_t i = 0; i < hits.count; i++) {
		if (i == 0 || hits.items[i].id != hits.items[i - 1].id)
			*vec_push(&addresses.rows) = (struct address){ .frame = hits.items[i].id };
		split_add(&addresses.rows.items[addresses.rows.count - 1].split,
			  hits.items[i].total);
	}
	vec_free(&hits);
	*ret_addresses = addresses;
}

void addresses_done(struct addresses *addresses)
{
	vec_free(&addresses->rows);
}

/* The number of rows before @key. */
static size_t rows_before(const struct addresses *addresses, const struct frame *key)
{
	const struct frame *frames = addresses->profile->frames.items;

	return search_before(addresses->rows.items, addresses->rows.count, item,
			     compare(&frames[item->frame], key) < 0);
}

const struct address *addresses_of(const struct addresses *addresses, const struct routine *routine,
				   size_t *ret_count)
{
	struct frame first = { .image = routine->image, .symbol = routine->symbol };
	size_t start = rows_before(addresses, &first), end = start;

	for (; end < addresses->rows.count; end++) {
		uint32_t id = addresses->rows.items[end].frame;
		const struct frame *frame = &addresses->profile->frames.items[id];

		if (frame->image != routine->image || frame->symbol != routine->symbol)
			break;
	}
	*ret_count = end - start;
	return addresses->rows.items + start;
}
