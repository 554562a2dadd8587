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

/* Names that nobody reads are cut, between characters, and stay apart. */
static void long_names_are_cut(void **state)
{
	enum { LENGTH = 60000 };
	char *long_one = test_malloc(LENGTH + 1), *other = test_malloc(LENGTH + 1);
	char *just = test_malloc(STACK_NAMES_MOST_BYTES + 1);
	struct buf one_text = { 0 }, other_text = { 0 };
	struct fixture fixture;
	uint32_t one, two, whole;

	memset(just, 'y', STACK_NAMES_MOST_BYTES);
	just[STACK_NAMES_MOST_BYTES] = '\0';
	for (int i = 0; i < LENGTH; i += 2)
		memcpy(long_one + i, "\xc3\xa9", 2);
	long_one[0] = 'z';
	long_one[1] = 'z';
	long_one[2] = 'z';
	long_one[3] = 'z';
	long_one[LENGTH] = '\0';
	memmove(long_one + 1, long_one + 2, LENGTH - 1);
	strcpy(other, long_one);
	other[LENGTH - 3] = 'a';
	other[LENGTH - 2] = 'b';
	fixture_init(&fixture);
	one = fixture_callee(&fixture, 0, "/bin/a", long_one, 4);
	two = fixture_callee(&fixture, 0, "/bin/a", other, 4);
	whole = fixture_callee(&fixture, 0, "/bin/a", just, 4);
	fixture_labels(&fixture);
	stack_names_text(&fixture.labels, one, &one_text);
	stack_names_text(&fixture.labels, two, &other_text);
	assert_in_range(one_text.size, STACK_NAMES_MOST_BYTES, STACK_NAMES_MOST_BYTES + 40);
	assert_memory_equal(buf_text(&one_text), long_one, STACK_NAMES_MOST_BYTES - 1);
	assert_memory_equal(buf_text(&one_text) + STACK_NAMES_MOST_BYTES - 1, "...[59999 bytes, ",
			    17);
	assert_string_not_equal(buf_text(&one_text), buf_text(&other_text));
	assert_stack(&fixture, whole, just);
	fixture_done(&fixture);
	buf_done(&one_text);
	buf_done(&other_text);
	test_free(long_one);
	test_free(other);
	test_free(just);
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
		cmocka_unit_test(long_names_are_cut),
		cmocka_unit_test(equal_names_are_one_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
