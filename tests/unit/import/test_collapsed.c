/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "import/collapsed.h"

/* As text: "thread pid tid| name mark ... count\n". */
static int take(void *context, const struct collapsed_stack *stack)
{
	struct buf *buf = context;

	if (stack->comm)
		buf_printf(buf, "<%s %d %d>", stack->comm, stack->pid, stack->tid);
	for (size_t i = 0; i < stack->frame_count; i++)
		buf_printf(buf, "%s%s%.1s", i ? "|" : "", stack->frames[i].name,
			   stack->frames[i].mark ? &stack->frames[i].mark : "");
	buf_printf(buf, "=%llu\n", (unsigned long long)stack->count);
	return 0;
}

static struct collapsed_facts read_facts(const void *text, size_t size, struct buf *ret_buf)
{
	int fd = memfd_create("collapsed", MFD_CLOEXEC);
	struct perf_data_input input;
	struct collapsed_facts facts = { .odd = 99 };

	assert_int_equal(write(fd, text, size), (ssize_t)size);
	lseek(fd, 0, SEEK_SET);
	perf_data_input_begin(&input, fd);
	assert_int_equal(collapsed_read(&input, take, ret_buf, &facts), 0);
	perf_data_input_done(&input);
	return facts;
}

/* How many lines were odd. */
static uint64_t read_text(const void *text, size_t size, struct buf *ret_buf)
{
	return read_facts(text, size, ret_buf).odd;
}

static void lines(void **state)
{
	static const struct {
		const char *line, *read;
	} cases[] = {
		{ "main;work 12\n", "main|work=12\n" },
		{ "main;work 12", "main|work=12\n" },
		{ "main;work 12\r\n", "main|work=12\n" },
		{ "operator new(int);f 1", "operator new(int)|f=1\n" },
		{ "a;b_[k];c_[i];d_[j];e_[w] 3", "a|bk|ci|dj|ew=3\n" },
		{ "a;b_[x] 3", "a|b_[x]=3\n" },
		{ "java-12/13;main 5", "<java 12 13>main=5\n" },
		{ "kworker/0:1-12/13;main 5", "<kworker/0:1 12 13>main=5\n" },
		{ "[exiting]--1/-1;main 5", "<[exiting] -1 -1>main=5\n" },
		{ "java-12/13 5", "java-12/13=5\n" },
		{ "java-12;main 5", "java-12|main=5\n" },
		{ "a/b;main 5", "a/b|main=5\n" },
		{ "a-1/99999999999;main 5", "a-1/99999999999|main=5\n" },
		{ "main 12.5", "main=13\n" },
		{ "main 12.4", "main=12\n" },
		{ "main 0", "" },
		{ "# head\n\nmain 1", "main=1\n" },
		{ "main;work\t12\n", "main|work=12\n" },
		{ "main;work  \t 12 \t\n", "main|work=12\n" },
		{ "main;work 12 \r\n\r\n \t\n", "main|work=12\n" },
		{ "\t main;work 12\n  # remark\n", "main|work=12\n" },
		{ "  java-12/13;main 5\n", "<java 12 13>main=5\n" },
		{ "a b;c\td e 5\n", "a b|c\td e=5\n" },
		{ "DOM Worker 3 5\nb 1\n", "DOM Worker 3=5\nb=1\n" },
		{ "a_[k] \t7\n", "ak=7\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf read = { 0 };

		assert_int_equal(read_text(cases[i].line, strlen(cases[i].line), &read), 0);
		assert_string_equal(buf_text(&read), cases[i].read);
		buf_done(&read);
	}
}

static void odd_lines_are_counted(void **state)
{
	static const char text[] = "a 1\nno count\n 5\nb 2x\nc 99999999999999999999\nd\0e 4\nf 6\n";
	struct buf read = { 0 };

	assert_int_equal(read_text(text, sizeof(text) - 1, &read), 5);
	assert_string_equal(buf_text(&read), "a=1\nf=6\n");
	buf_done(&read);
}

static void the_first_odd_line_is_reported(void **state)
{
	static const struct {
		const char *text;
		const char *fault; /* NULL: none */
		uint64_t line;
	} cases[] = {
		{ "a 1\n\nno count\nb -3\n", "a stack has no count", 3 },
		{ "# head\nb -3\nno count\n", "negative count", 2 },
		{ "c 99999999999999999999\n", "count too large", 1 },
		{ "c 1e5\n", "a stack has no count", 1 },
		{ "a 1\n", NULL, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf read = { 0 };
		struct collapsed_facts facts =
			read_facts(cases[i].text, strlen(cases[i].text), &read);

		if (cases[i].fault)
			assert_string_equal(facts.fault, cases[i].fault);
		else
			assert_null(facts.fault);
		assert_int_equal(facts.odd_line, cases[i].line);
		buf_done(&read);
	}
}

static void what_was_rounded_is_counted(void **state)
{
	static const char text[] = "a 1.5\nb 2\nc 0.2\nd 7.0\ne 0.00\nf -1.5\n";
	struct buf read = { 0 };
	struct collapsed_facts facts = read_facts(text, sizeof(text) - 1, &read);

	assert_string_equal(buf_text(&read), "a=2\nb=2\nd=7\n");
	assert_int_equal(facts.rounded, 2);
	assert_int_equal(facts.to_zero, 1);
	assert_int_equal(facts.odd, 1);
	buf_done(&read);
}

/* Two counts are those of two profiles, but a name may end in a number. */
static void two_numbers(void **state)
{
	static const struct {
		const char *text;
		bool differential;
		uint64_t numbered;
		const char *read;
	} cases[] = {
		{ "a;b 10 20\n", true, 0, "" },
		{ "a;b 10 20\nc\t1\t0\n# remark\n\n", true, 0, "" },
		{ "a;b 1.5 -2\n", true, 0, "" },
		{ "a;b 10 20\nc 5\n", false, 1, "a|b 10=20\nc=5\n" },
		{ "a;b10 20\n10 20\n", false, 0, "a|b10=20\n10=20\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf read = { 0 };
		struct collapsed_facts facts =
			read_facts(cases[i].text, strlen(cases[i].text), &read);

		assert_int_equal(facts.differential, cases[i].differential);
		assert_int_equal(facts.numbered, cases[i].numbered);
		assert_string_equal(buf_text(&read), cases[i].read);
		assert_true(collapsed_is(cases[i].text, strlen(cases[i].text)));
		buf_done(&read);
	}
}

static void long_lines(void **state)
{
	struct buf text = { 0 }, read = { 0 };

	for (int i = 0; i < 2 * COLLAPSED_MAX_FRAMES; i++)
		buf_add_str(&text, "f;");
	buf_add_str(&text, "leaf 7\n");
	for (size_t i = 0; i <= COLLAPSED_MAX_LINE; i++)
		buf_add_char(&text, 'x');
	buf_add_str(&text, " 3\nlast 1\n");
	assert_int_equal(read_text(text.bytes, text.size, &read), 1);
	assert_int_equal(strlen(strchr(buf_text(&read), '=')), strlen("=7\nlast=1\n"));
	buf_done(&text);
	buf_done(&read);
}

static void told_apart(void **state)
{
	assert_true(collapsed_is("a;b 3\n", 6));
	assert_true(collapsed_is("a 3\nodd\nb 4\nc 5", 15));
	/* Lines that cannot be used are reported when the file is read. */
	assert_true(collapsed_is("a;b -3\nc 1.5\nd 99999999999999999999\n", 36));
	assert_false(collapsed_is("int main(void)\n{\n", 17));
	assert_false(collapsed_is("", 0));
	assert_false(collapsed_is("a 3\n\0", 5));
	assert_false(collapsed_is("# 3\n", 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(odd_lines_are_counted),
		cmocka_unit_test(the_first_odd_line_is_reported),
		cmocka_unit_test(what_was_rounded_is_counted),
		cmocka_unit_test(two_numbers),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
