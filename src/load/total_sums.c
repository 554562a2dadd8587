/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/total_sums.h"

#include <stdlib.h>

#include "base/compare.h"

static int compare_keys(const struct total *a, const struct total *b)
{
	int order = COMPARE(a->stack, b->stack);

	order = order ? order : COMPARE(a->task, b->task);
	order = order ? order : COMPARE(a->event, b->event);
	order = order ? order : COMPARE(a->mode, b->mode);
	return order ? order : COMPARE(a->context, b->context);
}

DEFINE_ORDER(by_keys, struct total, compare_keys(a, b))
DEFINE_EQUAL(total_equal, struct total_sums, totals.rows.items, struct total,
	     compare_keys(a, b) == 0)

static uint64_t hash_of(const struct total *total)
{
	uint64_t kind = (uint64_t)total->event << 16 | (uint64_t)total->mode << 8 | total->context;

	return hash_combine(hash_u64((uint64_t)total->stack << 32 | total->task), kind);
}

void total_sums_add(struct total_sums *sums, const struct total *total)
{
	uint64_t hash = hash_of(total);
	struct total *sum;
	uint32_t id;

	if (!hashidx_find(&sums->index, hash, total_equal, sums, total, &id)) {
		hashidx_add(&sums->index, hash, (uint32_t)sums->totals.rows.count);
		*vec_push(&sums->totals.rows) = *total;
		return;
	}
	sum = &sums->totals.rows.items[id];
	sum->samples += total->samples;
	sum->weight += total->weight;
	sum->weight_squared += total->weight_squared;
}

struct totals total_sums_take(struct total_sums *sums)
{
	struct totals totals = sums->totals;

	if (totals.rows.count)
		qsort(totals.rows.items, totals.rows.count, sizeof(*totals.rows.items), by_keys);
	sums->totals = (struct totals){ 0 };
	hashidx_done(&sums->index);
	return totals;
}

void total_sums_done(struct total_sums *sums)
{
	vec_free(&sums->totals.rows);
	hashidx_done(&sums->index);
}
