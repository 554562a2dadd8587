/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/branches.h"

static uint64_t branch_hash(const struct branch *branch)
{
	return hash_combine(hash_combine(hash_u64(branch->event), branch->from), branch->to);
}

static bool branch_equal(const void *owner, uint32_t id, const void *wanted)
{
	const struct branch *a = &((const struct branches *)owner)->list.items[id], *b = wanted;

	return a->event == b->event && a->from == b->from && a->to == b->to;
}

void branches_add(struct branches *branches, const struct branch *branch)
{
	uint64_t hash = branch_hash(branch);
	struct branch *known;
	uint32_t id;

	if (!hashidx_find(&branches->index, hash, branch_equal, branches, branch, &id)) {
		if (branches->list.count >= BRANCHES_MAX) {
			branches->left_out += branch->count;
			return;
		}
		hashidx_add(&branches->index, hash, (uint32_t)branches->list.count);
		*vec_push(&branches->list) = *branch;
		return;
	}
	known = &branches->list.items[id];
	known->count += branch->count;
	known->mispredicted += branch->mispredicted;
	known->cycles += branch->cycles;
}

void branches_done(struct branches *branches)
{
	vec_free(&branches->list);
	hashidx_done(&branches->index);
}
