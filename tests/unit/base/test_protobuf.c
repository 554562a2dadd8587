/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/protobuf.h"

/* The examples of the description of the encoding: a field 1 of 150, a field 2 of "testing", a
 * field 3 with a message of a field 1 of 150, packed numbers 3, 270, 86942 as field 6. */
static void documented_examples(void **state)
{
	static const uint8_t wanted[] = { 0x08, 0x96, 0x01, 0x12, 0x07, 't',  'e',  's',  't',
					  'i',	'n',  'g',  0x1a, 0x03, 0x08, 0x96, 0x01, 0x32,
					  0x06, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05 };
	struct buf buf = { 0 }, inner = { 0 };

	protobuf_number(&buf, 1, 150);
	protobuf_number(&buf, 9, 0);
	protobuf_text(&buf, 2, "testing");
	protobuf_number(&inner, 1, 150);
	protobuf_message(&buf, 3, &inner);
	buf_clear(&inner);
	buf_add_uleb(&inner, 3);
	buf_add_uleb(&inner, 270);
	buf_add_uleb(&inner, 86942);
	protobuf_message(&buf, 6, &inner);
	assert_int_equal(buf.size, sizeof(wanted));
	assert_memory_equal(buf.bytes, wanted, sizeof(wanted));
	buf_done(&buf);
	buf_done(&inner);
}

static void fields_are_read(void **state)
{
	static const uint8_t bytes[] = { 0x08, 0x96, 0x01, 0x32, 0x03, 0x03, 0x8e, 0x02,
					 0x30, 0x05, 0x0d, 1,	 2,    3,    4,	   0x09,
					 1,    2,    3,	   4,	 5,    6,    7,	   8 };
	struct reader reader = reader_make(bytes, sizeof(bytes));
	struct protobuf_field field;
	bool started = false;
	uint64_t value;

	assert_true(protobuf_next(&reader, &field));
	assert_int_equal(field.number, 1);
	assert_int_equal(field.value, 150);
	assert_true(protobuf_next(&reader, &field));
	assert_int_equal(field.number, 6);
	assert_true(protobuf_each(&field, &started, &value));
	assert_int_equal(value, 3);
	assert_true(protobuf_each(&field, &started, &value));
	assert_int_equal(value, 270);
	assert_false(protobuf_each(&field, &started, &value));
	assert_true(protobuf_next(&reader, &field));
	started = false;
	assert_true(protobuf_each(&field, &started, &value));
	assert_int_equal(value, 5);
	assert_false(protobuf_each(&field, &started, &value));
	assert_true(protobuf_next(&reader, &field));
	assert_int_equal(field.value, 0x04030201);
	assert_true(protobuf_next(&reader, &field));
	assert_true(field.value == 0x0807060504030201);
	assert_false(protobuf_next(&reader, &field));
	assert_false(reader.bad);
}

static void damage_is_seen(void **state)
{
	static const uint8_t cases[][12] = {
		{ 0x08 },
		{ 0x12, 0x7f, 1, 1 },
		{ 0x0b, 1 },
		{ 0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0 },
	};
	static const size_t sizes[] = { 1, 4, 2, 12 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct reader reader = reader_make(cases[i], sizes[i]);
		struct protobuf_field field;

		assert_false(protobuf_next(&reader, &field));
		assert_true(reader.bad);
	}
}

/* "go tool pprof" skips such fields. */
static void impossible_numbers_are_read_as_0(void **state)
{
	static const uint8_t bytes[] = { 0x00, 1, 0xf8, 0xff, 0xff, 0xff, 0xff, 0x01, 2, 0x08, 3 };
	struct reader reader = reader_make(bytes, sizeof(bytes));
	struct protobuf_field field;

	for (uint64_t i = 1; i <= 3; i++) {
		assert_true(protobuf_next(&reader, &field));
		assert_int_equal(field.number, i == 3);
		assert_int_equal(field.value, i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(documented_examples),
		cmocka_unit_test(fields_are_read),
		cmocka_unit_test(damage_is_seen),
		cmocka_unit_test(impossible_numbers_are_read_as_0),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
