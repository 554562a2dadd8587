/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/trees/calls.h"

#include "aggregate/stacks.h"

/* A call graph by function, and what it stands on. */
struct graph {
	struct fixture fixture;
	uint32_t task;
	struct table *stacks;
	struct places *places;
	struct tree *tree;
	struct calls *calls;
};

static void graph_init(struct graph *graph)
{
	*graph = (struct graph){ 0 };
	fixture_init(&graph->fixture);
	graph->task = fixture_task(&graph->fixture, fixture_process(&graph->fixture, "a", 1), "a");
}

/* So many samples in the last of the functions "main f g". */
static void hit(struct graph *graph, const char *names, uint64_t samples)
{
	fixture_hit(&graph->fixture, graph->task,
		    fixture_chain(&graph->fixture, 0, "/bin/a", names), MODE_USER, CONTEXT_TASK,
		    samples);
}

static void make(struct graph *graph)
{
	graph->stacks = stacks_table(&graph->fixture, "function");
	graph->places = stacks_places(&graph->fixture, "function");
	graph->tree = tree_new(graph->stacks, graph->places, 0, TREE_FROM_ROOTS, NULL);
	graph->calls = calls_new(graph->tree, NULL);
}

static void graph_done(struct graph *graph)
{
	calls_free(graph->calls);
	tree_free(graph->tree);
	places_free(graph->places);
	table_free(graph->stacks);
	fixture_done(&graph->fixture);
}

static uint32_t place(const struct graph *graph, const char *name)
{
	struct buf text = { 0 };
	uint32_t found = UINT32_MAX;

	for (uint32_t i = 0; i < graph->places->rows.count; i++) {
		buf_clear(&text);
		places_text(graph->places, i, &text);
		if (strcmp(buf_text(&text), name) == 0)
			found = i;
	}
	buf_done(&text);
	assert_true(found != UINT32_MAX);
	return found;
}

static void print_hits(const struct hits *self, const struct hits *total, struct buf *text)
{
	buf_printf(text, " %u+%u", (unsigned)self->samples,
		   (unsigned)(total->samples - self->samples));
}

static void print_list(const struct calls *calls, struct call_list list, bool callers,
		       struct buf *text)
{
	for (size_t i = 0; i < list.count; i++) {
		const struct call_arc *arc = &calls->arcs.items[list.arcs[i]];

		buf_add_str(text, callers ? "  < " : "  > ");
		calls_text(calls, callers ? arc->from : arc->to, text);
		if (callers)
			print_hits(&arc->caller_self, &arc->caller_total, text);
		else
			print_hits(&arc->callee_self, &arc->callee_total, text);
		if (calls->counted)
			buf_printf(text, " %u", (unsigned)arc->count);
		buf_add_char(text, '\n');
	}
}

/* Every function in order: its callers, "name self+children", its callees. */
static void assert_calls(const struct calls *calls, const char *wanted)
{
	struct buf text = { 0 };
	size_t count;
	uint32_t *order = calls_order(calls, &count);

	for (size_t i = 0; i < count; i++) {
		const struct call_function *row = &calls->functions.items[order[i]];

		assert_int_equal(row->rank, i + 1);
		print_list(calls, calls_callers(calls, order[i]), true, &text);
		calls_text(calls, order[i], &text);
		print_hits(&row->self, &row->total, &text);
		if (row->recurses)
			buf_add_str(&text, " recurses");
		if (calls->counted)
			buf_printf(&text, " %u+%u", (unsigned)row->calls, (unsigned)row->own_calls);
		buf_add_char(&text, '\n');
		print_list(calls, calls_callees(calls, order[i]), false, &text);
	}
	assert_string_equal(buf_text(&text), wanted);
	buf_done(&text);
	free(order);
}

static void time_goes_through_the_callers_that_had_it(void **state)
{
	struct graph graph;

	graph_init(&graph);
	/* work costs ten times as much when slow calls it: nothing is shared out by calls */
	hit(&graph, "main", 1);
	hit(&graph, "main slow work", 10);
	hit(&graph, "main fast work", 1);
	hit(&graph, "main slow", 2);
	make(&graph);
	calls_finish(graph.calls);
	assert_int_equal(graph.calls->cycle_count, 0);
	assert_calls(graph.calls, "  < <spontaneous> 1+13\n"
				  "main 1+13\n"
				  "  > slow 2+10\n"
				  "  > fast 0+1\n"
				  "  < main 2+10\n"
				  "slow 2+10\n"
				  "  > work 10+0\n"
				  "  < fast 1+0\n"
				  "  < slow 10+0\n"
				  "work 11+0\n"
				  "  < main 0+1\n"
				  "fast 0+1\n"
				  "  > work 1+0\n");
	graph_done(&graph);
}

static void recursion_counts_once(void **state)
{
	struct graph graph;

	graph_init(&graph);
	hit(&graph, "main f f f", 4);
	hit(&graph, "main f f leaf", 3);
	hit(&graph, "main f", 1);
	make(&graph);
	calls_finish(graph.calls);
	assert_int_equal(graph.calls->cycle_count, 0);
	assert_calls(graph.calls, "  < <spontaneous> 0+8\n"
				  "main 0+8\n"
				  "  > f 5+3\n"
				  "  < main 5+3\n"
				  "f 5+3 recurses\n"
				  "  > leaf 3+0\n"
				  "  < f 3+0\n"
				  "leaf 3+0\n");
	graph_done(&graph);
}

static void a_circle_is_one_cycle(void **state)
{
	struct graph graph;

	graph_init(&graph);
	hit(&graph, "main even odd even", 4);
	hit(&graph, "main even odd", 2);
	hit(&graph, "main odd even leaf", 3);
	hit(&graph, "main other", 1);
	make(&graph);
	calls_finish(graph.calls);
	assert_int_equal(graph.calls->cycle_count, 1);
	assert_calls(graph.calls, "  < <spontaneous> 0+10\n"
				  "main 0+10\n"
				  "  > even <cycle 1> 4+2\n"
				  "  > odd <cycle 1> 0+3\n"
				  "  > other 1+0\n"
				  "  < main 6+3\n"
				  "<cycle 1 as a whole> 6+3\n"
				  "  > even <cycle 1> 4+3\n"
				  "  > odd <cycle 1> 2+0\n"
				  "  < odd <cycle 1> 0+3\n"
				  "  < main 4+2\n"
				  "even <cycle 1> 4+5\n"
				  "  > leaf 3+0\n"
				  "  > odd <cycle 1> 2+0\n"
				  "  < main 0+3\n"
				  "  < even <cycle 1> 2+4\n"
				  "odd <cycle 1> 2+7\n"
				  "  > even <cycle 1> 4+3\n"
				  "  < even <cycle 1> 3+0\n"
				  "leaf 3+0\n"
				  "  < main 1+0\n"
				  "other 1+0\n");
	graph_done(&graph);
}

static void calls_appear_where_they_were_counted(void **state)
{
	struct graph graph;

	graph_init(&graph);
	hit(&graph, "main f f g f", 4);
	hit(&graph, "main idle", 0);
	make(&graph);
	calls_add_count(graph.calls, place(&graph, "main"), place(&graph, "f"), 5);
	calls_add_count(graph.calls, place(&graph, "f"), place(&graph, "f"), 7);
	calls_add_count(graph.calls, place(&graph, "f"), place(&graph, "g"), 11);
	calls_add_count(graph.calls, place(&graph, "g"), place(&graph, "f"), 11);
	calls_add_count(graph.calls, place(&graph, "main"), place(&graph, "g"), 2);
	calls_add_count(graph.calls, place(&graph, "main"), place(&graph, "idle"), 1);
	calls_finish(graph.calls);
	assert_calls(graph.calls, "  < main 4+0 7\n"
				  "<cycle 1 as a whole> 4+0 7+29\n"
				  "  > f <cycle 1> 4+0 0\n"
				  "  > g <cycle 1> 0+0 0\n"
				  "  < g <cycle 1> 0+0 11\n"
				  "  < main 4+0 5\n"
				  "f <cycle 1> 4+0 recurses 16+7\n"
				  "  > g <cycle 1> 0+0 11\n"
				  "  < main 0+0 2\n"
				  "  < f <cycle 1> 0+4 11\n"
				  "g <cycle 1> 0+4 13+0\n"
				  "  > f <cycle 1> 4+0 11\n"
				  "  < <spontaneous> 0+4 0\n"
				  "main 0+4 0+0\n"
				  "  > f <cycle 1> 4+0 5\n"
				  "  > g <cycle 1> 0+0 2\n"
				  "  > idle 0+0 1\n"
				  "  < main 0+0 1\n"
				  "idle 0+0 1+0\n");
	graph_done(&graph);
}

/* Calls that no stack shows are new arcs, many of them, so that they do not stay where they were.
 */
static void every_call_is_counted(void **state)
{
	enum { FUNCTIONS = 40 };
	struct graph graph;
	uint64_t counted = 0;
	char name[16];

	(void)state;
	graph_init(&graph);
	for (int i = 0; i < FUNCTIONS; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		hit(&graph, name, 1);
	}
	make(&graph);
	for (uint32_t from = 0; from < graph.places->rows.count; from++) {
		for (uint32_t to = 0; to < graph.places->rows.count; to++)
			calls_add_count(graph.calls, from, to, 1);
	}
	for (size_t i = 0; i < graph.calls->arcs.count; i++)
		counted += graph.calls->arcs.items[i].count;
	assert_int_equal(counted, graph.places->rows.count * graph.places->rows.count);
	graph_done(&graph);
}

static void what_was_cut_is_no_caller(void **state)
{
	struct graph graph;
	uint32_t cut;

	graph_init(&graph);
	cut = fixture_cut(&graph.fixture, STACK_NO_ROWS);
	fixture_hit(&graph.fixture, graph.task,
		    fixture_callee(&graph.fixture, cut, "/bin/a", "f", 4), MODE_USER, CONTEXT_TASK,
		    3);
	make(&graph);
	calls_finish(graph.calls);
	assert_calls(graph.calls, "  < [cut:no rows] 3+0\nf 3+0\n");
	assert_true(calls_is_cut(graph.calls, place(&graph, "[cut:no rows]")));
	assert_false(calls_is_cut(graph.calls, place(&graph, "f")));
	assert_false(calls_is_cut(graph.calls, CALLS_NO_CALLER));
	graph_done(&graph);
	/* but where nothing else is known it was hit itself */
	graph_init(&graph);
	cut = fixture_cut(&graph.fixture, STACK_LOST);
	fixture_hit(&graph.fixture, graph.task, cut, MODE_USER, CONTEXT_TASK, 3);
	make(&graph);
	calls_finish(graph.calls);
	assert_calls(graph.calls, "  < <spontaneous> 3+0\n[cut:lost] 3+0\n");
	graph_done(&graph);
}

static void a_focus_leaves_other_stacks_out(void **state)
{
	struct graph graph;
	bool *focus;

	graph_init(&graph);
	hit(&graph, "main f g", 4);
	hit(&graph, "main h g", 2);
	make(&graph);
	calls_free(graph.calls);
	focus = places_match(graph.places, "f");
	graph.calls = calls_new(graph.tree, focus);
	calls_finish(graph.calls);
	assert_calls(graph.calls, "  < <spontaneous> 0+4\n"
				  "main 0+4\n"
				  "  > f 0+4\n"
				  "  > h 0+0\n"
				  "  < main 0+4\n"
				  "f 0+4\n"
				  "  > g 4+0\n"
				  "  < h 0+0\n"
				  "  < f 4+0\n"
				  "g 4+0\n");
	free(focus);
	graph_done(&graph);
}

enum {
	FUNCTIONS = 9,
	STACKS = 400,
	DEEPEST = 12,
};

/* Random stacks, and the true answers, found by looking at each stack. */
struct truth {
	int depth[STACKS], frames[STACKS][DEEPEST];
	uint64_t samples[STACKS];
	bool reaches[FUNCTIONS][FUNCTIONS];
};

static uint32_t next(uint32_t *random)
{
	*random = *random * 1664525 + 1013904223;
	return *random >> 16;
}

static void make_stacks(struct graph *graph, struct truth *truth, uint32_t seed)
{
	static const char names[FUNCTIONS][2] = { "a", "b", "c", "d", "e", "f", "g", "h", "i" };

	for (int i = 0; i < STACKS; i++) {
		char chain[2 * DEEPEST] = "";

		truth->depth[i] = 1 + (int)(next(&seed) % DEEPEST);
		truth->samples[i] = 1 + next(&seed) % 5;
		for (int at = 0; at < truth->depth[i]; at++) {
			/* some call only themselves and later ones, so that not all is one cycle */
			int before = at ? truth->frames[i][at - 1] : 0;
			int function = before < 4 ? (int)(next(&seed) % FUNCTIONS)
						  : before + (int)(next(&seed) % 3);

			if (function >= FUNCTIONS)
				function = FUNCTIONS - 1;
			truth->frames[i][at] = function;
			strcat(chain, at ? " " : "");
			strcat(chain, names[function]);
			if (at)
				truth->reaches[before][function] = true;
		}
		hit(graph, chain, truth->samples[i]);
	}
	for (int k = 0; k < FUNCTIONS; k++) {
		for (int i = 0; i < FUNCTIONS * FUNCTIONS; i++)
			truth->reaches[i / FUNCTIONS][i % FUNCTIONS] |=
				truth->reaches[i / FUNCTIONS][k] &&
				truth->reaches[k][i % FUNCTIONS];
	}
}

/* Where the function stands outermost and innermost in a stack; -1: nowhere. */
static int outermost(const struct truth *truth, int stack, int function)
{
	for (int at = 0; at < truth->depth[stack]; at++) {
		if (truth->frames[stack][at] == function)
			return at;
	}
	return -1;
}

static int innermost(const struct truth *truth, int stack, int function)
{
	for (int at = truth->depth[stack]; at-- > 0;) {
		if (truth->frames[stack][at] == function)
			return at;
	}
	return -1;
}

static bool is_hit(const struct truth *truth, int stack, int function)
{
	return truth->frames[stack][truth->depth[stack] - 1] == function;
}

/* @from: -1 for no caller. */
static void check_arc(const struct truth *truth, const struct call_arc *arc, int from, int to)
{
	uint64_t caller = 0, caller_self = 0, callee = 0, callee_self = 0, seen = 0;

	for (int i = 0; i < STACKS; i++) {
		int first = outermost(truth, i, to),
		    last = from < 0 ? -1 : innermost(truth, i, from);
		bool there = false;

		for (int at = 0; at < truth->depth[i]; at++)
			there |= truth->frames[i][at] == to &&
				 (at ? truth->frames[i][at - 1] : -1) == from;
		seen += there ? truth->samples[i] : 0;
		if (first >= 0 && (first ? truth->frames[i][first - 1] : -1) == from) {
			caller += truth->samples[i];
			caller_self += is_hit(truth, i, to) ? truth->samples[i] : 0;
		}
		if (last >= 0 && last + 1 < truth->depth[i] && truth->frames[i][last + 1] == to) {
			callee += truth->samples[i];
			callee_self += is_hit(truth, i, to) ? truth->samples[i] : 0;
		}
	}
	assert_int_equal(arc->seen.samples, seen);
	assert_int_equal(arc->caller_total.samples, caller);
	assert_int_equal(arc->caller_self.samples, caller_self);
	assert_int_equal(arc->callee_total.samples, callee);
	assert_int_equal(arc->callee_self.samples, callee_self);
}

/* What comes through callers is all there is, and so is what goes through callees. */
static void check_sums(const struct calls *calls, uint32_t function)
{
	const struct call_function *row = &calls->functions.items[function];
	struct call_list callers = calls_callers(calls, function);
	struct call_list callees = calls_callees(calls, function);
	uint64_t up = 0, down = 0;

	for (size_t i = 0; i < callers.count; i++)
		up += calls->arcs.items[callers.arcs[i]].caller_total.weight;
	for (size_t i = 0; i < callees.count; i++)
		down += calls->arcs.items[callees.arcs[i]].callee_total.weight;
	assert_int_equal(up, row->total.weight);
	assert_int_equal(down, calls_is_cycle(calls, function)
				       ? row->total.weight
				       : row->total.weight - row->self.weight);
}

static void check_function(const struct truth *truth, const struct calls *calls,
			   const uint32_t *places, int function)
{
	const struct call_function *row = &calls->functions.items[places[function]];
	uint64_t total = 0, self = 0;

	for (int i = 0; i < STACKS; i++) {
		total += outermost(truth, i, function) >= 0 ? truth->samples[i] : 0;
		self += is_hit(truth, i, function) ? truth->samples[i] : 0;
	}
	assert_int_equal(row->total.samples, total);
	assert_int_equal(row->self.samples, self);
	for (int other = 0; other < FUNCTIONS; other++) {
		bool together = other == function || (truth->reaches[function][other] &&
						      truth->reaches[other][function]);
		uint32_t cycle = calls->functions.items[places[other]].cycle;

		if (other != function)
			assert_int_equal(together, row->cycle && row->cycle == cycle);
	}
}

static void check_random(uint32_t seed)
{
	static struct truth truth;
	struct graph graph;
	uint32_t places[FUNCTIONS];
	uint64_t self = 0;

	memset(&truth, 0, sizeof(truth));
	graph_init(&graph);
	make_stacks(&graph, &truth, seed);
	make(&graph);
	calls_finish(graph.calls);
	for (int i = 0; i < FUNCTIONS; i++)
		places[i] = place(&graph, (char[]){ (char)('a' + i), 0 });
	for (size_t i = 0; i < graph.calls->arcs.count; i++) {
		const struct call_arc *arc = &graph.calls->arcs.items[i];
		int from = -1, to = -1;

		for (int at = 0; at < FUNCTIONS; at++) {
			from = places[at] == arc->from ? at : from;
			to = places[at] == arc->to ? at : to;
		}
		if (to >= 0 && (from >= 0 || arc->from == CALLS_NO_CALLER))
			check_arc(&truth, arc, from, to);
	}
	for (uint32_t i = 0; i < graph.calls->functions.count; i++) {
		check_sums(graph.calls, i);
		if (!calls_is_cycle(graph.calls, i))
			self += graph.calls->functions.items[i].self.weight;
	}
	assert_int_equal(self, graph.stacks->sums[0].weight);
	for (int i = 0; i < FUNCTIONS; i++)
		check_function(&truth, graph.calls, places, i);
	assert_true(graph.calls->cycle_count > 0);
	graph_done(&graph);
}

static void any_stacks_add_up(void **state)
{
	for (uint32_t seed = 1; seed <= 20; seed++)
		check_random(seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_goes_through_the_callers_that_had_it),
		cmocka_unit_test(recursion_counts_once),
		cmocka_unit_test(a_circle_is_one_cycle),
		cmocka_unit_test(calls_appear_where_they_were_counted),
		cmocka_unit_test(every_call_is_counted),
		cmocka_unit_test(what_was_cut_is_no_caller),
		cmocka_unit_test(a_focus_leaves_other_stacks_out),
		cmocka_unit_test(any_stacks_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
