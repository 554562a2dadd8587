/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/fixture.h"

#include "aggregate/stack_names.h"

static void assert_stack(struct fixture *fixture, uint32_t stack, const char *wanted)
{
	struct buf text = { 0 };

	stack_names_text(&fixture->labels, stack, &text);
	assert_string_equal(buf_text(&text), wanted);
	buf_done(&text);
}

static void frames_stand_root_first(void **state)
{
	struct fixture fixture;
	uint32_t user, kernel, cut;

	fixture_init(&fixture);
	user = fixture_chain(&fixture, 0, "/bin/a", "_start main work");
	kernel = fixture_chain(&fixture, user, "[kernel]", "entry sys_read");
	cut = fixture_chain(&fixture, fixture_cut(&fixture, STACK_NO_ROWS), "/bin/a", "work");
	fixture_labels(&fixture);
	assert_stack(&fixture, user, "_start;main;work");
	assert_stack(&fixture, kernel, "_start;main;work;entry;sys_read");
	assert_stack(&fixture, cut, "[cut:no rows];work");
	assert_stack(&fixture, 0, "");
	fixture_done(&fixture);
}

/* What joins names cannot be in one of them. */
static void names_cannot_break_a_stack(void **state)
{
	struct fixture fixture;
	uint32_t stack;

	fixture_init(&fixture);
	stack = fixture_callee(&fixture, 0, "/bin/a", "a;b", 4);
	stack = fixture_callee(&fixture, stack, "/bin/a", "c\n\x1b\x7f", 4);
	stack = fixture_callee(&fixture, stack, "/bin/a", "d\\x3b", 4);
	stack = fixture_callee(&fixture, stack, "/bin/a", "caf\xc3\xa9", 4);
	fixture_labels(&fixture);
	assert_stack(&fixture, stack, "a\\x3bb;c\\x0a\\x1b\\x7f;d\\x5cx3b;caf\xc3\xa9");
	fixture_done(&fixture);
}

static void equal_names_are_one_stack(void **state)
{
	struct fixture fixture;
	uint32_t main, here, there, other, below_here, below_there;
	struct stack_names *names;

	fixture_init(&fixture);
	main = fixture_chain(&fixture, 0, "/bin/a", "main");
	here = fixture_callee(&fixture, main, "/bin/a", "work", 4);
	there = fixture_callee(&fixture, main, "/bin/a", "work", 9);
	other = fixture_callee(&fixture, here, "/bin/a", "work", 4);
	below_here = fixture_callee(&fixture, here, "/bin/a", "leaf", 4);
	below_there = fixture_callee(&fixture, there, "/bin/a", "leaf", 4);
	names = fixture_labels(&fixture)->stacks;
	assert_int_not_equal(here, there);
	assert_int_equal(stack_names_first(names, here), here);
	assert_int_equal(stack_names_first(names, there), here);
	assert_int_equal(stack_names_first(names, other), other);
	assert_int_equal(stack_names_first(names, below_there), below_here);
	assert_int_equal(stack_names_first(names, 0), 0);
	fixture_done(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_stand_root_first),
		cmocka_unit_test(names_cannot_break_a_stack),
		cmocka_unit_test(equal_names_are_one_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
