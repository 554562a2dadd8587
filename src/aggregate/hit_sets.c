/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/hit_sets.h"

/* Adds a set of zeros. */
static hit_set push(struct hit_sets *sets)
{
	for (size_t i = 0; i < sets->events; i++)
		*vec_push(&sets->items) = (struct hits){ 0 };
	return sets->items.count / sets->events - 1;
}

void hit_sets_init(struct hit_sets *sets, size_t events)
{
	*sets = (struct hit_sets){ .events = events };
	push(sets);
}

void hit_sets_done(struct hit_sets *sets)
{
	vec_free(&sets->items);
}

bool hit_sets_any(const struct hit_sets *sets, hit_set set)
{
	for (size_t event = 0; event < sets->events; event++) {
		if (hit_sets_get(sets, set)[event].samples)
			return true;
	}
	return false;
}

void hit_sets_add(struct hit_sets *sets, hit_set *set, size_t event, const struct hits *hits)
{
	if (!*set)
		*set = push(sets);
	hits_add(&sets->items.items[*set * sets->events + event], hits);
}

void hit_sets_join(struct hit_sets *sets, hit_set *set, hit_set other)
{
	for (size_t event = 0; other && event < sets->events; event++) {
		struct hits hits = hit_sets_get(sets, other)[event];

		hit_sets_add(sets, set, event, &hits);
	}
}

int hit_sets_compare(const struct hit_sets *sets, hit_set a, hit_set b)
{
	const struct hits *left = hit_sets_get(sets, a), *right = hit_sets_get(sets, b);

	for (size_t event = 0; event < sets->events; event++) {
		if (left[event].weight != right[event].weight)
			return left[event].weight > right[event].weight ? -1 : 1;
	}
	return 0;
}

void hit_sets_keep(struct hit_sets *sets, const bool *keep)
{
	size_t kept = 0, events = 0;

	for (size_t i = 0; i < sets->items.count; i++) {
		if (keep[i % sets->events])
			sets->items.items[kept++] = sets->items.items[i];
	}
	for (size_t event = 0; event < sets->events; event++)
		events += keep[event];
	sets->items.count = kept;
	sets->events = events;
}
