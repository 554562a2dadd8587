/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/tables/routines.h"

#include <stdlib.h>

#include "base/hashidx.h"

static bool routine_equal(const void *owner, uint32_t id, const void *key)
{
	const struct routine *a = &((const struct routines *)owner)->rows.items[id];
	const struct routine *b = key;

	return a->symbol == b->symbol && a->image == b->image;
}

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

bool routines_has(enum routines_part part, const struct total *total)
{
	return part == ROUTINES_ALL || (part == ROUTINES_KERNEL) == (total->mode == MODE_KERNEL);
}

static int heavier(const void *left, const void *right)
{
	const struct routine *a = left, *b = right;
	uint64_t a_weight = split_sum(&a->split).weight, b_weight = split_sum(&b->split).weight;

	if (a_weight != b_weight)
		return a_weight > b_weight ? -1 : 1;
	if (a->symbol != b->symbol)
		return a->symbol < b->symbol ? -1 : 1;
	return a->image < b->image ? -1 : a->image > b->image;
}

void routines_make(const struct profile *profile, const struct total *totals, size_t count,
		   enum routines_part part, struct routines *ret_routines)
{
	struct routines routines = { 0 };
	struct hashidx index = { 0 };

	for (size_t i = 0; i < count; i++) {
		const struct stack_node *node = &profile->stacks.items[totals[i].stack];
		const struct frame *frame = &profile->frames.items[node->frame];

		if (!routines_has(part, &totals[i]))
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
