/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/radix.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

enum {
	BYTES = sizeof(uint64_t),
	VALUES = 256,
};

struct counts {
	size_t of[BYTES][VALUES]; /* items by byte of the key, lowest first, and its value */
};

static unsigned byte_of(const struct radix_item *item, unsigned byte)
{
	return (item->key >> 8 * byte) & (VALUES - 1);
}

static void count_values(const struct radix_item *items, size_t count, struct counts *ret_counts)
{
	memset(ret_counts, 0, sizeof(*ret_counts));
	for (size_t i = 0; i < count; i++) {
		for (unsigned byte = 0; byte < BYTES; byte++)
			ret_counts->of[byte][byte_of(&items[i], byte)]++;
	}
}

/* Moves all items from @from to @to in order of one byte; turns @counts of that byte into
 * places. */
static void deal(const struct radix_item *from, size_t count, unsigned byte, size_t *counts,
		 struct radix_item *to)
{
	size_t place = 0;

	for (unsigned value = 0; value < VALUES; value++) {
		size_t of_value = counts[value];

		counts[value] = place;
		place += of_value;
	}
	for (size_t i = 0; i < count; i++)
		to[counts[byte_of(&from[i], byte)]++] = from[i];
}

void radix_sort(struct radix_item *items, size_t count)
{
	_cleanup_free_ struct radix_item *other = NULL;
	struct radix_item *from = items, *to;
	struct counts counts;

	if (count < 2)
		return;
	to = other = xmalloc(count * sizeof(*other));
	count_values(items, count, &counts);
	for (unsigned byte = 0; byte < BYTES; byte++) {
		struct radix_item *dealt = to;

		/* Skip a byte that is the same in all keys. */
		if (counts.of[byte][byte_of(&items[0], byte)] == count)
			continue;
		deal(from, count, byte, counts.of[byte], to);
		to = from;
		from = dealt;
	}
	if (from != items)
		memcpy(items, from, count * sizeof(*items));
}

void radix_arrange(const struct radix_item *order, size_t count, void *things, size_t size)
{
	_cleanup_free_ char *arranged = xmalloc(count * size + 1);

	for (size_t i = 0; i < count; i++)
		memcpy(arranged + i * size, (const char *)things + order[i].id * size, size);
	if (count)
		memcpy(things, arranged, count * size);
}
