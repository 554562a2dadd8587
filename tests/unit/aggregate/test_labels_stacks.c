/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/fixture.h"

/* Of a name; labels.c cuts a longer one. */
enum { MOST_BYTES = 4096 };

static void assert_stack(struct fixture *fixture, uint32_t stack, const char *wanted)
{
	struct buf text = { 0 };

	labels_stack(&fixture->labels, stack, &text);
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

/* Of code without a name each function is told by its start, and stacks differ by it. */
static void places_have_their_starts(void **state)
{
	struct fixture fixture;
	uint32_t first, second, other;

	fixture_init(&fixture);
	first = fixture_stack(&fixture, "/bin/a b", "f->g", 0x100, SYMBOL_BRACKET);
	second = fixture_stack(&fixture, "/bin/a b", "f->g", 0x900, SYMBOL_BRACKET);
	other = fixture_stack(&fixture, "[kernel]", "f->g", 0x900, SYMBOL_BRACKET);
	fixture_labels(&fixture);
	assert_stack(&fixture, second, "f->g");
	assert_int_equal(labels_first_stack(&fixture.labels, second), first);
	fixture_labels(&fixture);
	fixture.labels.by_start = true;
	assert_stack(&fixture, first, "a b+0x100");
	assert_stack(&fixture, second, "a b+0x900");
	assert_stack(&fixture, other, "f->g");
	assert_int_equal(labels_first_stack(&fixture.labels, second), second);
	fixture_done(&fixture);
}

/* Names too long to read are shortened, between characters, and stay distinct. */
static void long_names_are_cut(void **state)
{
	enum { LENGTH = 60000 };
	char *long_one = test_malloc(LENGTH + 1), *other = test_malloc(LENGTH + 1);
	char *just = test_malloc(MOST_BYTES + 1);
	struct buf one_text = { 0 }, other_text = { 0 };
	struct fixture fixture;
	uint32_t one, two, whole;

	memset(just, 'y', MOST_BYTES);
	just[MOST_BYTES] = '\0';
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
	labels_stack(&fixture.labels, one, &one_text);
	labels_stack(&fixture.labels, two, &other_text);
	assert_in_range(one_text.size, MOST_BYTES, MOST_BYTES + 40);
	assert_memory_equal(buf_text(&one_text), long_one, MOST_BYTES - 1);
	assert_memory_equal(buf_text(&one_text) + MOST_BYTES - 1, "...[59999 bytes, ", 17);
	assert_string_not_equal(buf_text(&one_text), buf_text(&other_text));
	assert_stack(&fixture, whole, just);
	fixture_done(&fixture);
	buf_done(&one_text);
	buf_done(&other_text);
	test_free(long_one);
	test_free(other);
	test_free(just);
}

static void long_names_need_no_characters(void **state)
{
	enum { LENGTH = 5000 };
	char *name = test_malloc(LENGTH + 1);
	struct buf text = { 0 };
	struct fixture fixture;
	uint32_t stack;

	memset(name, '\x80', LENGTH);
	name[LENGTH] = '\0';
	fixture_init(&fixture);
	stack = fixture_callee(&fixture, 0, "/bin/a", name, 4);
	fixture_labels(&fixture);
	labels_stack(&fixture.labels, stack, &text);
	assert_memory_equal(buf_text(&text), name, MOST_BYTES - 3);
	assert_memory_equal(buf_text(&text) + MOST_BYTES - 3, "...[5000 bytes, ", 16);
	fixture_done(&fixture);
	buf_done(&text);
	test_free(name);
}

static void equal_names_are_one_stack(void **state)
{
	struct fixture fixture;
	uint32_t main, here, there, other, below_here, below_there;
	const struct labels *labels;

	fixture_init(&fixture);
	main = fixture_chain(&fixture, 0, "/bin/a", "main");
	here = fixture_callee(&fixture, main, "/bin/a", "work", 4);
	there = fixture_callee(&fixture, main, "/bin/a", "work", 9);
	other = fixture_callee(&fixture, here, "/bin/a", "work", 4);
	below_here = fixture_callee(&fixture, here, "/bin/a", "leaf", 4);
	below_there = fixture_callee(&fixture, there, "/bin/a", "leaf", 4);
	labels = fixture_labels(&fixture);
	assert_int_not_equal(here, there);
	assert_int_equal(labels_first_stack(labels, here), here);
	assert_int_equal(labels_first_stack(labels, there), here);
	assert_int_equal(labels_first_stack(labels, other), other);
	assert_int_equal(labels_first_stack(labels, below_there), below_here);
	assert_int_equal(labels_first_stack(labels, 0), 0);
	fixture_done(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_stand_root_first),
		cmocka_unit_test(names_cannot_break_a_stack),
		cmocka_unit_test(places_have_their_starts),
		cmocka_unit_test(long_names_are_cut),
		cmocka_unit_test(long_names_need_no_characters),
		cmocka_unit_test(equal_names_are_one_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
