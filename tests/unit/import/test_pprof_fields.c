/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "import/pprof_fields.h"
#include "model/pprof.h"

static void types_of_fields(void **state)
{
	static const struct {
		enum pprof_kind kind;
		unsigned number;
		bool varint, bytes, fixed;
	} cases[] = {
		{ PPROF_KIND_PROFILE, PPROF_SAMPLE, false, true, false },
		{ PPROF_KIND_PROFILE, PPROF_TIME_NS, true, false, false },
		{ PPROF_KIND_PROFILE, PPROF_COMMENT, true, true, false },
		{ PPROF_KIND_PROFILE, 15, true, true, true },
		{ PPROF_KIND_SAMPLE, PPROF_SAMPLE_VALUE, true, true, false },
		{ PPROF_KIND_SAMPLE, PPROF_SAMPLE_LABEL, false, true, false },
		{ PPROF_KIND_LOCATION, PPROF_LOCATION_IS_FOLDED, true, false, false },
		{ PPROF_KIND_LINE, 0, true, true, true },
		{ PPROF_KIND_FUNCTION, 4000000, true, true, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct protobuf_field field = { .number = cases[i].number };

		field.type = PROTOBUF_VARINT;
		assert_int_equal(pprof_fields_fit(cases[i].kind, &field), cases[i].varint);
		field.type = PROTOBUF_BYTES;
		assert_int_equal(pprof_fields_fit(cases[i].kind, &field), cases[i].bytes);
		field.type = PROTOBUF_FIXED64;
		assert_int_equal(pprof_fields_fit(cases[i].kind, &field), cases[i].fixed);
	}
}

/* Reads all of a sample, and the numbers of its lists. */
static int read_sample(const void *bytes, size_t size, struct err *err)
{
	struct pprof_fault fault = { .err = err };
	struct pprof_message message = { PPROF_KIND_SAMPLE, 7, reader_make(bytes, size) };
	struct protobuf_field field;

	while (pprof_fields_next(&fault, &message, &field)) {
		bool started = false;
		uint64_t number;

		while (pprof_fields_number(&fault, &message, &field, &started, &number))
			;
	}
	return fault.rc;
}

static void reasons_name_the_message(void **state)
{
	struct err err;

	assert_int_equal(read_sample("\x0a\x02\x01\x02\x10\x05", 6, &err), 0);
	assert_int_equal(read_sample("\x0a\x02\x01\x82\x10\x05", 6, &err), -EBADMSG);
	assert_string_equal(err.text, "invalid pprof profile: sample 7: the list in field 1 is "
				      "truncated or corrupt");
	assert_int_equal(read_sample("\x0a\x09\x01", 3, &err), -EBADMSG);
	assert_string_equal(err.text, "invalid pprof profile: sample 7 is truncated or corrupt");
	/* Only the first fault counts. */
	assert_int_equal(read_sample("\x18\x01\x0a\x09\x01", 5, &err), -EBADMSG);
	assert_string_equal(err.text,
			    "invalid pprof profile: sample 7: field 3 has the wrong type");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_of_fields),
		cmocka_unit_test(reasons_name_the_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
