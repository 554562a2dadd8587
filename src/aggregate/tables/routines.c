/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/tables/routines.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/hashidx.h"
#include "base/search.h"

DEFINE_EQUAL(routine_equal, struct routines, rows.items, struct routine,
	     a->symbol == b->symbol && a->image == b->image)

static struct routine *find_or_append(struct routines *routines, struct hashidx *index,
				      const struct frame *frame)
{
	struct routine key = { .symbol = frame->symbol, .image = frame->image };
	uint64_t hash = hash_combine(hash_u64(key.symbol), key.image);
	uint32_t id;

	if (hashidx_find(index, hash, routine_equal, routines, &key, &id))
		return &routines->rows.items[id];
	hashidx_add(index, hash, (uint32_t)routines->rows.count);
	*vec_push(&routines->rows) = key;
	return &routines->rows.items[routines->rows.count - 1];
}

static bool has(enum routines_part part, const struct total *total)
{
	return part == ROUTINES_ALL || (part == ROUTINES_KERNEL) == (total->mode == MODE_KERNEL);
}

static int heavier(const void *left, const void *right)
{
	const struct routine *a = left, *b = right;
	uint64_t a_weight = split_sum(&a->split).weight, b_weight = split_sum(&b->split).weight;

	return COMPARE(b_weight, a_weight) ?: COMPARE(a->symbol, b->symbol) ?:
	       COMPARE(a->image, b->image);
}

void routines_make(const struct profile *profile, const struct total *totals, size_t count,
		   enum routines_part part, struct routines *ret_routines)
{
	struct routines routines = { 0 };
	struct hashidx index = { 0 };

	for (size_t i = 0; i < count; i++) {
		const struct stack_node *node = &profile->stacks.items[totals[i].stack];
		const struct frame *frame = &profile->frames.items[node->frame];

		if (!has(part, &totals[i]))
			continue;
		split_add(&find_or_append(&routines, &index, frame)->split, &totals[i]);
		split_add(&routines.sum, &totals[i]);
	}
	if (routines.rows.count)
		qsort(routines.rows.items, routines.rows.count, sizeof(*routines.rows.items),
		      heavier);
	hashidx_done(&index);
	*ret_routines = routines;
}

void routines_done(struct routines *routines)
{
	vec_free(&routines->rows);
}

/* A total of one frame, before the totals of each frame are added up. */
struct hit {
	const struct frame *frame;
	uint32_t id;
	const struct total *total;
};

/* Orders by routine, then by address. */
static int compare_places(const struct frame *a, const struct frame *b)
{
	return COMPARE(a->image, b->image) ?: COMPARE(a->symbol, b->symbol) ?:
	       COMPARE(a->address, b->address);
}

DEFINE_ORDER(by_address, struct hit, compare_places(a->frame, b->frame) ?: COMPARE(a->id, b->id))

void routines_addresses(const struct profile *profile, const struct total *totals, size_t count,
			enum routines_part part, struct addresses *ret_addresses)
{
	struct addresses addresses = { .profile = profile };
	VEC(struct hit) hits = { 0 };

	for (size_t i = 0; i < count; i++) {
		uint32_t frame = profile->stacks.items[totals[i].stack].frame;

		if (has(part, &totals[i]))
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

void routines_addresses_done(struct addresses *addresses)
{
	vec_free(&addresses->rows);
}

/* The number of rows before @key. */
static size_t rows_before(const struct addresses *addresses, const struct frame *key)
{
	const struct frame *frames = addresses->profile->frames.items;

	return search_before(addresses->rows.items, addresses->rows.count, item,
			     compare_places(&frames[item->frame], key) < 0);
}

const struct address *routines_addresses_of(const struct addresses *addresses,
					    const struct routine *routine, size_t *ret_count)
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
