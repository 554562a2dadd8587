/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/trees/calls.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/xalloc.h"

/* Walks the stacks, each from its innermost frame to its root. */
struct walk {
	struct calls *calls;
	uint32_t *arc_of_node;
	uint32_t *seen_function, *seen_arc; /* the last stack that had it: the node it ends at */
	uint32_t *outermost;		    /* by function: the node met last */
	VEC(uint32_t) met;		    /* functions of the stack */
};

struct ends {
	uint32_t from, to;
};

DEFINE_EQUAL(arc_equal, struct calls, arcs.items, struct ends, a->from == b->from && a->to == b->to)

/* The arc between two functions, created if needed. */
static uint32_t arc_between(struct calls *calls, uint32_t from, uint32_t to)
{
	struct ends ends = { from, to };
	uint64_t hash = hash_combine(hash_u64(from), to);
	uint32_t id = (uint32_t)calls->arcs.count;

	if (hashidx_find(&calls->index, hash, arc_equal, calls, &ends, &id))
		return id;
	hashidx_add(&calls->index, hash, id);
	*vec_push(&calls->arcs) = (struct call_arc){ .from = from, .to = to };
	return id;
}

static const struct tree_node *node_of(const struct calls *calls, uint32_t node)
{
	return &calls->tree->nodes.items[node];
}

static uint32_t caller_of(const struct calls *calls, uint32_t node)
{
	uint32_t parent = node_of(calls, node)->parent;

	return parent ? node_of(calls, parent)->place : CALLS_NO_CALLER;
}

/* True if a stack that counts ends at the node. */
static bool ends_stack(const struct calls *calls, uint32_t leaf)
{
	if (!node_of(calls, leaf)->self.samples)
		return false;
	if (!calls->focus)
		return true;
	for (uint32_t node = leaf; node; node = node_of(calls, node)->parent) {
		if (calls->focus[node_of(calls, node)->place])
			return true;
	}
	return false;
}

/* Adds the call that led to @node, in the stack that ends at @leaf. */
static void add_call(struct walk *walk, uint32_t node, uint32_t leaf)
{
	const struct tree_node *end = node_of(walk->calls, leaf);
	uint32_t from = caller_of(walk->calls, node), arc = walk->arc_of_node[node];
	struct call_arc *row = &walk->calls->arcs.items[arc];

	if (walk->seen_arc[arc] != leaf)
		hits_add(&row->seen, &end->self);
	walk->seen_arc[arc] = leaf;
	/* Only the innermost call counts: the caller was not met before. */
	if (from == CALLS_NO_CALLER || walk->seen_function[from] == leaf)
		return;
	hits_add(&row->callee_total, &end->self);
	if (row->to == end->place)
		hits_add(&row->callee_self, &end->self);
}

static void end_stack(struct walk *walk, uint32_t leaf)
{
	const struct tree_node *end = node_of(walk->calls, leaf);

	for (size_t i = 0; i < walk->met.count; i++) {
		uint32_t place = walk->met.items[i];
		uint32_t arc = walk->arc_of_node[walk->outermost[place]];
		struct call_arc *row = &walk->calls->arcs.items[arc];

		hits_add(&walk->calls->functions.items[place].total, &end->self);
		hits_add(&row->caller_total, &end->self);
		if (place == end->place)
			hits_add(&row->caller_self, &end->self);
	}
	hits_add(&walk->calls->functions.items[end->place].self, &end->self);
	walk->met.count = 0;
}

static void add_stack(struct walk *walk, uint32_t leaf)
{
	for (uint32_t node = leaf; node; node = node_of(walk->calls, node)->parent) {
		uint32_t place = node_of(walk->calls, node)->place;

		if (walk->seen_function[place] != leaf)
			*vec_push(&walk->met) = place;
		walk->seen_function[place] = leaf;
		walk->outermost[place] = node;
		add_call(walk, node, leaf);
	}
	end_stack(walk, leaf);
}

static void add_stacks(struct calls *calls)
{
	size_t nodes = calls->tree->nodes.count, places = calls->tree->places->rows.count;
	struct walk walk = { .calls = calls,
			     .arc_of_node = xcalloc(nodes, sizeof(uint32_t)),
			     .seen_function = xcalloc(places, sizeof(uint32_t)),
			     .outermost = xcalloc(places, sizeof(uint32_t)) };

	for (uint32_t node = 1; node < nodes; node++)
		walk.arc_of_node[node] =
			arc_between(calls, caller_of(calls, node), node_of(calls, node)->place);
	walk.seen_arc = xcalloc(calls->arcs.count, sizeof(uint32_t));
	for (uint32_t node = 1; node < nodes; node++) {
		if (ends_stack(calls, node))
			add_stack(&walk, node);
	}
	free(walk.arc_of_node);
	free(walk.seen_function);
	free(walk.seen_arc);
	free(walk.outermost);
	vec_free(&walk.met);
}

struct calls *calls_new(const struct tree *tree, const bool *focus)
{
	struct calls *calls = xcalloc(1, sizeof(*calls));

	calls->tree = tree;
	calls->focus = focus;
	vec_reserve(&calls->functions, tree->places->rows.count);
	for (size_t i = 0; i < tree->places->rows.count; i++)
		*vec_push(&calls->functions) = (struct call_function){ 0 };
	add_stacks(calls);
	return calls;
}

void calls_free(struct calls *calls)
{
	if (!calls)
		return;
	vec_free(&calls->functions);
	vec_free(&calls->arcs);
	hashidx_done(&calls->index);
	free(calls->by_from);
	free(calls->by_to);
	free(calls->first_from);
	free(calls->first_to);
	free(calls);
}

void calls_add_count(struct calls *calls, uint32_t from, uint32_t to, uint64_t count)
{
	/* A new arc may move all others: find it before using any. */
	uint32_t arc = arc_between(calls, from, to);

	calls->counted = calls->arcs_counted = true;
	calls->arcs.items[arc].count += count;
}

void calls_set_count(struct calls *calls, uint32_t place, uint64_t others, uint64_t own)
{
	struct call_function *function = &calls->functions.items[place];

	calls->counted = function->counted = true;
	function->calls = others;
	function->own_calls = own;
}

/* Adds the stack that ends at @leaf to a cycle, as to a function, but with the innermost member as
 * the callee. */
static void add_cycle(struct calls *calls, uint32_t cycle, uint32_t innermost, uint32_t outermost,
		      uint32_t leaf)
{
	struct hits hits = node_of(calls, leaf)->self;
	bool own = calls->functions.items[node_of(calls, leaf)->place].cycle ==
		   calls->functions.items[cycle].cycle;
	uint32_t up = arc_between(calls, caller_of(calls, outermost), cycle);
	uint32_t down = arc_between(calls, cycle, node_of(calls, innermost)->place);

	hits_add(&calls->functions.items[cycle].total, &hits);
	hits_add(&calls->arcs.items[up].caller_total, &hits);
	hits_add(&calls->arcs.items[up].seen, &hits);
	hits_add(&calls->arcs.items[down].callee_total, &hits);
	if (!own)
		return;
	hits_add(&calls->functions.items[cycle].self, &hits);
	hits_add(&calls->arcs.items[up].caller_self, &hits);
	hits_add(&calls->arcs.items[down].callee_self, &hits);
}

/* A cycle in the last stack that had it. */
struct met_cycle {
	uint32_t leaf, innermost, outermost;
};

struct cycle_walk {
	struct met_cycle *of; /* by number */
	VEC(uint32_t) met;    /* numbers of the cycles in the stack */
};

static void add_cycles_of(struct calls *calls, struct cycle_walk *walk, uint32_t leaf)
{
	size_t places = calls->tree->places->rows.count;

	for (uint32_t node = leaf; node; node = node_of(calls, node)->parent) {
		uint32_t cycle = calls->functions.items[node_of(calls, node)->place].cycle;

		if (!cycle)
			continue;
		if (walk->of[cycle].leaf != leaf) {
			walk->of[cycle] = (struct met_cycle){ leaf, node, node };
			*vec_push(&walk->met) = cycle;
		}
		walk->of[cycle].outermost = node;
	}
	for (size_t i = 0; i < walk->met.count; i++) {
		const struct met_cycle *met = &walk->of[walk->met.items[i]];

		add_cycle(calls, (uint32_t)(places + walk->met.items[i] - 1), met->innermost,
			  met->outermost, leaf);
	}
	walk->met.count = 0;
}

static void add_cycles(struct calls *calls)
{
	uint32_t places = (uint32_t)calls->tree->places->rows.count;
	struct cycle_walk walk = { .of = xcalloc(calls->cycle_count + 1, sizeof(*walk.of)) };

	for (uint32_t cycle = 1; cycle <= calls->cycle_count; cycle++)
		*vec_push(&calls->functions) = (struct call_function){ .cycle = cycle };
	for (uint32_t place = 0; place < places; place++) {
		uint32_t cycle = calls->functions.items[place].cycle;

		if (cycle)
			arc_between(calls, places + cycle - 1, place);
	}
	for (uint32_t node = 1; calls->cycle_count && node < calls->tree->nodes.count; node++) {
		if (ends_stack(calls, node))
			add_cycles_of(calls, &walk, node);
	}
	vec_free(&walk.met);
	free(walk.of);
}

/* True for code that has a name. Code without one stands for many functions, which may call each
 * other. */
static bool is_known(const struct calls *calls, uint32_t function)
{
	const struct places *places = calls->tree->places;
	const struct profile *profile = places->labels->profile;
	const struct frame *frame;

	if (function >= places->rows.count)
		return false;
	frame = &profile->frames.items[places->rows.items[function].frame];
	return frame->symbol && profile->symbols.items[frame->symbol].kind != SYMBOL_NONE;
}

bool calls_is_inside(const struct calls *calls, const struct call_arc *arc)
{
	const struct call_function *functions = calls->functions.items;

	if (arc->from == CALLS_NO_CALLER)
		return false;
	return arc->from == arc->to || (functions[arc->from].cycle &&
					functions[arc->from].cycle == functions[arc->to].cycle);
}

static void count_for_cycle(struct calls *calls, uint32_t cycle, const struct call_arc *arc)
{
	uint32_t function = (uint32_t)calls->tree->places->rows.count + cycle - 1, outside;
	struct call_function *row = &calls->functions.items[function];

	if (calls_is_inside(calls, arc)) {
		row->own_calls += arc->count;
		return;
	}
	row->calls += arc->count;
	outside = arc_between(calls, arc->from, function);
	calls->arcs.items[outside].count += arc->count;
}

/* Adds up the counts of arcs. */
static void count_calls(struct calls *calls)
{
	size_t count = calls->arcs.count;

	for (size_t i = 0; i < count; i++) {
		const struct call_arc arc = calls->arcs.items[i];
		struct call_function *to = &calls->functions.items[arc.to];

		if (calls_is_cycle(calls, arc.to))
			continue;
		if (arc.from == arc.to) {
			to->recurses = is_known(calls, arc.to);
			to->own_calls += arc.count;
		} else {
			to->calls += arc.count;
		}
		if (arc.count && to->cycle)
			count_for_cycle(calls, to->cycle, &arc);
	}
}

bool calls_is_cycle(const struct calls *calls, uint32_t function)
{
	return function != CALLS_NO_CALLER && function >= calls->tree->places->rows.count;
}

bool calls_is_cut(const struct calls *calls, uint32_t function)
{
	const struct places *places = calls->tree->places;

	return function < places->rows.count && places_is_cut(places, function);
}

struct call_list calls_callers(const struct calls *calls, uint32_t function)
{
	uint32_t first = calls->first_to[function];

	return (struct call_list){ calls->by_to + first, calls->first_to[function + 1] - first };
}

struct call_list calls_callees(const struct calls *calls, uint32_t function)
{
	uint32_t first = calls->first_from[function];

	return (struct call_list){ calls->by_from + first,
				   calls->first_from[function + 1] - first };
}

uint32_t *calls_order(const struct calls *calls, size_t *ret_count)
{
	uint32_t *order = xcalloc(calls->functions.count, sizeof(*order));
	size_t count = 0;

	for (uint32_t i = 0; i < calls->functions.count; i++) {
		uint32_t rank_of = calls->functions.items[i].rank;

		if (!rank_of)
			continue;
		order[rank_of - 1] = i;
		count++;
	}
	*ret_count = count;
	return order;
}

void calls_text(const struct calls *calls, uint32_t function, struct buf *buf)
{
	uint32_t cycle = function == CALLS_NO_CALLER ? 0 : calls->functions.items[function].cycle;

	if (function == CALLS_NO_CALLER) {
		buf_add_str(buf, "<spontaneous>");
		return;
	}
	if (calls_is_cycle(calls, function)) {
		buf_printf(buf, "<cycle %" PRIu32 " as a whole>", cycle);
		return;
	}
	places_text(calls->tree->places, function, buf);
	if (cycle)
		buf_printf(buf, " <cycle %" PRIu32 ">", cycle);
}

/* ---- cycles: functions that call each other (Tarjan's components) ---- */

struct visit {
	uint32_t number; /* in order of discovery, from 1 on; 0: not seen */
	uint32_t lowest; /* number of an open function reached from it */
	uint32_t next;	 /* its callee to examine next */
	bool open;	 /* it is on the stack: its component is not yet known */
};

struct search {
	struct calls *calls;
	uint32_t *first; /* by function, and one more: index of its callees in `to` */
	uint32_t *to;
	struct visit *of;   /* by function */
	VEC(uint32_t) path; /* the calls that led here */
	VEC(uint32_t) stack;
	uint32_t numbers;
	size_t cycles;
};

static bool is_link(const struct calls *calls, const struct call_arc *arc)
{
	return arc->from != CALLS_NO_CALLER && arc->from != arc->to && is_known(calls, arc->from) &&
	       is_known(calls, arc->to);
}

static void list_links(struct search *search, size_t functions)
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
	search->numbers++;
	search->of[function] =
		(struct visit){ search->numbers, search->numbers, search->first[function], true };
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
		search->of[member].open = false;
		if (several)
			search->calls->functions.items[member].cycle = (uint32_t)search->cycles;
	} while (member != function);
}

static void keep_least(uint32_t *value, uint32_t other)
{
	if (other < *value)
		*value = other;
}

/* Continues from the end of the path: to a callee not yet seen, or back. */
static void step(struct search *search)
{
	uint32_t function = search->path.items[search->path.count - 1];
	struct visit *visit = &search->of[function];

	while (visit->next < search->first[function + 1]) {
		uint32_t callee = search->to[visit->next++];

		if (!search->of[callee].number) {
			discover(search, callee);
			return;
		}
		if (search->of[callee].open)
			keep_least(&visit->lowest, search->of[callee].number);
	}
	if (visit->lowest == visit->number)
		close_component(search, function);
	search->path.count--;
	if (search->path.count)
		keep_least(&search->of[search->path.items[search->path.count - 1]].lowest,
			   visit->lowest);
}

/* Sets the cycle of each function that is in one with others: the strongly connected components of
 * the graph (R. Tarjan, "Depth-first search and linear graph algorithms", 1972). Functions that
 * only call themselves are in none. Returns the number of cycles. Uses no recursion. */
static size_t find_cycles(struct calls *calls)
{
	size_t functions = calls->functions.count;
	struct search search = { .calls = calls,
				 .first = xcalloc(functions + 1, sizeof(uint32_t)),
				 .to = xcalloc(calls->arcs.count + 1, sizeof(uint32_t)),
				 .of = xcalloc(functions + 1, sizeof(struct visit)) };

	list_links(&search, functions);
	for (uint32_t function = 0; function < functions; function++) {
		if (!search.of[function].number)
			discover(&search, function);
		while (search.path.count)
			step(&search);
	}
	free(search.first);
	free(search.to);
	free(search.of);
	vec_free(&search.path);
	vec_free(&search.stack);
	return search.cycles;
}

/* The order in which functions and their callers and callees appear. */

struct ranked {
	uint64_t weight, calls;
	uint32_t function;
	bool cycle; /* comes before its members */
};

DEFINE_ORDER(heavier, struct ranked,
	     COMPARE(b->weight, a->weight) ?: COMPARE(b->calls, a->calls) ?:
	     COMPARE(b->cycle, a->cycle) ?: COMPARE(a->function, b->function))

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
DEFINE_ORDER(lighter, struct listed,
	     COMPARE(a->owner, b->owner) ?: COMPARE(a->weight, b->weight) ?:
	     COMPARE(a->calls, b->calls) ?: COMPARE(a->other, b->other))

DEFINE_ORDER(heaviest_first, struct listed, a->owner == b->owner ? lighter(b, a) : lighter(a, b))

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

		if (arc->from == CALLS_NO_CALLER || arc->from == arc->to ||
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

/* Ranks functions and makes the lists for calls_callers and calls_callees. Part of calls_finish. */
static void make_lists(struct calls *calls)
{
	struct listed *list = xcalloc(calls->arcs.count, sizeof(*list));

	rank(calls);
	list_callees(calls, list);
	list_callers(calls, list);
	free(list);
}

void calls_finish(struct calls *calls)
{
	calls->cycle_count = find_cycles(calls);
	add_cycles(calls);
	count_calls(calls);
	make_lists(calls);
}
