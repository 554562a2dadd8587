/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/reader.h"

/* The assembler is the oracle: it writes the bytes, we read them back. */
#define ULEBS(X)                                                                    \
	X(0)                                                                        \
	X(1)                                                                        \
	X(2)                                                                        \
	X(127) X(128) X(129) X(12857) X(16383) X(16384) X(0x7fffffff) X(0xffffffff) \
		X(0x7fffffffffffffff) X(0x8000000000000000) X(0xffffffffffffffff)
#define SLEBS(X)                                                                          \
	X(0)                                                                              \
	X(1)                                                                              \
	X(-1)                                                                             \
	X(2) X(-2) X(63) X(64) X(-64) X(-65) X(127) X(-127) X(128) X(-128) X(129) X(-129) \
		X(0x7fffffff) X(-0x80000000) X(0x7fffffffffffffff) X(-0x7fffffffffffffff)

#define ASSEMBLE_ULEB(value) ".uleb128 " #value "\n"
#define ASSEMBLE_SLEB(value) ".sleb128 " #value "\n"
__asm__(".pushsection .rodata\n"
	"uleb_bytes:\n" ULEBS(ASSEMBLE_ULEB) "uleb_end:\n"
					     "sleb_bytes:\n" SLEBS(ASSEMBLE_SLEB) "sleb_end:\n"
										  ".popsection\n");
extern const uint8_t uleb_bytes[], uleb_end[], sleb_bytes[], sleb_end[];

static void uleb_as_the_assembler_writes_it(void **state)
{
#define VALUE(value) value##ULL,
	static const uint64_t values[] = { ULEBS(VALUE) };
#undef VALUE
	struct reader reader = reader_make(uleb_bytes, (size_t)(uleb_end - uleb_bytes));

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		assert_int_equal(reader_uleb(&reader), values[i]);
	assert_int_equal(reader_left(&reader), 0);
	assert_false(reader.bad);
}

static void sleb_as_the_assembler_writes_it(void **state)
{
#define VALUE(value) value##LL,
	static const int64_t values[] = { SLEBS(VALUE) };
#undef VALUE
	struct reader reader = reader_make(sleb_bytes, (size_t)(sleb_end - sleb_bytes));

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		assert_int_equal(reader_sleb(&reader), values[i]);
	assert_int_equal(reader_left(&reader), 0);
	assert_false(reader.bad);
}

struct leb_case {
	const char *bytes;
	size_t size;
	bool is_signed;
	uint64_t value;
	bool bad;
};

#define BYTES(text) text, sizeof(text) - 1

static void leb_at_the_edges(void **state)
{
	static const struct leb_case cases[] = {
		/* DWARF 5, figures 7.1 and 7.2 */
		{ BYTES("\xb9\x64"), false, 12857, false },
		{ BYTES("\xff\x7e"), true, (uint64_t)-129, false },
		/* padding is allowed, also beyond the 64 bits */
		{ BYTES("\x81\x80\x00"), false, 1, false },
		{ BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x80\x00"), false, UINT64_MAX,
		  false },
		{ BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), true, UINT64_MAX,
		  false },
		/* the least signed number, and -1 in ten groups */
		{ BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f"), true, 1ULL << 63, false },
		{ BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), true, UINT64_MAX, false },
		/* a 65th bit */
		{ BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), false, 0, true },
		{ BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"), true, 0, true },
		{ BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"), false, 0, true },
		/* the last group is missing */
		{ BYTES("\x80"), false, 0, true },
		{ BYTES(""), true, 0, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct reader reader = reader_make(cases[i].bytes, cases[i].size);
		uint64_t value =
			cases[i].is_signed ? (uint64_t)reader_sleb(&reader) : reader_uleb(&reader);

		assert_int_equal(reader.bad, cases[i].bad);
		if (!reader.bad)
			assert_int_equal(value, cases[i].value);
	}
}

static void fixed_sizes_in_both_orders(void **state)
{
	const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	struct reader reader = reader_make(bytes, sizeof(bytes));
	struct reader swapped = reader;

	swapped.swap = true;
	assert_int_equal(reader_u8(&reader), 1);
	assert_int_equal(reader_u16(&reader), 0x0302);
	assert_int_equal(reader_u32(&reader), 0x07060504);
	assert_int_equal(reader_u64(&reader), 0x0f0e0d0c0b0a0908);
	assert_int_equal(reader_u8(&swapped), 1);
	assert_int_equal(reader_u16(&swapped), 0x0203);
	assert_int_equal(reader_u32(&swapped), 0x04050607);
	assert_int_equal(reader_u64(&swapped), 0x08090a0b0c0d0e0f);
	assert_false(reader.bad || swapped.bad);
}

/* One byte short: zero, bad, and bad for good although a byte is there. */
static void the_end_is_final(void **state)
{
	const uint8_t bytes[] = { 0xff, 0xff, 0xff };
	struct reader reader = reader_make(bytes, sizeof(bytes));

	assert_int_equal(reader_u32(&reader), 0);
	assert_true(reader.bad);
	assert_int_equal(reader_left(&reader), 0);
	assert_int_equal(reader_u8(&reader), 0);
	assert_null(reader_bytes(&reader, 1));
	assert_true(reader.bad);
}

/* Bad for another reason, with bytes left: they are not given out either. */
static void nothing_is_read_after_a_fault(void **state)
{
	const char bytes[] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f..";
	struct reader reader = reader_make(bytes, sizeof(bytes));
	struct reader byte, string;

	reader_uleb(&reader);
	assert_true(reader.bad);
	assert_int_equal(reader_left(&reader), 3);
	byte = string = reader;
	assert_int_equal(reader_u8(&byte), 0);
	assert_string_equal(reader_cstr(&string), "");
	assert_null(reader_bytes(&reader, 0));
}

static void strings_need_their_nul(void **state)
{
	struct reader reader = reader_make("ab\0\0cd", 6);

	assert_string_equal(reader_cstr(&reader), "ab");
	assert_string_equal(reader_cstr(&reader), "");
	assert_false(reader.bad);
	assert_string_equal(reader_cstr(&reader), "");
	assert_true(reader.bad);
}

static void bytes_and_parts(void **state)
{
	struct reader reader = reader_make("abcdef", 6);
	struct reader part;

	reader.swap = true;
	assert_memory_equal(reader_bytes(&reader, 2), "ab", 2);
	part = reader_sub(&reader, 3);
	assert_true(part.swap);
	assert_int_equal(reader_left(&part), 3);
	assert_memory_equal(reader_bytes(&part, 3), "cde", 3);
	assert_int_equal(reader_u8(&part), 0);
	assert_true(part.bad);
	assert_false(reader.bad);
	assert_int_equal(reader_u8(&reader), 'f');
	part = reader_sub(&reader, 1);
	assert_true(part.bad && reader.bad);
	assert_int_equal(reader_left(&part), 0);
}

static void nothing_can_be_read_of_nothing(void **state)
{
	struct reader reader = reader_make(NULL, 0);

	assert_int_equal(reader_left(&reader), 0);
	reader_bytes(&reader, 0);
	assert_false(reader.bad);
	assert_int_equal(reader_u64(&reader), 0);
	assert_true(reader.bad);
}

/* An empty part can be read, also from a reader without bytes. The sanitizers check that nothing is
 * added to a NULL address. */
static void no_bytes_are_always_there(void **state)
{
	struct reader zero = { .bad = false };
	struct reader readers[] = { zero, reader_make(NULL, 0), reader_make("", 0) };

	for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++) {
		struct reader part = reader_sub(&readers[i], 0);

		assert_false(part.bad || readers[i].bad);
		assert_int_equal(reader_left(&part), 0);
		assert_non_null(reader_bytes(&part, 0));
		assert_null(reader_bytes(&part, 1));
		assert_null(reader_bytes(&part, 0));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(uleb_as_the_assembler_writes_it),
		cmocka_unit_test(sleb_as_the_assembler_writes_it),
		cmocka_unit_test(leb_at_the_edges),
		cmocka_unit_test(fixed_sizes_in_both_orders),
		cmocka_unit_test(the_end_is_final),
		cmocka_unit_test(nothing_is_read_after_a_fault),
		cmocka_unit_test(strings_need_their_nul),
		cmocka_unit_test(bytes_and_parts),
		cmocka_unit_test(nothing_can_be_read_of_nothing),
		cmocka_unit_test(no_bytes_are_always_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
