/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/reader.h"

static void empty_is_an_empty_text(void **state)
{
	struct buf buf = { 0 };

	assert_string_equal(buf_text(&buf), "");
	buf_clear(&buf);
	buf_done(&buf);
	assert_string_equal(buf_text(&buf), "");
}

static void pieces_are_one_text(void **state)
{
	struct buf buf = { 0 };

	buf_add_str(&buf, "sum");
	buf_add_char(&buf, ' ');
	buf_printf(&buf, "%d %s", 40 + 2, "");
	buf_printf(&buf, "%s", "");
	buf_add(&buf, "x\0y", 3);
	assert_int_equal(buf.size, strlen("sum 42 ") + 3);
	assert_memory_equal(buf_text(&buf), "sum 42 x\0y", buf.size + 1);
	buf_clear(&buf);
	assert_int_equal(buf.size, 0);
	assert_string_equal(buf_text(&buf), "");
	buf_done(&buf);
}

/* Every length from nothing to several doublings, so that each boundary of the room is crossed. */
static void grows_across_every_boundary(void **state)
{
	struct buf buf = { 0 };

	for (size_t i = 0; i < 3000; i++) {
		assert_int_equal(strlen(buf_text(&buf)), i);
		if (i % 2)
			buf_printf(&buf, "%c", (int)('a' + i % 26));
		else
			buf_add_char(&buf, (char)('a' + i % 26));
	}
	for (size_t i = 0; i < 3000; i++)
		assert_int_equal(buf.bytes[i], 'a' + i % 26);
	buf_done(&buf);
}

static void decimals_are_those_of_printf(void **state)
{
	struct buf buf = { 0 }, wanted = { 0 };

	(void)state;
	for (uint64_t number = 1, i = 0; i < 64; i++, number *= 2) {
		buf_clear(&buf);
		buf_clear(&wanted);
		for (uint64_t off = 0; off < 3; off++) {
			buf_add_decimal(&buf, number - 1 + off);
			buf_add_decimal(&buf, ~(number + off));
			buf_printf(&wanted, "%" PRIu64 "%" PRIu64, number - 1 + off,
				   ~(number + off));
		}
		assert_string_equal(buf_text(&buf), buf_text(&wanted));
	}
	buf_done(&buf);
	buf_done(&wanted);
}

static void assert_fixed(double number)
{
	struct buf buf = { 0 }, wanted = { 0 };

	for (unsigned decimals = 0; decimals <= BUF_MAX_DECIMALS; decimals++) {
		buf_add_fixed(&buf, number, decimals);
		buf_add_char(&buf, ' ');
		buf_printf(&wanted, "%.*f ", (int)decimals, number);
	}
	assert_string_equal(buf_text(&buf), buf_text(&wanted));
	buf_done(&buf);
	buf_done(&wanted);
}

/* In the middle of two decimals printf goes by what the double really is, and to the even one. */
static void fixed_decimals_are_those_of_printf(void **state)
{
	const double odd[] = { 0,	-0.0,	     NAN, INFINITY, -1.005,    999999999.99995,
			       0.99995, 999999999.5, 1e9, 1e300,    4e-320,    0.00005,
			       100.0,	99.995,	     1.5, 2.5,	    1e9 - 0.5, 123456789.00005 };
	uint64_t number = 1;

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		assert_fixed(odd[i]);
	for (int i = 0; i < 20000; i++)
		assert_fixed(i / 2000.0);
	for (int i = 0; i < 20000; i++, number = number * 16807 % 2147483647)
		assert_fixed((double)number / 20000000);
	for (int i = 0; i < 20000; i++)
		assert_fixed((2 * i + 1) / 200.0 * (i % 2 ? 1 - 0x1p-52 : 1 + 0x1p-52));
}

/* What is printed just fits, or is one too long, whatever room is left. */
static void printf_into_every_room(void **state)
{
	(void)state;
	for (int before = 0; before < 40; before++) {
		for (int length = 0; length < 40; length++) {
			struct buf buf = { 0 };
			char wanted[128];

			buf_printf(&buf, "%*s", before, "");
			buf_printf(&buf, "%.*d", length, 7);
			snprintf(wanted, sizeof(wanted), "%*s%.*d", before, "", length, 7);
			assert_string_equal(buf_text(&buf), wanted);
			assert_int_equal(buf.size, strlen(wanted));
			buf_done(&buf);
		}
	}
}

static void long_printf(void **state)
{
	struct buf buf = { 0 };

	buf_printf(&buf, "%0*d", 100000, 7);
	assert_int_equal(buf.size, 100000);
	assert_int_equal(buf.bytes[99999], '7');
	buf_done(&buf);
}

/* Lengths as DWARF 5 section 7.6 has them: seven bits a byte. */
static void uleb_lengths(void **state)
{
	for (unsigned bit = 0; bit < 64; bit++) {
		struct buf buf = { 0 };

		buf_add_uleb(&buf, 1ULL << bit);
		assert_int_equal(buf.size, bit / 7 + 1);
		assert_int_equal((unsigned char)buf.bytes[buf.size - 1], 1U << bit % 7);
		buf_done(&buf);
	}
}

static void uleb_known_bytes(void **state)
{
	struct buf buf = { 0 };

	buf_add_uleb(&buf, 12857);
	buf_add_uleb(&buf, 0);
	assert_int_equal(buf.size, 3);
	assert_memory_equal(buf.bytes, "\xb9\x64\x00", 3);
	buf_done(&buf);
}

/* Zig-zag: 0, -1, 1, -2 ... are 0, 1, 2, 3 ..., and everything comes back. */
static void zigzag(void **state)
{
	static const int64_t values[] = { 0, -1, 1, -2, INT64_MAX, INT64_MIN, -64, 64 };
	struct buf buf = { 0 };
	struct reader reader;

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		buf_add_zigzag(&buf, values[i]);
	assert_memory_equal(buf.bytes, "\0\1\2\3", 4);
	reader = reader_make(buf.bytes, buf.size);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		assert_int_equal(reader_zigzag(&reader), values[i]);
	assert_int_equal(reader_left(&reader), 0);
	assert_false(reader.bad);
	buf_done(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_is_an_empty_text),
		cmocka_unit_test(pieces_are_one_text),
		cmocka_unit_test(grows_across_every_boundary),
		cmocka_unit_test(decimals_are_those_of_printf),
		cmocka_unit_test(fixed_decimals_are_those_of_printf),
		cmocka_unit_test(printf_into_every_room),
		cmocka_unit_test(long_printf),
		cmocka_unit_test(uleb_lengths),
		cmocka_unit_test(uleb_known_bytes),
		cmocka_unit_test(zigzag),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
