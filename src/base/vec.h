/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Growable arrays with public items: VEC(struct foo) foos; foos.items[i], foos.count.
 * Zero-initialised is empty. Pointers into items are borrowed until the next push.
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
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
 * size; pages whose items are all empty are released and read as zeros.
 */
struct vec_pages {
	void *items;			    /* from malloc(3), not a mapped file */
	size_t count, size;		    /* the number of items, and the bytes of each */
	bool (*is_empty)(const void *item); /* all zero, and will stay so */
};

/* Call this after item @number became empty: releases its pages if all other items in them are
 * empty too. */
void vec_release_pages(const struct vec_pages *array, size_t number);

#endif
