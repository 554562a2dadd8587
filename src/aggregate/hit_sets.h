/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hits of several events side by side. Places without hits, which are most, share one set and so
 * cost nothing. */
#ifndef AGGREGATE_HIT_SETS_H
#define AGGREGATE_HIT_SETS_H

#include <stdbool.h>
#include <stddef.h>

#include "aggregate/split.h"
#include "base/vec.h"

/* The number of a set; 0: no hits. */
typedef size_t hit_set;

struct hit_sets {
	size_t events; /* in each set */
	VEC(struct hits) items;
};

/* @events > 0. Free with hit_sets_done, which accepts a zeroed struct too. */
void hit_sets_init(struct hit_sets *sets, size_t events);
void hit_sets_done(struct hit_sets *sets);

/* The hits of a set, one for each event. Borrowed until something is added. */
static inline const struct hits *hit_sets_get(const struct hit_sets *sets, hit_set set)
{
	return &sets->items.items[set * sets->events];
}

/* True if the set has samples of any event. */
bool hit_sets_any(const struct hit_sets *sets, hit_set set);

/* Adds @hits to *set; a *set of 0 first becomes a new set. */
void hit_sets_add(struct hit_sets *sets, hit_set *set, size_t event, const struct hits *hits);
/* Adds all of another set. */
void hit_sets_join(struct hit_sets *sets, hit_set *set, hit_set other);

/* Below 0: @a is heavier by its first event or, if equal, by the next. */
int hit_sets_compare(const struct hit_sets *sets, hit_set a, hit_set b);

/* Keeps only the events e with keep[e], at least one, in their order. */
void hit_sets_keep(struct hit_sets *sets, const bool *keep);

#endif
