/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/trees/call_cycles.h"

#include <stdlib.h>

#include "base/xalloc.h"

struct search {
	struct calls *calls;
	uint32_t *first; /* by function, and one more: index of its callees in `to` */
	uint32_t *to;
	uint32_t *number;   /* by function: order of discovery, from 1 on; 0: not seen */
	uint32_t *lowest;   /* the lowest number of an open function reached from it */
	uint32_t *next;	    /* its callee to examine next */
	bool *open;	    /* it is on the stack: its component is not yet known */
	VEC(uint32_t) path; /* the calls that led here */
	VEC(uint32_t) stack;
	uint32_t numbers;
	size_t cycles;
};

static bool is_link(const struct calls *calls, const struct call_arc *arc)
{
	return arc->from != CALLS_NOBODY && arc->from != arc->to &&
	       calls_is_known(calls, arc->from) && calls_is_known(calls, arc->to);
}

static void list_callees(struct search *search, size_t functions)
{
	const struct calls *calls = search->calls;
	uint32_t *fill = xcalloc(functions + 1, sizeof(*fill));

	for (size_t i = 0; i < calls->arcs.count; i++) {
		if (is_link(calls, &calls->arcs.items[i]))
			search->first[calls->arcs.items[i].from + 1]++;
	}
	for (size_t i = 0; i < functions; i++)
		fill[i + 1] = search->first[i + 1] += search->first[i];
	for (size_t i = 0; i < calls->arcs.count; i++) {
		const struct call_arc *arc = &calls->arcs.items[i];

		if (is_link(calls, arc))
			search->to[fill[arc->from]++] = arc->to;
	}
	free(fill);
}

static void discover(struct search *search, uint32_t function)
{
	search->number[function] = search->lowest[function] = ++search->numbers;
	search->next[function] = search->first[function];
	search->open[function] = true;
	*vec_push(&search->stack) = function;
	*vec_push(&search->path) = function;
}

/* All functions above @function on the stack are its component. */
static void close_component(struct search *search, uint32_t function)
{
	bool several = search->stack.items[search->stack.count - 1] != function;
	uint32_t member;

	search->cycles += several;
	do {
		member = search->stack.items[--search->stack.count];
		search->open[member] = false;
		if (several)
			search->calls->functions.items[member].cycle = (uint32_t)search->cycles;
	} while (member != function);
}

static void lower(uint32_t *value, uint32_t other)
{
	if (other < *value)
		*value = other;
}

/* Continues from the end of the path: to a callee not yet seen, or back. */
static void step(struct search *search)
{
	uint32_t function = search->path.items[search->path.count - 1];

	while (search->next[function] < search->first[function + 1]) {
		uint32_t callee = search->to[search->next[function]++];

		if (!search->number[callee]) {
			discover(search, callee);
			return;
		}
		if (search->open[callee])
			lower(&search->lowest[function], search->number[callee]);
	}
	if (search->lowest[function] == search->number[function])
		close_component(search, function);
	search->path.count--;
	if (search->path.count)
		lower(&search->lowest[search->path.items[search->path.count - 1]],
		      search->lowest[function]);
}

size_t call_cycles_find(struct calls *calls)
{
	size_t functions = calls->functions.count;
	struct search search = { .calls = calls,
				 .first = xcalloc(functions + 1, sizeof(uint32_t)),
				 .to = xcalloc(calls->arcs.count + 1, sizeof(uint32_t)),
				 .number = xcalloc(functions + 1, sizeof(uint32_t)),
				 .lowest = xcalloc(functions + 1, sizeof(uint32_t)),
				 .next = xcalloc(functions + 1, sizeof(uint32_t)),
				 .open = xcalloc(functions + 1, sizeof(bool)) };

	list_callees(&search, functions);
	for (uint32_t function = 0; function < functions; function++) {
		if (!search.number[function])
			discover(&search, function);
		while (search.path.count)
			step(&search);
	}
	free(search.first);
	free(search.to);
	free(search.number);
	free(search.lowest);
	free(search.next);
	free(search.open);
	vec_free(&search.path);
	vec_free(&search.stack);
	return search.cycles;
}
