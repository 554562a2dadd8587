/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Growable arrays with public items: VEC(struct foo) foos; foos.items[i], foos.count.
 * Zero-initialised is empty. Pointers into items are borrowed until the next push.
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define VEC(type)                \
	struct {                 \
		type *items;     \
		size_t count;    \
		size_t capacity; \
	}

/* Reallocates @items to hold at least @wanted items of @size bytes; updates *capacity. */
void *vec_grow(void *items, size_t *capacity, size_t wanted, size_t size);

#define vec_reserve(v, wanted)                   \
	((v)->items && (wanted) <= (v)->capacity \
		 ? (v)->items                    \
		 : ((v)->items =                 \
			    vec_grow((v)->items, &(v)->capacity, (wanted), sizeof(*(v)->items))))

/* Adds an uninitialised item at the end; returns its address. */
#define vec_push(v) (vec_reserve(v, (v)->count + 1), &(v)->items[(v)->count++])

#define vec_free(v)                             \
	do {                                    \
		free((v)->items);               \
		(v)->items = NULL;              \
		(v)->count = (v)->capacity = 0; \
	} while (0)

/*
 * Returns memory from the middle of an array to the kernel. The array keeps its indices and its
 * size; blocks of items that are all empty are released and read as zeros. Empty items are counted,
 * not read: on some kernels reading a released page takes memory again. Zero-initialised is without
 * a hole.
 */
struct vec_holes {
	size_t block_items;    /* how many items a block has; 0 before the first hole */
	VEC(uint32_t) emptied; /* how many of them are empty, by block */
};

/* Call this once for each item that is all zero and will stay so. Releases the pages of its block
 * when it was the last there. @items comes from malloc(3), and may have moved since the last call;
 * @size is that of an item, the same in each call. */
void vec_add_hole(struct vec_holes *holes, void *items, size_t size, size_t number);
/* The first item from @number on that is in no released block; it may lie after the array. */
size_t vec_after_hole(const struct vec_holes *holes, size_t number);

#endif
