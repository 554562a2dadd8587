/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/diff/paired_tree.h"

#include "aggregate/stacks.h"
#include "base/file.h"

/* A function that main calls, and how often it was hit. */
struct leaf {
	const char *name;
	uint64_t samples;
};

struct one_side {
	struct fixture fixture;
	struct table *table;
	struct places *places;
	struct tree *tree;
};

/* The tree by @by, as "program,symbol", of a program at @path. */
static void side_init(struct one_side *side, const char *by, const char *path,
		      const struct leaf *leaves)
{
	struct fixture *fixture = &side->fixture;
	uint32_t main, task;

	fixture_init(fixture);
	task = fixture_task(fixture, fixture_process(fixture, file_base(path), 1001), "x");
	main = fixture_chain(fixture, 0, path, "main");
	for (; leaves->name; leaves++)
		fixture_hit(fixture, task, fixture_chain(fixture, main, path, leaves->name),
			    MODE_USER, CONTEXT_TASK, leaves->samples);
	side->table = stacks_table(fixture, by);
	side->places = stacks_places(fixture, "symbol");
	side->tree = tree_new(side->table, side->places, 0, TREE_FROM_ROOTS, NULL);
}

static void side_done(struct one_side *side)
{
	tree_free(side->tree);
	places_free(side->places);
	table_free(side->table);
	fixture_done(&side->fixture);
}

/* A line for each node: "main 30 40", samples with all below, old and new. */
static void assert_paired(const struct paired_tree *tree, const char *wanted)
{
	uint32_t *order = paired_tree_order(tree);
	struct buf text = { 0 };

	for (size_t i = 1; i < tree->nodes.count; i++) {
		const struct paired_node *node = &tree->nodes.items[order[i]];
		const struct paired_name *name = &tree->names.items[node->name];

		for (uint32_t up = node->parent; up; up = tree->nodes.items[up].parent)
			buf_add_char(&text, ' ');
		buf_printf(&text, "%s %u %u %s\n", strpool_get(&tree->strings, name->text),
			   (unsigned)node->total[DIFF_OLD].samples,
			   (unsigned)node->total[DIFF_NEW].samples,
			   strpool_get(&tree->strings, name->image));
	}
	assert_string_equal(buf_text(&text), wanted);
	buf_done(&text);
	free(order);
}

static void assert_pair_by(const char *by, const char *old_path, const struct leaf *old_leaves,
			   const char *new_path, const struct leaf *new_leaves, bool commands,
			   const char *wanted)
{
	struct one_side old, new;
	struct paired_side old_side, new_side;
	struct paired_tree *tree;

	side_init(&old, by, old_path, old_leaves);
	side_init(&new, by, new_path, new_leaves);
	old_side = (struct paired_side){ old.tree, commands ? old_path : NULL };
	new_side = (struct paired_side){ new.tree, commands ? new_path : NULL };
	tree = paired_tree_new(&old_side, &new_side);
	assert_paired(tree, wanted);
	paired_tree_free(tree);
	side_done(&old);
	side_done(&new);
}

static void assert_pair(const char *old_path, const struct leaf *old_leaves, const char *new_path,
			const struct leaf *new_leaves, bool commands, const char *wanted)
{
	assert_pair_by("symbol", old_path, old_leaves, new_path, new_leaves, commands, wanted);
}

static const struct leaf old_leaves[] = {
	{ "parse.cold", 10 }, { "lex", 5 }, { "gone", 2 }, { 0 }
};
static const struct leaf new_leaves[] = {
	{ "parse", 20 }, { "parse.isra.0", 3 }, { "lex", 5 }, { "fresh", 7 }, { 0 }
};

static void parts_are_one_and_sides_meet(void **state)
{
	assert_pair("/old/prog-1.2", old_leaves, "/new/prog-1.3", new_leaves, false,
		    "main 17 35 /new/prog-1.3\n"
		    " parse 10 23 /new/prog-1.3\n"
		    " lex 5 5 /new/prog-1.3\n"
		    " fresh 0 7 /new/prog-1.3\n"
		    " gone 2 0 /old/prog-1.2\n");
}

static void programs_of_other_names(void **state)
{
	assert_pair("/bin/bench-a", old_leaves, "/bin/bench-b", new_leaves, true,
		    "main 17 35 /bin/bench-b\n"
		    " parse 10 23 /bin/bench-b\n"
		    " lex 5 5 /bin/bench-b\n"
		    " fresh 0 7 /bin/bench-b\n"
		    " gone 2 0 /bin/bench-a\n");
	/* Two programs that are no commands are two programs. */
	assert_pair("/bin/bench-a", (const struct leaf[]){ { "f", 1 }, { 0 } }, "/bin/bench-b",
		    (const struct leaf[]){ { "f", 1 }, { 0 } }, false,
		    "main 0 1 /bin/bench-b\n"
		    " f 0 1 /bin/bench-b\n"
		    "main 1 0 /bin/bench-a\n"
		    " f 1 0 /bin/bench-a\n");
}

/* The first level of a flame graph, which a function of that name is not. */
static void groups_meet_as_their_commands_do(void **state)
{
	static const struct leaf leaves[] = { { "bench-b", 4 }, { 0 } };

	assert_pair_by("program,symbol", "/bin/bench-a", leaves, "/bin/bench-b", leaves, true,
		       "bench-b 4 4 \n"
		       " main 4 4 /bin/bench-b\n"
		       "  bench-b 4 4 /bin/bench-b\n");
	assert_pair_by("program,symbol", "/bin/bench-a", leaves, "/bin/bench-b", leaves, false,
		       "bench-b 0 4 \n"
		       " main 0 4 /bin/bench-b\n"
		       "  bench-b 0 4 /bin/bench-b\n"
		       "bench-a 4 0 \n"
		       " main 4 0 /bin/bench-a\n"
		       "  bench-b 4 0 /bin/bench-a\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_one_and_sides_meet),
		cmocka_unit_test(programs_of_other_names),
		cmocka_unit_test(groups_meet_as_their_commands_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
