/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A look-up in rows made by hand. */
#include "unwind/row_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Two pages; a function from 0x1010 that goes on in the second one, nothing from 0x2020. */
static void test_find(void **state)
{
	static const struct unwind_rule rules[] = { { .cfa = UNWIND_CFA_NONE },
						    { .cfa = UNWIND_CFA_SP, .cfa_offset = 8 },
						    { .cfa = UNWIND_CFA_FP, .cfa_offset = 16 } };
	static const uint32_t rows[] = { UNWIND_ROW(0, 0), UNWIND_ROW(0x10, 1),
					 UNWIND_ROW(0xfff, 2), UNWIND_ROW(0, 2),
					 UNWIND_ROW(0x20, 0) };
	static const uint32_t pages[] = { 0, 3, 5 };
	const struct unwind_table table = { .base = 0x1000,
					    .page_count = 2,
					    .row_count = 5,
					    .rule_count = 3,
					    .pages = pages,
					    .rows = rows,
					    .rules = rules };

	(void)state;
	assert_null(row_table_find(&table, 0xfff));
	assert_null(row_table_find(&table, 0x1000));
	assert_null(row_table_find(&table, 0x100f));
	assert_ptr_equal(row_table_find(&table, 0x1010), &rules[1]);
	assert_ptr_equal(row_table_find(&table, 0x1ffe), &rules[1]);
	assert_ptr_equal(row_table_find(&table, 0x1fff), &rules[2]);
	assert_ptr_equal(row_table_find(&table, 0x2000), &rules[2]);
	assert_ptr_equal(row_table_find(&table, 0x201f), &rules[2]);
	assert_null(row_table_find(&table, 0x2020));
	assert_null(row_table_find(&table, 0x3000));
	assert_null(row_table_find(&table, UINT64_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_find) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
