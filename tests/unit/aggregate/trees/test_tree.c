/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/stacks.h"

struct world {
	struct fixture fixture;
	uint32_t first, second; /* tasks */
};

/* main calls parse (which calls itself) and emit; lex is called from several places. */
static void world_init(struct world *world)
{
	struct fixture *fixture = &world->fixture;
	uint32_t main, parse, again;

	fixture_init(fixture);
	world->first = fixture_task(fixture, fixture_process(fixture, "one", 1001), "one");
	world->second = fixture_task(fixture, fixture_process(fixture, "two", 1002), "two");
	main = fixture_chain(fixture, 0, "/bin/a", "main");
	parse = fixture_chain(fixture, main, "/bin/a", "parse");
	again = fixture_callee(fixture, fixture_chain(fixture, parse, "/bin/a", "expr"), "/bin/a",
			       "parse", 8);
	fixture_hit(fixture, world->first, parse, MODE_USER, CONTEXT_TASK, 10);
	fixture_hit(fixture, world->first, fixture_chain(fixture, parse, "/bin/a", "lex"),
		    MODE_USER, CONTEXT_TASK, 20);
	fixture_hit(fixture, world->first, again, MODE_USER, CONTEXT_TASK, 30);
	fixture_hit(fixture, world->second, fixture_chain(fixture, again, "/bin/a", "lex"),
		    MODE_USER, CONTEXT_TASK, 40);
	fixture_hit(fixture, world->second, fixture_chain(fixture, main, "/lib/b", "emit"),
		    MODE_USER, CONTEXT_TASK, 5);
}

static void assert_grown_above(double least, const char *by, const char *places_by,
			       enum tree_direction direction, const char *focus, const char *wanted)
{
	struct world world;
	struct table *stacks;
	struct places *places;
	struct tree *tree;
	bool *looked_at;

	world_init(&world);
	stacks = stacks_table(&world.fixture, by);
	places = stacks_places(&world.fixture, places_by);
	looked_at = focus ? places_match(places, focus) : NULL;
	tree = tree_new_above(stacks, places, 0, direction, looked_at, least);
	assert_tree(tree, wanted);
	tree_free(tree);
	free(looked_at);
	places_free(places);
	table_free(stacks);
	fixture_done(&world.fixture);
}

static void assert_grown(const char *by, const char *places_by, enum tree_direction direction,
			 const char *focus, const char *wanted)
{
	assert_grown_above(0, by, places_by, direction, focus, wanted);
}

static void callees_below_callers(void **state)
{
	assert_grown("symbol", "symbol", TREE_FROM_ROOTS, NULL,
		     "main 105 0\n"
		     " parse 100 10\n"
		     "  expr 70 0\n"
		     "   parse 70 30\n"
		     "    lex 40 40\n"
		     "  lex 20 20\n"
		     " emit 5 5\n");
}

static void callers_below_leaves(void **state)
{
	assert_grown("symbol", "symbol", TREE_FROM_LEAVES, NULL,
		     "lex 60 0\n"
		     " parse 60 0\n"
		     "  expr 40 0\n"
		     "   parse 40 0\n"
		     "    main 40 40\n"
		     "  main 20 20\n"
		     "parse 40 0\n"
		     " expr 30 0\n"
		     "  parse 30 0\n"
		     "   main 30 30\n"
		     " main 10 10\n"
		     "emit 5 0\n"
		     " main 5 5\n");
}

/* Where a branch has become lighter than half of all, it ends. */
static void light_branches_end(void **state)
{
	assert_grown_above(50, "symbol", "symbol", TREE_FROM_LEAVES, NULL,
			   "lex 60 0\n"
			   " parse 60 0\n"
			   "  expr 40 40\n"
			   "  main 20 20\n"
			   "parse 40 40\n"
			   "emit 5 5\n");
}

/* What weighs the same stays in the order in which it appeared. */
static void the_order_is_always_the_same(void **state)
{
	struct fixture fixture;
	struct table *stacks;
	struct places *places;
	struct tree *tree;
	uint32_t task;

	fixture_init(&fixture);
	task = fixture_task(&fixture, fixture_process(&fixture, "a", 1001), "a");
	fixture_hit(&fixture, task, fixture_chain(&fixture, 0, "/bin/a", "c"), MODE_USER,
		    CONTEXT_TASK, 5);
	fixture_hit(&fixture, task, fixture_chain(&fixture, 0, "/bin/a", "a"), MODE_USER,
		    CONTEXT_TASK, 5);
	fixture_hit(&fixture, task, fixture_chain(&fixture, 0, "/bin/a", "b"), MODE_USER,
		    CONTEXT_TASK, 5);
	stacks = stacks_table(&fixture, "symbol");
	places = stacks_places(&fixture, "symbol");
	tree = tree_new(stacks, places, 0, TREE_FROM_ROOTS, NULL);
	assert_tree(tree, "c 5 5\na 5 5\nb 5 5\n");
	tree_free(tree);
	places_free(places);
	table_free(stacks);
	fixture_done(&fixture);
}

/* Stacks of ten functions, deep and shallow, of two tasks. */
static void make_many(struct fixture *fixture)
{
	enum { STACKS = 600, FUNCTIONS = 10 };
	uint32_t tasks[2], stacks[STACKS + 1] = { 0 }, drawn = 1;
	char name[32];

	fixture_init(fixture);
	for (int i = 0; i < 2; i++)
		tasks[i] = fixture_task(fixture, fixture_process(fixture, "cc", 10 + i), "cc");
	for (uint32_t i = 1; i <= STACKS; i++) {
		drawn = drawn * 1664525 + 1013904223;
		snprintf(name, sizeof(name), "function%u", (drawn >> 8) % FUNCTIONS);
		stacks[i] = fixture_callee(fixture, stacks[(drawn >> 16) % i], "/bin/cc", name,
					   (drawn >> 30) * 4);
		if (drawn >> 29)
			fixture_hit(fixture, tasks[drawn >> 13 & 1], stacks[i], MODE_USER,
				    CONTEXT_TASK, 1 + i % 7);
	}
}

/* The node of a stack below @base, found by looking at all nodes; TREE_NO_NODE: there is none. */
static uint32_t plain_node(const struct tree *tree, uint32_t base, uint32_t stack)
{
	const struct stack_node *nodes = tree->places->labels->profile->stacks.items;
	uint32_t caller, place;

	if (!stack)
		return base;
	caller = plain_node(tree, base, nodes[stack].parent);
	place = tree->places->of_frame[nodes[stack].frame];
	for (uint32_t id = 1; id < tree->nodes.count; id++) {
		if (tree->nodes.items[id].parent == caller && tree->nodes.items[id].place == place)
			return id;
	}
	return TREE_NO_NODE;
}

/* Every row is at its node, which is the only one of that parent and place, and all nodes are
 * of rows. */
static void assert_many(const char *by)
{
	struct fixture fixture;
	struct table *stacks;
	struct places *places;
	struct tree *tree;
	uint64_t self = 0;
	size_t groups = 0;

	make_many(&fixture);
	stacks = stacks_table(&fixture, by);
	places = stacks_places(&fixture, "function");
	tree = tree_new(stacks, places, 0, TREE_FROM_ROOTS, NULL);
	for (size_t i = 0; i < stacks->rows.count; i++) {
		const struct table_row *row = &stacks->rows.items[i];
		const uint64_t *values = &stacks->values.items[row->values];
		uint32_t base = tree->of_row[i];

		while (base && !tree_is_group(tree, base))
			base = tree->nodes.items[base].parent;
		assert_int_equal(tree->of_row[i],
				 plain_node(tree, base, (uint32_t)values[stacks->keys.count - 1]));
	}
	for (uint32_t id = 1; id < tree->nodes.count; id++) {
		const struct tree_node *node = &tree->nodes.items[id];

		assert_true(node->parent < id && node->total.samples > 0);
		self += node->self.samples;
		groups += tree_is_group(tree, id);
		for (uint32_t other = 1; other < id; other++)
			assert_false(tree->nodes.items[other].parent == node->parent &&
				     tree->nodes.items[other].place == node->place);
	}
	assert_int_equal(self, stacks->sums[0].samples);
	assert_int_equal(tree->nodes.items[0].total.samples, self);
	assert_int_equal(groups, stacks->keys.count > 1 ? 2 : 0);
	tree_free(tree);
	places_free(places);
	table_free(stacks);
	fixture_done(&fixture);
}

static void many_stacks(void **state)
{
	assert_many("function");
	assert_many("pid,function");
}

static void groups_come_first(void **state)
{
	assert_grown("process,image", "image", TREE_FROM_ROOTS, NULL,
		     "one#1 60 0\n"
		     " /bin/a 60 0\n"
		     "  /bin/a 60 10\n"
		     "   /bin/a 50 20\n"
		     "    /bin/a 30 30\n"
		     "two#1 45 0\n"
		     " /bin/a 45 0\n"
		     "  /bin/a 40 0\n"
		     "   /bin/a 40 0\n"
		     "    /bin/a 40 0\n"
		     "     /bin/a 40 40\n"
		     "  /lib/b 5 5\n");
}

/* Every stack counts once, from the outermost on. */
static void what_a_function_calls(void **state)
{
	assert_grown("symbol", "symbol", TREE_FROM_ROOTS, "parse",
		     "parse 100 10\n"
		     " expr 70 0\n"
		     "  parse 70 30\n"
		     "   lex 40 40\n"
		     " lex 20 20\n");
}

static void who_calls_a_function(void **state)
{
	assert_grown("symbol", "symbol", TREE_FROM_LEAVES, "parse",
		     "parse 100 0\n"
		     " main 100 100\n");
	assert_grown("symbol", "symbol", TREE_FROM_LEAVES, "lex",
		     "lex 60 0\n"
		     " parse 60 0\n"
		     "  expr 40 0\n"
		     "   parse 40 0\n"
		     "    main 40 40\n"
		     "  main 20 20\n");
	assert_grown("symbol", "symbol", TREE_FROM_LEAVES, "e*",
		     "expr 70 0\n"
		     " parse 70 0\n"
		     "  main 70 70\n"
		     "emit 5 0\n"
		     " main 5 5\n");
}

static void nothing_is_called_so(void **state)
{
	struct world world;
	struct places *places;

	world_init(&world);
	fixture_labels(&world.fixture);
	places = stacks_places(&world.fixture, "function");
	assert_null(places_match(places, "nosuch"));
	places_free(places);
	fixture_done(&world.fixture);
}

static void hidden_nodes_take_theirs_along(void **state)
{
	struct world world;
	struct table *stacks;
	struct places *places;
	struct tree *tree;
	struct buf text = { 0 };
	bool *hidden;

	world_init(&world);
	stacks = stacks_table(&world.fixture, "symbol");
	places = stacks_places(&world.fixture, "symbol");
	tree = tree_new(stacks, places, 0, TREE_FROM_ROOTS, NULL);
	hidden = calloc(tree->nodes.count, sizeof(*hidden));
	for (uint32_t id = 1; id < tree->nodes.count; id++) {
		buf_clear(&text);
		tree_text(tree, id, &text);
		hidden[id] = strcmp(buf_text(&text), "expr") == 0;
	}
	buf_clear(&text);
	stacks_print(tree, hidden, &text);
	assert_string_equal(buf_text(&text), "main 105 0\n"
					     " parse 100 10\n"
					     "  lex 20 20\n"
					     " emit 5 5\n");
	assert_float_equal(tree_percent(tree, 105 * NS_PER_MS), 100, 1e-9);
	free(hidden);
	buf_done(&text);
	tree_free(tree);
	places_free(places);
	table_free(stacks);
	fixture_done(&world.fixture);
}

/* Nothing recurses: the C stack does not grow with those that are looked at. */
static void stacks_of_any_depth(void **state)
{
	enum { DEPTH = 300000 };
	struct fixture fixture;
	struct table *stacks;
	struct places *places;
	struct tree *tree;
	uint32_t task, stack = 0;
	uint32_t *order;

	fixture_init(&fixture);
	task = fixture_task(&fixture, fixture_process(&fixture, "deep", 1001), "deep");
	for (int i = 0; i < DEPTH; i++)
		stack = fixture_callee(&fixture, stack, "/bin/a", i % 2 ? "even" : "odd", 4);
	fixture_hit(&fixture, task, stack, MODE_USER, CONTEXT_TASK, 3);
	stacks = stacks_table(&fixture, "symbol");
	places = stacks_places(&fixture, "symbol");
	tree = tree_new(stacks, places, 0, TREE_FROM_LEAVES, NULL);
	assert_int_equal(tree->nodes.count, DEPTH + 1);
	order = tree_order_any(tree);
	assert_int_equal(order[DEPTH], DEPTH);
	assert_int_equal(tree->nodes.items[1].total.samples, 3);
	free(order);
	tree_free(tree);
	places_free(places);
	table_free(stacks);
	fixture_done(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callees_below_callers),
		cmocka_unit_test(callers_below_leaves),
		cmocka_unit_test(light_branches_end),
		cmocka_unit_test(the_order_is_always_the_same),
		cmocka_unit_test(many_stacks),
		cmocka_unit_test(groups_come_first),
		cmocka_unit_test(what_a_function_calls),
		cmocka_unit_test(who_calls_a_function),
		cmocka_unit_test(nothing_is_called_so),
		cmocka_unit_test(hidden_nodes_take_theirs_along),
		cmocka_unit_test(stacks_of_any_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
