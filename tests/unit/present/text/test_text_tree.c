/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/grown.h"

#include "present/text/text_tree.h"

static void assert_printed(struct grown *grown, const char *by, const char *places_by,
			   const struct prune_limits *limits, const char *wanted)
{
	FILE *out = grown_begin(grown, by, places_by, limits);

	text_tree_print(&grown->view, grown->tree, &grown->prune, limits->threshold, true, out);
	assert_string_equal(grown_end(grown), wanted);
}

static void a_chain_is_not_indented(void **state)
{
	struct grown grown;
	uint32_t main;

	grown_init(&grown);
	main = fixture_chain(&grown.fixture, 0, "/bin/a", "_start main");
	grown_hit(&grown, fixture_chain(&grown.fixture, main, "/bin/a", "x y"), 60);
	grown_hit(&grown, fixture_chain(&grown.fixture, main, "/bin/a", "z"), 40);
	assert_printed(&grown, "symbol", "symbol", &(struct prune_limits){ 0 },
		       "Total %   Self %  symbol\n"
		       " 100.00     0.00  _start  [a]\n"
		       " 100.00     0.00  main\n"
		       "  60.00     0.00  |- x\n"
		       "  60.00    60.00  |  y\n"
		       "  40.00    40.00  `- z\n");
	grown_done(&grown);
}

static void threads_do_not_look_like_callees(void **state)
{
	struct grown grown;

	grown_init(&grown);
	grown_hit(&grown, fixture_chain(&grown.fixture, 0, "/bin/a", "main f"), 3);
	grown_hit(&grown, fixture_chain(&grown.fixture, 0, "/bin/a", "clone g"), 1);
	assert_printed(&grown, "image", "symbol", &(struct prune_limits){ 0 },
		       "Total %   Self %  symbol\n"
		       "  75.00     0.00  |- main  [a]\n"
		       "  75.00    75.00  |  f\n"
		       "  25.00     0.00  `- clone  [a]\n"
		       "  25.00    25.00     g\n");
	grown_done(&grown);
}

static void what_is_hidden_is_added_up(void **state)
{
	struct grown grown;
	uint32_t main;

	grown_init(&grown);
	main = fixture_chain(&grown.fixture, 0, "/bin/a", "main");
	grown_hit(&grown, fixture_chain(&grown.fixture, main, "/bin/a", "x deep"), 60);
	grown_hit(&grown, fixture_chain(&grown.fixture, main, "/bin/a", "x other"), 4);
	grown_hit(&grown, fixture_chain(&grown.fixture, main, "/bin/a", "y"), 18);
	grown_hit(&grown, fixture_chain(&grown.fixture, main, "/bin/a", "z"), 18);
	assert_printed(&grown, "symbol", "symbol", &(struct prune_limits){ .threshold = 20 },
		       "Total %   Self %  symbol\n"
		       " 100.00     0.00  main  [a]\n"
		       "  64.00     0.00  |- x\n"
		       "  60.00    60.00  |  deep\n"
		       "  36.00           `- (2 more)\n");
	grown_done(&grown);
}

static void recursion_is_one_line(void **state)
{
	struct grown grown;
	uint32_t stack;

	grown_init(&grown);
	stack = fixture_chain(&grown.fixture, 0, "/bin/a", "main");
	for (int i = 0; i < 2000; i++) {
		stack = fixture_chain(&grown.fixture, stack, "/bin/a", "f");
		if (i % 1000 == 0)
			grown_hit(&grown, stack, 10);
	}
	grown_hit(&grown, fixture_chain(&grown.fixture, stack, "/bin/a", "leaf"), 80);
	assert_printed(&grown, "symbol", "symbol", &(struct prune_limits){ 0 },
		       "Total %   Self %  symbol\n"
		       " 100.00     0.00  main  [a]\n"
		       " 100.00    20.00  f  (2000 times)\n"
		       "  80.00    80.00  leaf\n");
	grown_done(&grown);
}

/* Lines stay short however deep the tree is. */
static void deep_branches_stay_on_the_screen(void **state)
{
	struct grown grown;
	uint32_t stack = 0;
	const char *text;
	FILE *out;

	grown_init(&grown);
	for (int i = 0; i < 500; i++) {
		stack = fixture_chain(&grown.fixture, stack, "/bin/a", i % 2 ? "odd" : "even");
		grown_hit(&grown, fixture_chain(&grown.fixture, stack, "/bin/a", "leaf"), 1);
	}
	out = grown_begin(&grown, "symbol", "symbol", &(struct prune_limits){ 0 });
	grown.view.screen.columns = 100;
	text_tree_print(&grown.view, grown.tree, &grown.prune, 0, true, out);
	text = grown_end(&grown);
	assert_non_null(strstr(text, "[level 499] "));
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 100);
	grown_done(&grown);
}

static void groups_and_cuts(void **state)
{
	struct grown grown;
	uint32_t cut;

	grown_init(&grown);
	cut = fixture_cut(&grown.fixture, STACK_NO_ROWS);
	grown_hit(&grown, fixture_chain(&grown.fixture, cut, "/bin/a", "f"), 1);
	assert_printed(&grown, "process,symbol", "symbol", &(struct prune_limits){ 0 },
		       "Total %   Self %  symbol\n"
		       " 100.00     0.00  a#1\n"
		       " 100.00     0.00  [cut:no rows]\n"
		       " 100.00   100.00  f  [a]\n");
	grown_done(&grown);
}

static void hostile_names(void **state)
{
	struct grown grown;

	grown_init(&grown);
	grown_hit(&grown, fixture_callee(&grown.fixture, 0, "/bin/\033[2J", "a\nb\033]0;x\a", 4),
		  1);
	assert_printed(&grown, "symbol", "symbol", &(struct prune_limits){ 0 },
		       "Total %   Self %  symbol\n"
		       " 100.00   100.00  a\\x0ab\\x1b]0;x\\x07  [\\x1b[2J]\n");
	grown_done(&grown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chain_is_not_indented),
		cmocka_unit_test(threads_do_not_look_like_callees),
		cmocka_unit_test(what_is_hidden_is_added_up),
		cmocka_unit_test(recursion_is_one_line),
		cmocka_unit_test(deep_branches_stay_on_the_screen),
		cmocka_unit_test(groups_and_cuts),
		cmocka_unit_test(hostile_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
