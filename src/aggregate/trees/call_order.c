/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/trees/call_order.h"

#include <stdlib.h>

#include "base/xalloc.h"

struct ranked {
	uint64_t weight, calls;
	uint32_t function;
	bool cycle; /* comes before its members */
};

static int heavier(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	if (a->cycle != b->cycle)
		return a->cycle ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

static void rank(struct calls *calls)
{
	struct ranked *ranked = xcalloc(calls->functions.count, sizeof(*ranked));
	size_t count = 0;

	for (uint32_t i = 0; i < calls->functions.count; i++) {
		const struct call_function *row = &calls->functions.items[i];

		/* a cut is listed only if a stack was cut right at its sample */
		if (calls_is_cut(calls, i) && !row->self.samples)
			continue;
		if (row->total.samples || row->calls || row->own_calls)
			ranked[count++] =
				(struct ranked){ row->total.weight, row->calls + row->own_calls, i,
						 calls_is_cycle(calls, i) };
	}
	if (count)
		qsort(ranked, count, sizeof(*ranked), heavier);
	for (size_t i = 0; i < count; i++)
		calls->functions.items[ranked[i].function].rank = (uint32_t)i + 1;
	free(ranked);
}

/* An arc in the list of one of its ends. */
struct listed {
	uint32_t owner, arc, other;
	uint64_t weight, calls;
};

/* By owner, then the lightest first. */
static int lighter(const void *left, const void *right)
{
	const struct listed *a = left, *b = right;

	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	if (a->weight != b->weight)
		return a->weight < b->weight ? -1 : 1;
	if (a->calls != b->calls)
		return a->calls < b->calls ? -1 : 1;
	return a->other < b->other ? -1 : a->other > b->other;
}

static int heaviest_first(const void *left, const void *right)
{
	const struct listed *a = left, *b = right;

	return a->owner == b->owner ? lighter(right, left) : lighter(left, right);
}

/* The arcs in the order of @list; *ret_first: by function, the index of its first. */
static uint32_t *arcs_of(const struct listed *list, size_t count, size_t functions,
			 uint32_t **ret_first)
{
	uint32_t *arcs = xcalloc(count + 1, sizeof(*arcs));
	uint32_t *first = xcalloc(functions + 1, sizeof(*first));

	for (size_t i = 0; i < count; i++) {
		arcs[i] = list[i].arc;
		first[list[i].owner + 1]++;
	}
	for (size_t i = 0; i < functions; i++)
		first[i + 1] += first[i];
	*ret_first = first;
	return arcs;
}

/* A function's callees are functions, not their cycles; a cycle's are its members. */
static void list_callees(struct calls *calls, struct listed *list)
{
	size_t count = 0;

	for (uint32_t i = 0; i < calls->arcs.count; i++) {
		const struct call_arc *arc = &calls->arcs.items[i];

		if (arc->from == CALLS_NOBODY || arc->from == arc->to ||
		    calls_is_cycle(calls, arc->to))
			continue;
		list[count++] = (struct listed){ arc->from, i, arc->to, arc->callee_total.weight,
						 arc->count };
	}
	if (count)
		qsort(list, count, sizeof(*list), heaviest_first);
	calls->by_from = arcs_of(list, count, calls->functions.count, &calls->first_from);
}

static void list_callers(struct calls *calls, struct listed *list)
{
	size_t count = 0;

	for (uint32_t i = 0; i < calls->arcs.count; i++) {
		const struct call_arc *arc = &calls->arcs.items[i];

		if (arc->from == arc->to || calls_is_cycle(calls, arc->from))
			continue;
		list[count++] = (struct listed){ arc->to, i, arc->from, arc->caller_total.weight,
						 arc->count };
	}
	if (count)
		qsort(list, count, sizeof(*list), lighter);
	calls->by_to = arcs_of(list, count, calls->functions.count, &calls->first_to);
}

void call_order_make(struct calls *calls)
{
	struct listed *list = xcalloc(calls->arcs.count, sizeof(*list));

	rank(calls);
	list_callees(calls, list);
	list_callers(calls, list);
	free(list);
}
