/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ranges of code, and what lies between functions. */
#include "unwind/code_range.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unwind/code_rows.h"

static void add(struct code_ranges *ranges, uint64_t address, const char *bytes, size_t size)
{
	uint8_t *copy = malloc(size);

	memcpy(copy, bytes, size);
	code_ranges_add(ranges, address, copy, size);
}

static void by_address(void **state)
{
	struct code_ranges ranges = { .size = 0 };

	(void)state;
	assert_null(code_ranges_find(&ranges, 0x1000));
	add(&ranges, 0x1000, "\x90\x90", 2);
	add(&ranges, 0x2000, "\xc3", 1);
	assert_null(code_ranges_find(&ranges, 0xfff));
	assert_int_equal(code_ranges_find(&ranges, 0x1001)->address, 0x1000);
	assert_null(code_ranges_find(&ranges, 0x1002));
	assert_int_equal(code_ranges_find(&ranges, 0x2000)->address, 0x2000);
	assert_int_equal(ranges.size, 3);
	ranges.size = CODE_ROWS_MAX_BYTES - 1;
	add(&ranges, 0x3000, "\x90\x90", 2); /* too much */
	assert_null(code_ranges_find(&ranges, 0x3000));
	code_ranges_done(&ranges);
}

static void between_functions(void **state)
{
	/* nopl 0(%rax); int3; push %rbp; mov %rsp,%rbp; call, truncated */
	static const char bytes[] = "\x0f\x1f\x00\xcc\x55\x48\x89\xe5\xe8\x01";
	struct code_ranges ranges = { .size = 0 };
	const struct code_range *range;
	struct x86_code code;

	(void)state;
	add(&ranges, 0x1000, bytes, sizeof(bytes) - 1);
	add(&ranges, 0x2000, "\xf3\x0f\x1e\xfa", 4);
	range = code_ranges_find(&ranges, 0x1000);
	assert_int_equal(code_range_after_padding(range, 0), 4);
	assert_true(code_range_saves(range, 4));
	assert_false(code_range_saves(range, 5));
	assert_false(code_range_saves(range, 10));
	assert_true(code_range_begins_function(range, 4));
	assert_false(code_range_begins_function(range, 5));
	assert_false(code_range_begins_function(range, 10));
	assert_true(code_range_decode(range, 4, &code));
	assert_int_equal(code.length, 1);
	assert_false(code_range_decode(range, 8, &code));
	range = code_ranges_find(&ranges, 0x2000);
	assert_true(code_range_begins_function(range, 0)); /* endbr64 */
	assert_false(code_range_saves(range, 0));
	code_ranges_done(&ranges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_address),
		cmocka_unit_test(between_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
