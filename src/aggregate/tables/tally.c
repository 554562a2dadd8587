/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/tables/tally.h"

static uint64_t total_hash(const struct total *total)
{
	uint64_t kind = (uint64_t)total->event << 16 | (uint64_t)total->mode << 8 | total->context;

	return hash_combine(hash_combine(hash_u64(total->task), total->stack), kind);
}

DEFINE_EQUAL(total_equal, struct tally, rows.items, struct total,
	     a->task == b->task && a->stack == b->stack && a->event == b->event &&
		     a->mode == b->mode && a->context == b->context)

static void add(struct tally *tally, const struct total *total, uint64_t hash)
{
	struct total *row;
	uint32_t id;

	if (!hashidx_find(&tally->index, hash, total_equal, tally, total, &id)) {
		hashidx_add(&tally->index, hash, (uint32_t)tally->rows.count);
		*vec_push(&tally->rows) = *total;
		return;
	}
	row = &tally->rows.items[id];
	row->samples += total->samples;
	row->weight += total->weight;
	row->weight_squared += total->weight_squared;
}

/* Rows are scattered in memory: all are prefetched before the first is added. */
void tally_add_all(struct tally *tally, const struct total *const *totals, size_t count)
{
	uint64_t hashes[TALLY_AT_ONCE];
	uint32_t id;

	for (size_t i = 0; i < count; i++) {
		hashes[i] = total_hash(totals[i]);
		hashidx_fetch(&tally->index, hashes[i]);
	}
	for (size_t i = 0; i < count; i++) {
		if (hashidx_guess(&tally->index, hashes[i], &id))
			__builtin_prefetch(&tally->rows.items[id]);
	}
	for (size_t i = 0; i < count; i++)
		add(tally, totals[i], hashes[i]);
}

void tally_append(struct tally *tally, const struct total *total)
{
	*vec_push(&tally->rows) = *total;
}

void tally_done(struct tally *tally)
{
	vec_free(&tally->rows);
	hashidx_done(&tally->index);
}
