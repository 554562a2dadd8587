/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COUNT = 200000 };

/* A size that no page is a multiple of. */
struct item {
	uint64_t number;
	char rest[48];
};

static struct item *make(void)
{
	struct item *items = malloc(COUNT * sizeof(*items));

	assert_non_null(items);
	for (size_t i = 0; i < COUNT; i++) {
		memset(&items[i], 1, sizeof(items[i]));
		items[i].number = i + 1;
	}
	return items;
}

/* What the process has of memory of its own, as the kernel finds in its page tables: pages that are
 * read as zeros and take no memory are not counted. */
static size_t taken_bytes(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "r");
	char line[256];
	size_t kb = 0;

	if (!file) {
		print_message("needs /proc/self/smaps_rollup\n");
		skip();
	}
	while (fgets(line, sizeof(line), file))
		(void)sscanf(line, "Anonymous: %zu kB", &kb);
	fclose(file);
	assert_true(kb > 0);
	return kb * 1024;
}

/* Every thousandth is needed; the others go in an order that is not theirs. */
static void what_is_empty_is_given_back(void **state)
{
	struct item *items = make();
	struct vec_holes holes = { 0 };
	size_t before = taken_bytes(), bytes = COUNT * sizeof(*items), left = 0;

	for (size_t i = 0; i < COUNT; i++) {
		size_t number = i * 7919 % COUNT;

		if (number % 1000 == 0)
			continue;
		memset(&items[number], 0, sizeof(items[number]));
		vec_add_hole(&holes, items, sizeof(items[number]), number);
	}
	/* Each of the two hundred holds its block, of two pages at most, and parts of the pages
	 * beside: a tenth of them all. Before any is read again. */
	assert_true(taken_bytes() < before - bytes / 4 * 3);
	for (size_t i = vec_after_hole(&holes, 0); i < COUNT; i = vec_after_hole(&holes, i + 1))
		left++;
	assert_in_range(left, 200, COUNT / 5);
	for (size_t i = 0; i < COUNT; i += 1000)
		assert_int_equal(vec_after_hole(&holes, i), i);
	assert_true(taken_bytes() < before - bytes / 4 * 3);
	for (size_t i = 0; i < COUNT; i++) {
		assert_int_equal(items[i].number, i % 1000 == 0 ? i + 1 : 0);
		assert_int_equal(items[i].rest[47], i % 1000 == 0);
	}
	vec_free(&holes.emptied);
	free(items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_empty_is_given_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
