/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/address_space.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/vec.h"
#include "base/xalloc.h"

struct address_space {
	size_t references;
	VEC(struct mapping) maps; /* sorted by start */
};

struct address_space *address_space_share(struct address_space *space)
{
	if (space)
		space->references++;
	return space;
}

void address_space_unref(struct address_space *space)
{
	if (!space || --space->references)
		return;
	vec_free(&space->maps);
	free(space);
}

/* A space that only the caller refers to, with the same contents. */
static struct address_space *own(struct address_space *space)
{
	struct address_space *copy;

	if (space && space->references == 1)
		return space;
	copy = xcalloc(1, sizeof(*copy));
	copy->references = 1;
	if (space && space->maps.count) {
		vec_reserve(&copy->maps, space->maps.count);
		memcpy(copy->maps.items, space->maps.items,
		       space->maps.count * sizeof(*space->maps.items));
		copy->maps.count = space->maps.count;
	}
	address_space_unref(space);
	return copy;
}

/* The first range that ends after the address; maps.count: none does. */
static size_t first_after(const struct address_space *space, uint64_t address)
{
	return search_before(space->maps.items, space->maps.count, item, item->end <= address);
}

/* Replaces the ranges [@from, @to) by @count new ones. */
static void splice(struct address_space *space, size_t from, size_t to, const struct mapping *new,
		   size_t count)
{
	size_t after = space->maps.count - to;

	vec_reserve(&space->maps, space->maps.count + count);
	memmove(space->maps.items + from + count, space->maps.items + to,
		after * sizeof(*space->maps.items));
	memcpy(space->maps.items + from, new, count * sizeof(*new));
	space->maps.count = from + count + after;
}

static bool means_the_same(const struct mapping *a, const struct mapping *b)
{
	return a->image == b->image && a->start - a->offset == b->start - b->offset;
}

/* How the mapping changes the space; the ranges [@from, @to) overlap it. */
static enum address_space_change change_of(const struct address_space *space, size_t from,
					   size_t to, const struct mapping *mapping)
{
	for (size_t i = from; i < to; i++) {
		if (!means_the_same(&space->maps.items[i], mapping))
			return ADDRESS_SPACE_REPLACED;
	}
	if (to - from == 1 && space->maps.items[from].start <= mapping->start &&
	    space->maps.items[from].end >= mapping->end)
		return ADDRESS_SPACE_SAME;
	return ADDRESS_SPACE_ADDED;
}

/* The serial for a mapping that replaces the ranges [@from, @to), all of the same meaning. */
static uint64_t since_of(const struct address_space *space, size_t from, size_t to,
			 const struct mapping *mapping)
{
	uint64_t since = from < to ? 0 : mapping->since;

	for (size_t i = from; i < to; i++) {
		if (space->maps.items[i].since > since)
			since = space->maps.items[i].since;
	}
	return since;
}

/* There is no room for the new range. Marks the old ones as changed, since they no longer hold. */
static void touch(struct address_space *space, size_t from, size_t to, uint64_t since)
{
	for (size_t i = from; i < to; i++)
		space->maps.items[i].since = since;
}

enum address_space_change address_space_map(struct address_space **ref,
					    const struct mapping *mapping)
{
	enum address_space_change change;
	struct mapping new[3];
	struct address_space *space;
	size_t from, to, count = 0;

	if (mapping->start >= mapping->end)
		return ADDRESS_SPACE_SAME;
	*ref = space = own(*ref);
	from = to = first_after(space, mapping->start);
	while (to < space->maps.count && space->maps.items[to].start < mapping->end)
		to++;
	change = change_of(space, from, to, mapping);
	if (change == ADDRESS_SPACE_SAME)
		return change;
	if (from < to && space->maps.items[from].start < mapping->start) {
		new[count] = space->maps.items[from];
		new[count++].end = mapping->start;
	}
	new[count] = *mapping;
	if (change == ADDRESS_SPACE_ADDED)
		new[count].since = since_of(space, from, to, mapping);
	count++;
	if (from < to && space->maps.items[to - 1].end > mapping->end) {
		new[count] = space->maps.items[to - 1];
		new[count].offset += mapping->end - new[count].start;
		new[count++].start = mapping->end;
	}
	if (space->maps.count - (to - from) + count <= ADDRESS_SPACE_MAX)
		splice(space, from, to, new, count);
	else
		touch(space, from, to, mapping->since);
	return change;
}

bool address_space_find(const struct address_space *space, uint64_t address,
			struct mapping *ret_mapping)
{
	size_t at = space ? first_after(space, address) : 0;

	if (!space || at == space->maps.count || space->maps.items[at].start > address)
		return false;
	*ret_mapping = space->maps.items[at];
	return true;
}

bool address_space_unchanged(const struct address_space *space, uint64_t start, uint64_t end,
			     uint64_t serial)
{
	size_t at = space ? first_after(space, start) : 0;

	for (; space && at < space->maps.count && space->maps.items[at].start < end; at++) {
		if (space->maps.items[at].since > serial)
			return false;
	}
	return true;
}

size_t address_space_count(const struct address_space *space)
{
	return space ? space->maps.count : 0;
}

struct mapping address_space_at(const struct address_space *space, size_t index)
{
	return space->maps.items[index];
}
