/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who calls whom, function by function: the call graph as gprof and q-view show it. They count
 * calls and assume that each call of a function costs the same; we use the stacks, where each
 * sample shows through which caller its time came:
 *
 * - a function has every sample whose stack contains it, once, even if it is there several times;
 * - each of these came through one caller, that of the outermost call: the sum over a function's
 *   callers is its total;
 * - each that is not the function's own went through one callee, that of the innermost call: the
 *   sum over its callees is its total without its own.
 *
 * Without recursion an arc has the same numbers at both ends. Functions that call each other form a
 * cycle, which has numbers as if it were one function.
 */
#ifndef AGGREGATE_TREES_CALLS_H
#define AGGREGATE_TREES_CALLS_H

#include "aggregate/split.h"
#include "aggregate/trees/tree.h"

enum {
	CALLS_NO_CALLER = UINT32_MAX, /* the caller of functions at the root */
};

struct call_function {
	struct hits self, total; /* hits in it; and including all it called */
	uint32_t cycle;		 /* from 1 on, the one it is in or is; 0: none */
	uint32_t rank;		 /* by total, from 1 on, with cycles; 0: not shown */
	bool recurses;		 /* it has a name, and some stack has it directly below itself */
	bool counted;		 /* its calls are known exactly; see calls_set_count */
	uint64_t calls;		 /* from others; see calls_add_count, calls_set_count */
	uint64_t own_calls;	 /* from itself; of a cycle: among its members */
};

struct call_arc {
	uint32_t from, to; /* functions */
	struct hits seen;  /* of stacks with this very call, each once */
	/* The part of the total and self of @to that came by the outermost call of @to. */
	struct hits caller_total, caller_self;
	/* The same for the innermost call of @from. For an arc from a cycle to a member: of the
	 * stacks in which that is the innermost member. */
	struct hits callee_total, callee_self;
	uint64_t count; /* of recorded calls */
};

/* A list of arcs. */
struct call_list {
	const uint32_t *arcs;
	size_t count;
};

struct calls {
	const struct tree *tree; /* borrowed */
	/* By place, then the cycles. */
	VEC(struct call_function) functions;
	VEC(struct call_arc) arcs;
	size_t cycle_count;
	bool counted;	   /* the number of some calls is known */
	bool arcs_counted; /* and also their callers */
	/* private */
	const bool *focus;
	struct hashidx index;
	uint32_t *by_from, *by_to;	 /* arcs, grouped */
	uint32_t *first_from, *first_to; /* by function, and one more */
};

/* @tree: from roots, without groups and focus. @focus: NULL, or by place: only stacks that contain
 * one of them count; borrowed until calls_finish. */
struct calls *calls_new(const struct tree *tree, const bool *focus);
void calls_free(struct calls *calls); /* NULL is fine */
DEFINE_CLEANUP(struct calls *, calls_free);

/* Adds @count recorded calls of one place by another. Before calls_finish. */
void calls_add_count(struct calls *calls, uint32_t from, uint32_t to, uint64_t count);
/* Sets how often a place was called by others and by itself (@own), if the callers are unknown.
 * After calls_finish. */
void calls_set_count(struct calls *calls, uint32_t place, uint64_t others, uint64_t own);
/* Finds cycles, ranks and lists. The functions below need this first. */
void calls_finish(struct calls *calls);

/* True for a cycle, which is not a place. Its number is its index in functions. */
bool calls_is_cycle(const struct calls *calls, uint32_t function);
/* True for the root of a cut stack, which stands for the reason. It is no function and has no
 * caller. */
bool calls_is_cut(const struct calls *calls, uint32_t function);
/* True if both ends are in the same cycle, or the same. */
bool calls_is_inside(const struct calls *calls, const struct call_arc *arc);

/* The arcs to a function, lightest first; and from it, heaviest first. A cycle's callees are its
 * members. Without arcs from a function to itself. */
struct call_list calls_callers(const struct calls *calls, uint32_t function);
struct call_list calls_callees(const struct calls *calls, uint32_t function);

/* The functions that have a rank, in its order. The caller frees them. */
uint32_t *calls_order(const struct calls *calls, size_t *ret_count);

/* Appends "name", "name <cycle 1>", "<cycle 1 as a whole>" or "<spontaneous>". */
void calls_text(const struct calls *calls, uint32_t function, struct buf *buf);

#endif
