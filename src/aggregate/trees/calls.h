/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who calls whom, function by function: the call graph as gprof and q-view show it. They count
 * calls and guess the rest, that each call of a function costs the same; here it comes from the
 * stacks, where each sample tells through which caller its time came:
 *
 * - a function has every sample in whose stack it stands, once, however often that is;
 * - of these each came through one caller, that of the outermost call: what a function got through
 *   its callers adds up to its total;
 * - and those that were not its own went through one callee, that of the innermost call: what went
 *   through its callees adds up to what it had beside its own.
 *
 * Without recursion an arc has the same numbers seen from both of its ends. Functions that call
 * each other in a circle make up a cycle, which has numbers as if it were one function.
 */
#ifndef AGGREGATE_TREES_CALLS_H
#define AGGREGATE_TREES_CALLS_H

#include "aggregate/split.h"
#include "aggregate/trees/tree.h"

enum {
	CALLS_NOBODY = UINT32_MAX, /* calls those that stand at the root */
};

struct call_function {
	struct hits self, total; /* what was hit in it; and in all it called */
	uint32_t cycle;		 /* from 1 on, the one it is in or is; 0: none */
	uint32_t rank;		 /* from 1 on by total, cycles among them; 0: in no stack */
	bool recurses;		 /* it is known, and some stack has it right below itself */
	bool counted;		 /* its calls are known exactly; see calls_set_count */
	uint64_t calls;		 /* from others; see calls_add_count, calls_set_count */
	uint64_t own_calls;	 /* from itself; of a cycle: among its members */
};

struct call_arc {
	uint32_t from, to; /* functions */
	struct hits seen;  /* of stacks with this very call, each once */
	/* What @to had by it, of that what was its own: of the outermost call of @to. */
	struct hits caller_total, caller_self;
	/* The same of the innermost call of @from. Of an arc from a cycle to a member: of the
	 * stacks whose innermost member that is. */
	struct hits callee_total, callee_self;
	uint64_t count; /* calls that were recorded */
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
	bool counted;	   /* some calls are known */
	bool arcs_counted; /* and through which caller they came */
	/* private */
	const bool *focus;
	struct hashidx index;
	uint32_t *by_from, *by_to;	 /* arcs, grouped */
	uint32_t *first_from, *first_to; /* by function, and one more */
};

/* @tree: from roots, without groups and focus. @focus: NULL, or by place: only stacks with one of
 * them count. Borrowed until calls_finish. */
struct calls *calls_new(const struct tree *tree, const bool *focus);
void calls_free(struct calls *calls); /* NULL is fine */
DEFINE_CLEANUP(struct calls *, calls_free);

/* So many calls of one place by another were recorded. Before calls_finish. */
void calls_add_count(struct calls *calls, uint32_t from, uint32_t to, uint64_t count);
/* So many calls of a place were counted, @own of them by itself, but not through which caller they
 * came. After calls_finish. */
void calls_set_count(struct calls *calls, uint32_t place, uint64_t others, uint64_t own);
/* Finds cycles, ranks and lists. The rest is for what was finished. */
void calls_finish(struct calls *calls);

/* Is it a cycle, which is no place? Its number is that of the functions' row. */
bool calls_is_cycle(const struct calls *calls, uint32_t function);
/* Does it only stand for why a stack is not complete? Nobody called it, it is no function. */
bool calls_is_cut(const struct calls *calls, uint32_t function);
/* Is it code that has a name? What has none stands for many functions, which may call each other.
 */
bool calls_is_known(const struct calls *calls, uint32_t function);
/* Both ends in the same cycle, or both the same. */
bool calls_is_inside(const struct calls *calls, const struct call_arc *arc);

/* The arcs that lead to a function, the lightest first; and from it, the heaviest first: of a cycle
 * to its members. Without those of a function to itself. */
struct call_list calls_callers(const struct calls *calls, uint32_t function);
struct call_list calls_callees(const struct calls *calls, uint32_t function);

/* The functions that have a rank in its order, the heaviest first. The caller frees them. */
uint32_t *calls_order(const struct calls *calls, size_t *ret_count);

/* Appends "name", "name <cycle 1>", "<cycle 1 as a whole>" or "<spontaneous>". */
void calls_text(const struct calls *calls, uint32_t function, struct buf *buf);

#endif
