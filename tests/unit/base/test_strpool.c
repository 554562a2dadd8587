/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strpool.h"

static void equal_texts_have_equal_ids(void **state)
{
	struct strpool pool = { 0 };
	char copy[] = "main";
	str_id first;

	assert_int_equal(strpool_count(&pool), 0);
	first = strpool_intern(&pool, "main");
	assert_int_equal(first, 1);
	assert_int_equal(strpool_intern(&pool, copy), first);
	assert_int_equal(strpool_intern(&pool, "Main"), 2);
	assert_int_equal(strpool_intern(&pool, "mai"), 3);
	assert_int_equal(strpool_intern(&pool, ""), 0);
	assert_int_equal(strpool_count(&pool), 4);
	assert_string_equal(strpool_get(&pool, first), "main");
	assert_string_equal(strpool_get(&pool, 0), "");
	strpool_done(&pool);
}

static void texts_need_no_end(void **state)
{
	struct strpool pool = { 0 };
	str_id id = strpool_intern_n(&pool, "mainframe", 4);

	assert_string_equal(strpool_get(&pool, id), "main");
	assert_int_equal(strpool_intern(&pool, "main"), id);
	assert_int_equal(strpool_intern_n(&pool, "main\0junk", 9), id);
	assert_int_equal(strpool_intern_n(&pool, "x", 0), 0);
	strpool_done(&pool);
}

/* Ids stay dense and pointers stay where they are, over many blocks and one huge text. */
static void nothing_moves(void **state)
{
	enum { COUNT = 20000, HUGE_TEXT = 300000 };
	struct strpool pool = { 0 };
	const char *first = strpool_get(&pool, strpool_intern(&pool, "text number 1"));
	char *huge = test_malloc(HUGE_TEXT);
	char text[64];
	str_id id;

	for (uint32_t i = 1; i <= COUNT; i++) {
		snprintf(text, sizeof(text), "text number %u", i);
		assert_int_equal(strpool_intern(&pool, text), i);
	}
	memset(huge, 'x', HUGE_TEXT);
	id = strpool_intern_n(&pool, huge, HUGE_TEXT);
	assert_int_equal(id, COUNT + 1);
	assert_int_equal(strlen(strpool_get(&pool, id)), HUGE_TEXT);
	assert_int_equal(strpool_intern(&pool, "after the huge one"), COUNT + 2);
	assert_ptr_equal(strpool_get(&pool, 1), first);
	for (uint32_t i = 1; i <= COUNT; i++) {
		snprintf(text, sizeof(text), "text number %u", i);
		assert_string_equal(strpool_get(&pool, i), text);
	}
	test_free(huge);
	strpool_done(&pool);
}

static void unknown_ids_are_empty(void **state)
{
	struct strpool pool = { 0 };

	assert_string_equal(strpool_get(&pool, 0), "");
	assert_string_equal(strpool_get(&pool, UINT32_MAX), "");
	strpool_done(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_texts_have_equal_ids),
		cmocka_unit_test(texts_need_no_end),
		cmocka_unit_test(nothing_moves),
		cmocka_unit_test(unknown_ids_are_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
