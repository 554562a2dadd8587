/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/perf_reads.h"

static bool is_same(const void *owner, uint32_t id, const void *key)
{
	const struct perf_reads *reads = owner;
	const struct perf_reads_last *a = &reads->list.items[id], *b = key;

	return a->id == b->id && a->tid == b->tid;
}

void perf_reads_done(struct perf_reads *reads)
{
	vec_free(&reads->list);
	hashidx_done(&reads->index);
}

bool perf_reads_member(const struct perf_read *read, size_t member, uint64_t *ret_id,
		       uint64_t *ret_value)
{
	const uint64_t *words;

	if (member >= read->count || !read->id_at)
		return false;
	words = read->words + member * read->step;
	*ret_id = words[read->id_at];
	*ret_value = words[0];
	return true;
}

bool perf_reads_since(struct perf_reads *reads, uint64_t id, int32_t tid, uint64_t value,
		      uint64_t *ret_count)
{
	struct perf_reads_last now = { .id = id, .tid = tid, .value = value }, *last;
	uint64_t hash = hash_combine(hash_u64(id), (uint32_t)tid);
	uint32_t at;

	if (!hashidx_find(&reads->index, hash, is_same, reads, &now, &at)) {
		if (reads->list.count >= PERF_READS_MAX)
			return false;
		hashidx_add(&reads->index, hash, (uint32_t)reads->list.count);
		*vec_push(&reads->list) = now;
		*ret_count = value;
		return true;
	}
	/* If the value went down, the counter is a new one. */
	last = &reads->list.items[at];
	*ret_count = value >= last->value ? value - last->value : value;
	last->value = value;
	return true;
}
