/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/run_facts_merge.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Merges texts one after another, as facts of three rules: a list, lines, and what must be the same. */
static void expect(const char *const *texts, const char *list, const char *lines, const char *same)
{
	struct profile *merged = profile_new();
	bool first = true;

	for (; *texts; texts++) {
		struct profile *one = profile_new();

		profile_set_text(&one->run.hostname, *texts);
		profile_set_text(&one->run.not_visible, *texts);
		profile_set_text(&one->run.scope, *texts);
		run_facts_merge(&merged->run, &one->run, first);
		first = false;
		profile_free(one);
	}
	assert_string_equal(merged->run.hostname, list);
	assert_string_equal(merged->run.not_visible, lines);
	assert_string_equal(merged->run.scope, same);
	profile_free(merged);
}

static void test_texts(void **state)
{
	(void)state;
	expect((const char *const[]){ "a", "a", NULL }, "a", "a", "a");
	expect((const char *const[]){ "a", "b", "a", NULL }, "a, b", "a\nb", "mixed");
	/* Parts of others are not the same. */
	expect((const char *const[]){ "web1", "web", "eb1", "web1", NULL }, "web1, web, eb1",
	       "web1\nweb\neb1", "mixed");
	expect((const char *const[]){ "a, b", "b", "c, a", NULL }, "a, b, c", "a, b\nb\nc, a",
	       "mixed");
	expect((const char *const[]){ "x\ny", "y\nz", NULL }, "x\ny, y\nz", "x\ny\nz", "mixed");
	expect((const char *const[]){ "", "a", "", NULL }, "a", "a", "mixed");
}

static void test_numbers(void **state)
{
	struct run_facts sum = { 0 };
	const struct run_facts one = {
		.idle_ns = 5, .waited_known = 2, .max_rss_kb = 7, .start_ns = 3, .command_pid = 9
	};
	const struct run_facts two = {
		.idle_ns = 6, .waited_known = 1, .max_rss_kb = 3, .start_ns = 4, .command_pid = 8
	};

	(void)state;
	run_facts_merge(&sum, &one, true);
	assert_int_equal(sum.command_pid, 9);
	run_facts_merge(&sum, &two, false);
	assert_int_equal(sum.idle_ns, 11);
	assert_int_equal(sum.waited_known, 1);
	assert_int_equal(sum.max_rss_kb, 7);
	assert_int_equal(sum.command_pid, 0);
	assert_int_equal(sum.start_ns, 0);
#define FREE_TEXT(name) free(sum.name);
#define FREE_NUMBER(name)
#define FREE_FACT(type, name, merge) FREE_##type(name)
	RUN_FACTS(FREE_FACT)
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
