/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages, rows that merge, and limits. */
#include "unwind/row_builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct unwind_rule rule_of(int32_t offset)
{
	return (struct unwind_rule){ .cfa = UNWIND_CFA_SP, .cfa_offset = offset };
}

static void add(struct row_builder *builder, uint64_t address, int32_t offset)
{
	struct unwind_rule rule = rule_of(offset);

	row_builder_add(builder, address, &rule);
}

static void assert_rows(const struct row_builder *builder, const uint32_t *rows, size_t count)
{
	assert_int_equal(builder->rows.count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(builder->rows.items[i], rows[i]);
}

static void test_rows(void **state)
{
	static const uint32_t rows[] = { UNWIND_ROW(0, 0), UNWIND_ROW(0x10, 1), UNWIND_ROW(0x20, 2),
					 UNWIND_ROW(0x30, 1), UNWIND_ROW(0x40, 0) };
	struct row_builder builder;

	(void)state;
	row_builder_init(&builder, 0x1000);
	add(&builder, 0x1010, 8);
	add(&builder, 0x1018, 8);
	add(&builder, 0x1020, 16);
	add(&builder, 0x1030, 8);
	row_builder_end(&builder, 0x1040);
	row_builder_end(&builder, 0x1048);
	row_builder_finish(&builder);
	assert_rows(&builder, rows, 5);
	assert_int_equal(builder.rules.count, 3);
	assert_int_equal(builder.pages.count, 2);
	assert_int_equal(builder.pages.items[1], 5);
	assert_false(builder.full);
	row_builder_done(&builder);
}

/* A rule goes on over pages, and ends in a later one; one may begin where a page does. */
static void test_pages(void **state)
{
	static const uint32_t rows[] = { UNWIND_ROW(0, 0), UNWIND_ROW(0xfff, 1), UNWIND_ROW(0, 1),
					 UNWIND_ROW(0, 1), UNWIND_ROW(1, 0),	 UNWIND_ROW(0, 2) };
	static const uint32_t pages[] = { 0, 2, 3, 5, 6 };
	struct row_builder builder;

	(void)state;
	row_builder_init(&builder, 0);
	add(&builder, 0xfff, 8);
	row_builder_end(&builder, 0x2001);
	add(&builder, 0x3000, 16);
	row_builder_finish(&builder);
	assert_rows(&builder, rows, 6);
	assert_int_equal(builder.pages.count, 5);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(builder.pages.items[i], pages[i]);
	row_builder_done(&builder);
}

/* The last word at an address counts. */
static void test_same_address(void **state)
{
	static const uint32_t rows[] = { UNWIND_ROW(0, 0), UNWIND_ROW(8, 2) };
	struct row_builder builder;

	(void)state;
	row_builder_init(&builder, 0);
	add(&builder, 8, 8);
	add(&builder, 8, 16);
	row_builder_finish(&builder);
	assert_rows(&builder, rows, 2);
	row_builder_done(&builder);
}

static void test_most_pages(void **state)
{
	const uint64_t most = (uint64_t)ROW_BUILDER_MAX_PAGES << UNWIND_PAGE_BITS;
	struct row_builder builder;

	(void)state;
	row_builder_init(&builder, 0);
	add(&builder, most - 1, 8);
	assert_false(builder.full);
	assert_int_equal(builder.pages.count, ROW_BUILDER_MAX_PAGES);
	row_builder_end(&builder, most);
	assert_true(builder.full);
	assert_int_equal(builder.pages.count, ROW_BUILDER_MAX_PAGES);
	row_builder_done(&builder);
}

static void test_most_rules(void **state)
{
	struct row_builder builder;

	(void)state;
	row_builder_init(&builder, 0);
	for (int32_t i = 1; i < UNWIND_MAX_RULES; i++)
		add(&builder, (uint64_t)i, i);
	assert_false(builder.full);
	assert_int_equal(builder.rules.count, UNWIND_MAX_RULES);
	add(&builder, UNWIND_MAX_RULES, 7); /* one that is there */
	assert_false(builder.full);
	add(&builder, UNWIND_MAX_RULES + 1, UNWIND_MAX_RULES);
	assert_true(builder.full);
	assert_int_equal(builder.rules.count, UNWIND_MAX_RULES);
	row_builder_done(&builder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),	     cmocka_unit_test(test_pages),
		cmocka_unit_test(test_same_address), cmocka_unit_test(test_most_pages),
		cmocka_unit_test(test_most_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
