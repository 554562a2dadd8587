/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sorts many things by a number, one byte at a time, which is faster than comparing. */
#ifndef BASE_RADIX_H
#define BASE_RADIX_H

#include <stddef.h>
#include <stdint.h>

struct radix_item {
	uint64_t key;
	uint32_t id; /* the caller's: the thing that has this key */
};

/* Sorts @items by key, lowest first, and keeps the order of equal keys. Needs the same memory again
 * during the call. @items may be NULL if @count is 0. */
void radix_sort(struct radix_item *items, size_t count);

/* Moves each of @count things of @size bytes to its place in @order, whose ids are their places so
 * far. Needs the memory of the things again during the call. */
void radix_arrange(const struct radix_item *order, size_t count, void *things, size_t size);

#endif
