/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attribute/stack_reach.h"

#include <string.h>

#include "perf/perf_sample.h"

void stack_reach_done(struct stack_reach *reach)
{
	vec_free(&reach->ranges);
}

/* Searches from the end, because neighbouring frames are mostly in one mapping. */
static bool is_in(const struct stack_reach *reach, uint64_t address)
{
	for (size_t i = reach->ranges.count; i-- > 0;) {
		if (address >= reach->ranges.items[i].start && address < reach->ranges.items[i].end)
			return true;
	}
	return false;
}

static void add_address(struct stack_reach *reach, const struct address_space *mappings,
			uint64_t address)
{
	struct reach_range range = { address, address + 1 };
	struct mapping mapping;

	if (is_in(reach, address))
		return;
	if (address_space_find(mappings, address, &mapping))
		range = (struct reach_range){ mapping.start, mapping.end };
	*vec_push(&reach->ranges) = range;
}

void stack_reach_make(struct stack_reach *reach, const struct address_space *mappings,
		      const uint64_t *addresses, size_t count)
{
	reach->ranges.count = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t address = addresses[i] & ~UNWIND_EXACT;

		/* rows are looked up by the call; the frame may turn out to be exact later */
		if (i && address)
			add_address(reach, mappings, address - 1);
		if (!i || addresses[i] & UNWIND_EXACT)
			add_address(reach, mappings, address);
	}
}

static bool unchanged(const struct reach_range *ranges, size_t count,
		      const struct address_space *mappings, uint64_t serial)
{
	for (size_t i = 0; i < count; i++) {
		if (!address_space_unchanged(mappings, ranges[i].start, ranges[i].end, serial))
			return false;
	}
	return true;
}

bool stack_reach_unchanged(const struct stack_reach *reach, const struct address_space *mappings,
			   uint64_t serial)
{
	return unchanged(reach->ranges.items, reach->ranges.count, mappings, serial);
}

/* ---- sets by number ---- */

void stack_reaches_done(struct stack_reaches *reaches)
{
	vec_free(&reaches->ranges);
	vec_free(&reaches->sets);
	hashidx_done(&reaches->index);
}

const struct reach_range *stack_reaches_get(const struct stack_reaches *reaches, uint32_t set,
					    size_t *ret_count)
{
	*ret_count = set ? reaches->sets.items[set - 1].count : 0;
	return set ? &reaches->ranges.items[reaches->sets.items[set - 1].first] : NULL;
}

struct reach_key {
	const struct reach_range *ranges;
	size_t count;
};

static bool is_set(const void *owner, uint32_t set, const void *key)
{
	const struct reach_key *wanted = key;
	size_t count;
	const struct reach_range *ranges = stack_reaches_get(owner, set, &count);

	return count == wanted->count &&
	       memcmp(ranges, wanted->ranges, count * sizeof(*ranges)) == 0;
}

uint32_t stack_reaches_add(struct stack_reaches *reaches, const struct reach_range *ranges,
			   size_t count)
{
	struct reach_key key = { ranges, count };
	uint64_t hash = hash_bytes(ranges, count * sizeof(*ranges));
	uint32_t set;

	if (!count)
		return 0;
	if (hashidx_find(&reaches->index, hash, is_set, reaches, &key, &set))
		return set;
	*vec_push(&reaches->sets) =
		(struct reach_set){ (uint32_t)reaches->ranges.count, (uint32_t)count };
	for (size_t i = 0; i < count; i++)
		*vec_push(&reaches->ranges) = ranges[i];
	set = (uint32_t)reaches->sets.count;
	hashidx_add(&reaches->index, hash, set);
	return set;
}

bool stack_reaches_unchanged(const struct stack_reaches *reaches, uint32_t set,
			     const struct address_space *mappings, uint64_t serial)
{
	size_t count;
	const struct reach_range *ranges = stack_reaches_get(reaches, set, &count);

	return unchanged(ranges, count, mappings, serial);
}
