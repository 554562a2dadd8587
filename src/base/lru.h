/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Things by the time of their last use. A thing is a small number (an index into an array of its
 * owner's); every call takes constant time. Zero-initialised is empty.
 */
#ifndef BASE_LRU_H
#define BASE_LRU_H

#include <stdint.h>

#include "base/vec.h"

/* Neighbours, each as number + 1. Item 0 is none of the things: its @older is the one that was used
 * last, its @newer the one that was longest not used. */
struct lru_link {
	uint32_t older, newer;
};

struct lru {
	VEC(struct lru_link) links;
};

/* Frees what it holds; it is empty then. */
void lru_done(struct lru *lru);

/* @thing was used just now; it is added if it is not there. */
void lru_use(struct lru *lru, uint32_t thing);
/* Nothing happens when it is not there. */
void lru_remove(struct lru *lru, uint32_t thing);
/* The thing that was longest not used; UINT32_MAX: there is none. */
uint32_t lru_oldest(const struct lru *lru);

#endif
