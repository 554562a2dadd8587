/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Orders things by their last use. A thing is a small number (an index into an array of the
 * caller). Every call takes constant time. Zero-initialised is empty.
 */
#ifndef BASE_LRU_H
#define BASE_LRU_H

#include <stdint.h>

#include "base/vec.h"

/* Neighbours in a ring, each as number + 1. Item 0 is the head, not a thing: its @older is the most
 * recently used thing, its @newer the least recently used. */
struct lru_link {
	uint32_t older, newer;
};

struct lru {
	VEC(struct lru_link) links;
};

/* Frees the memory; the list is empty then. */
void lru_done(struct lru *lru);

/* Marks @thing as used just now; adds it if needed. */
void lru_use(struct lru *lru, uint32_t thing);
/* Removes @thing, if it is there. */
void lru_remove(struct lru *lru, uint32_t thing);
/* The least recently used thing; UINT32_MAX: there is none. */
uint32_t lru_oldest(const struct lru *lru);

#endif
