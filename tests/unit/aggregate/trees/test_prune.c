/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/stacks.h"

#include "aggregate/trees/prune.h"

struct world {
	struct fixture fixture;
	struct table *stacks;
	struct places *places;
	struct tree *tree;
};

/* main: heavy 60 (deep 50 (deeper 50)), light 30, tiny 6, least 4. */
static void world_init(struct world *world)
{
	struct fixture *fixture = &world->fixture;
	uint32_t task, main;

	fixture_init(fixture);
	task = fixture_task(fixture, fixture_process(fixture, "a", 1001), "a");
	main = fixture_chain(fixture, 0, "/bin/a", "main");
	fixture_hit(fixture, task, fixture_chain(fixture, main, "/bin/a", "heavy"), MODE_USER,
		    CONTEXT_TASK, 10);
	fixture_hit(fixture, task, fixture_chain(fixture, main, "/bin/a", "heavy deep deeper"),
		    MODE_USER, CONTEXT_TASK, 50);
	fixture_hit(fixture, task, fixture_chain(fixture, main, "/bin/a", "light"), MODE_USER,
		    CONTEXT_TASK, 30);
	fixture_hit(fixture, task, fixture_chain(fixture, main, "/bin/a", "tiny"), MODE_USER,
		    CONTEXT_TASK, 6);
	fixture_hit(fixture, task, fixture_chain(fixture, main, "/bin/a", "least"), MODE_USER,
		    CONTEXT_TASK, 4);
	world->stacks = stacks_table(fixture, "symbol");
	world->places = stacks_places(fixture, "symbol");
	world->tree = tree_new(world->stacks, world->places, 0, TREE_FROM_ROOTS, NULL);
}

static void world_done(struct world *world)
{
	tree_free(world->tree);
	places_free(world->places);
	table_free(world->stacks);
	fixture_done(&world->fixture);
}

/* What is left, and what "main" and "heavy", nodes 1 and 2, say of the rest. */
static void assert_left(const struct prune_limits *limits, const char *wanted, uint32_t below_main,
			uint64_t samples_below_main, uint32_t below_heavy)
{
	struct world world;
	struct prune prune;
	struct buf text = { 0 };

	world_init(&world);
	prune_make(world.tree, limits, &prune);
	stacks_print(world.tree, prune.hidden, &text);
	assert_string_equal(buf_text(&text), wanted);
	assert_int_equal(prune.rest[1].nodes, below_main);
	assert_int_equal(prune.rest[1].hits.samples, samples_below_main);
	assert_int_equal(prune.rest[1].hits.weight, samples_below_main * NS_PER_MS);
	assert_int_equal(prune.rest[2].nodes, below_heavy);
	buf_done(&text);
	prune_done(&prune);
	world_done(&world);
}

static void no_limits(void **state)
{
	assert_left(&(struct prune_limits){ 0 },
		    "main 100 0\n heavy 60 10\n  deep 50 0\n   deeper 50 50\n light 30 30\n"
		    " tiny 6 6\n least 4 4\n",
		    0, 0, 0);
}

static void small_branches(void **state)
{
	assert_left(&(struct prune_limits){ .threshold = 10 },
		    "main 100 0\n heavy 60 10\n  deep 50 0\n   deeper 50 50\n light 30 30\n", 2, 10,
		    0);
	assert_left(&(struct prune_limits){ .threshold = 6 },
		    "main 100 0\n heavy 60 10\n  deep 50 0\n   deeper 50 50\n light 30 30\n"
		    " tiny 6 6\n",
		    1, 4, 0);
}

/* Only where the tree begins with it, and not what it calls. */
static void what_is_looked_at_stays(void **state)
{
	struct world world;
	struct prune_limits limits = { .threshold = 101 };
	struct prune prune;
	struct buf text = { 0 };
	bool *keep;

	(void)state;
	world_init(&world);
	for (int with_keep = 0; with_keep < 2; with_keep++) {
		keep = places_match(world.places, "[mh]*");
		assert_non_null(keep);
		limits.keep = with_keep ? keep : NULL;
		prune_make(world.tree, &limits, &prune);
		stacks_print(world.tree, prune.hidden, &text);
		assert_string_equal(buf_text(&text), with_keep ? "main 100 0\n" : "");
		assert_int_equal(prune.rest[with_keep].nodes, with_keep ? 4 : 1);
		prune_done(&prune);
		free(keep);
	}
	buf_done(&text);
	world_done(&world);
}

static void few_nodes(void **state)
{
	assert_left(&(struct prune_limits){ .limit = 2 }, "main 100 0\n heavy 60 10\n", 3, 40, 1);
	assert_left(&(struct prune_limits){ .limit = 3 }, "main 100 0\n heavy 60 10\n  deep 50 0\n",
		    3, 40, 0);
}

static void even_fewer_nodes(void **state)
{
	struct world world;
	struct prune prune;
	struct buf text = { 0 };

	(void)state;
	world_init(&world);
	prune_make(world.tree, &(struct prune_limits){ .limit = 5 }, &prune);
	assert_int_equal(prune.rest[1].nodes, 2);
	prune_tighten(world.tree, 3, &prune);
	stacks_print(world.tree, prune.hidden, &text);
	assert_string_equal(buf_text(&text), "main 100 0\n heavy 60 10\n  deep 50 0\n");
	assert_int_equal(prune.rest[1].nodes, 3);
	assert_int_equal(prune.rest[1].hits.samples, 40);
	assert_int_equal(prune.rest[3].nodes, 1);
	/* More than are shown: nothing changes. */
	prune_tighten(world.tree, 4, &prune);
	assert_int_equal(prune.rest[1].nodes, 3);
	assert_int_equal(prune.rest[3].nodes, 1);
	buf_done(&text);
	prune_done(&prune);
	world_done(&world);
}

/* Weights whose digits differ in every place; those of the same weight as the last one shown are
 * shown in their order. */
static void the_heaviest_are_those_that_weigh_most(void **state)
{
	static const uint64_t weights[] = {
		1ULL << 62, 3, (1ULL << 62) + 1, 70000, 3, 1ULL << 40, 3, 65536, 1ULL << 33, 3
	};
	static const bool hidden_of_7[] = { false, false, false, false, true,
					    false, true,  false, false, true };
	struct tree_node nodes[11] = { { .parent = 0 } };
	struct table stacks = { .sums = { { .weight = 1 } } };
	struct tree tree = { .stacks = &stacks, .nodes = { .items = nodes, .count = 11 } };
	struct prune prune;

	(void)state;
	for (size_t i = 0; i < 10; i++)
		nodes[i + 1].total.weight = weights[i];
	prune_make(&tree, &(struct prune_limits){ .limit = 7 }, &prune);
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(prune.hidden[i + 1], hidden_of_7[i]);
	assert_int_equal(prune.rest[0].nodes, 3);
	prune_tighten(&tree, 1, &prune);
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(prune.hidden[i + 1], i != 2);
	prune_done(&prune);
}

static void deep_branches(void **state)
{
	assert_left(&(struct prune_limits){ .max_depth = 2 },
		    "main 100 0\n heavy 60 10\n light 30 30\n tiny 6 6\n least 4 4\n", 0, 0, 1);
	assert_left(&(struct prune_limits){ .max_depth = 1 }, "main 100 0\n", 4, 100, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_limits),
		cmocka_unit_test(small_branches),
		cmocka_unit_test(what_is_looked_at_stays),
		cmocka_unit_test(few_nodes),
		cmocka_unit_test(even_fewer_nodes),
		cmocka_unit_test(the_heaviest_are_those_that_weigh_most),
		cmocka_unit_test(deep_branches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
