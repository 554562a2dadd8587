/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many things put in order of a number: byte by byte of it, which takes less than to compare them.
 */
#ifndef BASE_RADIX_H
#define BASE_RADIX_H

#include <stddef.h>
#include <stdint.h>

struct radix_item {
	uint64_t key;
	uint32_t id; /* the caller's: what has this key */
};

/* Sorts @items by their keys, the least first; those alike stay in their order. Takes as much
 * memory again for the time of the call. @items may be NULL where @count is 0. */
void radix_sort(struct radix_item *items, size_t count);

#endif
