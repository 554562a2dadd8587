/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/protobuf.h"
#include "import/pprof.h"
#include "model/pprof.h"

/* Strings last, ids with gaps, a sample with unpacked numbers: all of it is allowed. */
static void make(struct buf *buf)
{
	static const char *const strings[] = { "",	"cpu", "nanoseconds", "main",	"/bin/x",
					       "inner", "key", "text",	      "comment" };
	struct buf message = { 0 }, inner = { 0 };

	protobuf_number(&message, PPROF_SAMPLE_LOCATION, 700);
	protobuf_number(&message, PPROF_SAMPLE_LOCATION, 800);
	protobuf_number(&message, PPROF_SAMPLE_VALUE, 42);
	protobuf_number(&inner, PPROF_LABEL_KEY, 6);
	protobuf_number(&inner, PPROF_LABEL_TEXT, 7);
	protobuf_message(&message, PPROF_SAMPLE_LABEL, &inner);
	protobuf_message(buf, PPROF_SAMPLE, &message);
	buf_clear(&message);
	protobuf_number(&message, PPROF_TYPE_NAME, 1);
	protobuf_number(&message, PPROF_TYPE_UNIT, 2);
	protobuf_message(buf, PPROF_SAMPLE_TYPE, &message);
	buf_clear(&message);
	protobuf_number(&message, PPROF_MAPPING_ID, 9);
	protobuf_number(&message, PPROF_MAPPING_START, 0x1000);
	protobuf_number(&message, PPROF_MAPPING_FILE, 4);
	protobuf_message(buf, PPROF_MAPPING, &message);
	for (unsigned id = 1; id <= 2; id++) {
		buf_clear(&message);
		protobuf_number(&message, PPROF_FUNCTION_ID, id);
		protobuf_number(&message, PPROF_FUNCTION_NAME, id == 1 ? 3 : 5);
		protobuf_message(buf, PPROF_FUNCTION, &message);
	}
	buf_clear(&message);
	protobuf_number(&message, PPROF_LOCATION_ID, 700);
	protobuf_number(&message, PPROF_LOCATION_MAPPING, 9);
	protobuf_number(&message, PPROF_LOCATION_ADDRESS, 0x1234);
	for (unsigned id = 2; id >= 1; id--) {
		buf_clear(&inner);
		protobuf_number(&inner, PPROF_LINE_FUNCTION, id);
		protobuf_number(&inner, PPROF_LINE_NUMBER, 10 * id);
		protobuf_message(&message, PPROF_LOCATION_LINE, &inner);
	}
	protobuf_message(buf, PPROF_LOCATION, &message);
	buf_clear(&message);
	protobuf_number(&message, PPROF_LOCATION_ID, 800);
	protobuf_number(&message, PPROF_LOCATION_MAPPING, 99); /* not in the profile */
	protobuf_message(buf, PPROF_LOCATION, &message);
	protobuf_number(buf, PPROF_TIME_NS, 5);
	protobuf_number(buf, PPROF_COMMENT, 8);
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		protobuf_text(buf, PPROF_STRING, strings[i]);
	buf_done(&message);
	buf_done(&inner);
}

static int read_bytes(const void *bytes, size_t size, struct pprof *ret_pprof, struct err *err)
{
	int fd = memfd_create("pprof", MFD_CLOEXEC);
	struct perf_data_input input;
	int rc;

	assert_int_equal(write(fd, bytes, size), (ssize_t)size);
	lseek(fd, 0, SEEK_SET);
	perf_data_input_begin(&input, fd);
	rc = pprof_read(&input, ret_pprof, err);
	perf_data_input_done(&input);
	return rc;
}

static int check_sample(void *context, const struct pprof_sample *sample)
{
	const struct pprof *pprof = context;
	const struct pprof_location *location = &pprof->locations.items[sample->locations[0]];
	const struct pprof_line *lines = &pprof->lines.items[location->first_line];

	assert_int_equal(sample->location_count, 2);
	assert_int_equal(pprof->locations.items[sample->locations[1]].mapping, 0);
	assert_int_equal(sample->values[0], 42);
	assert_int_equal(sample->label_count, 1);
	assert_string_equal(sample->labels[0].key, "key");
	assert_string_equal(sample->labels[0].text, "text");
	assert_int_equal(location->address, 0x1234);
	assert_string_equal(pprof->mappings.items[location->mapping].file, "/bin/x");
	assert_int_equal(location->line_count, 2);
	assert_string_equal(pprof->functions.items[lines[0].function].name, "inner");
	assert_int_equal(lines[0].line, 20);
	assert_string_equal(pprof->functions.items[lines[1].function].name, "main");
	return 7;
}

static void a_profile(void **state)
{
	struct buf bytes = { 0 };
	struct pprof pprof;
	struct err err;

	make(&bytes);
	assert_true(pprof_is(bytes.bytes, bytes.size));
	assert_int_equal(read_bytes(bytes.bytes, bytes.size, &pprof, &err), 0);
	assert_string_equal(pprof.types.items[0].name, "cpu");
	assert_int_equal(pprof.types.count, 1);
	assert_string_equal(pprof.comments.items[0], "comment");
	assert_int_equal(pprof.comments.count, 1);
	assert_int_equal(pprof.time_ns, 5);
	assert_int_equal(pprof.locations.count, 3);
	assert_int_equal(pprof_each(&pprof, check_sample, &pprof), 7);
	pprof_done(&pprof);
	buf_done(&bytes);
}

static int try(const void *bytes, size_t size)
{
	struct pprof pprof;
	struct err err;
	int rc = read_bytes(bytes, size, &pprof, &err);

	pprof_done(&pprof);
	return rc;
}

static void what_is_none(void **state)
{
	static const char text[] = "int main(void) { return 0; }\n";
	struct buf bytes = { 0 };

	assert_false(pprof_is(text, sizeof(text)));
	assert_int_equal(try(text, sizeof(text)), -EBADMSG);
	assert_int_equal(try("", 0), -EBADMSG);
	assert_int_equal(try("\x1f\x8bjunk", 6), -EBADMSG);
	make(&bytes);
	assert_int_equal(try(bytes.bytes, bytes.size - 3), -EBADMSG);
	buf_done(&bytes);
}

/* What "go tool pprof -raw" (1.19) refuses as well, by adding it to a valid profile. */
static void faults_are_named(void **state)
{
	static const struct {
		unsigned number;
		uint64_t fields[4][2]; /* number and value */
		const char *reason;
	} cases[] = {
		{ PPROF_SAMPLE,
		  { { PPROF_SAMPLE_LOCATION, 900 }, { PPROF_SAMPLE_VALUE, 1 } },
		  "sample 2: there is no location with id 900" },
		{ PPROF_SAMPLE,
		  { { PPROF_SAMPLE_VALUE, 1 }, { PPROF_SAMPLE_VALUE, 1 } },
		  "sample 2 has 2 values for 1 sample types" },
		{ PPROF_SAMPLE,
		  { { PPROF_SAMPLE_LOCATION, 700 } },
		  "sample 2 has 0 values for 1 sample types" },
		{ PPROF_SAMPLE,
		  { { PPROF_SAMPLE_VALUE, 1 }, { PPROF_SAMPLE_LABEL, 1 } },
		  "sample 2: field 3 has the wrong type" },
		{ PPROF_LOCATION, { { PPROF_LOCATION_ADDRESS, 1 } }, "location 3 has the id 0" },
		{ PPROF_LOCATION,
		  { { PPROF_LOCATION_ID, 800 } },
		  "location 3 has the id 800 of location 2" },
		{ PPROF_LOCATION,
		  { { PPROF_LOCATION_ID, 3 }, { PPROF_LOCATION_LINE, 1 } },
		  "location 3: field 4 has the wrong type" },
		{ PPROF_FUNCTION, { { PPROF_FUNCTION_NAME, 1 } }, "function 3 has the id 0" },
		{ PPROF_FUNCTION,
		  { { PPROF_FUNCTION_ID, 1 } },
		  "function 3 has the id 1 of function 1" },
		{ PPROF_FUNCTION,
		  { { PPROF_FUNCTION_ID, 5 }, { PPROF_FUNCTION_FILE, 99 } },
		  "function 3: there is no string 99" },
		{ PPROF_MAPPING, { { PPROF_MAPPING_START, 1 } }, "mapping 2 has the id 0" },
		{ PPROF_MAPPING,
		  { { PPROF_MAPPING_ID, 9 } },
		  "mapping 2 has the id 9 of mapping 1" },
		{ PPROF_MAPPING,
		  { { PPROF_MAPPING_ID, 2 }, { PPROF_MAPPING_FILE, 9 } },
		  "mapping 2: there is no string 9" },
		{ PPROF_SAMPLE_TYPE,
		  { { PPROF_TYPE_NAME, 9 } },
		  "value type 2: there is no string 9" },
		{ PPROF_PERIOD_TYPE,
		  { { PPROF_TYPE_UNIT, 9 } },
		  "period type: there is no string 9" },
		{ 0, { { PPROF_COMMENT, 9 } }, "comment 2: there is no string 9" },
		{ 0,
		  { { PPROF_DEFAULT_TYPE, UINT64_MAX } },
		  "default type: there is no string 18446744073709551615" },
		{ 0, { { PPROF_TIME_NS, 9 } }, "several profiles in one file" },
		{ 0, { { PPROF_SAMPLE, 9 } }, "field 2 has the wrong type" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf bytes = { 0 }, message = { 0 };
		struct pprof pprof;
		struct err err;

		make(&bytes);
		for (size_t j = 0; j < 4 && cases[i].fields[j][0]; j++)
			protobuf_number(cases[i].number ? &message : &bytes,
					(unsigned)cases[i].fields[j][0], cases[i].fields[j][1]);
		if (cases[i].number)
			protobuf_message(&bytes, cases[i].number, &message);
		assert_int_equal(read_bytes(bytes.bytes, bytes.size, &pprof, &err), -EBADMSG);
		assert_non_null(strstr(err.text, cases[i].reason));
		pprof_done(&pprof);
		buf_done(&bytes);
		buf_done(&message);
	}
}

static void lines_and_labels_are_checked(void **state)
{
	static const struct {
		unsigned outer, inner, id, field;
		const char *reason;
	} cases[] = {
		{ PPROF_LOCATION, PPROF_LOCATION_LINE, PPROF_LOCATION_ID, PPROF_LINE_FUNCTION,
		  "location with id 1: there is no function with id 9" },
		{ PPROF_SAMPLE, PPROF_SAMPLE_LABEL, PPROF_SAMPLE_VALUE, PPROF_LABEL_KEY,
		  "label of sample 2: there is no string 9" },
		{ PPROF_SAMPLE, PPROF_SAMPLE_LABEL, PPROF_SAMPLE_VALUE, PPROF_LABEL_UNIT,
		  "label of sample 2: there is no string 9" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf bytes = { 0 }, message = { 0 }, inner = { 0 };
		struct pprof pprof;
		struct err err;

		make(&bytes);
		protobuf_number(&message, cases[i].id, 1);
		protobuf_number(&inner, cases[i].field, 9);
		protobuf_message(&message, cases[i].inner, &inner);
		protobuf_message(&bytes, cases[i].outer, &message);
		assert_int_equal(read_bytes(bytes.bytes, bytes.size, &pprof, &err), -EBADMSG);
		assert_non_null(strstr(err.text, cases[i].reason));
		pprof_done(&pprof);
		buf_done(&bytes);
		buf_done(&message);
		buf_done(&inner);
	}
}

static void the_first_string_is_empty(void **state)
{
	struct buf bytes = { 0 };
	struct pprof pprof;
	struct err err;

	protobuf_text(&bytes, PPROF_STRING, "cpu");
	assert_int_equal(read_bytes(bytes.bytes, bytes.size, &pprof, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "string 0 is not empty"));
	pprof_done(&pprof);
	buf_done(&bytes);
}

/* Neither unknown fields nor a profile without samples are faults. */
static void what_may_be_there_or_not(void **state)
{
	struct buf bytes = { 0 }, type = { 0 };
	struct pprof pprof;
	struct err err;

	protobuf_number(&type, PPROF_TYPE_NAME, 0);
	protobuf_number(&type, PPROF_TYPE_UNIT, 1);
	protobuf_message(&bytes, PPROF_SAMPLE_TYPE, &type);
	protobuf_text(&bytes, PPROF_STRING, "");
	protobuf_text(&bytes, PPROF_STRING, "count");
	protobuf_number(&bytes, 1000, 5);
	assert_true(pprof_is(bytes.bytes, bytes.size));
	assert_int_equal(read_bytes(bytes.bytes, bytes.size, &pprof, &err), 0);
	assert_int_equal(pprof.samples.count, 0);
	pprof_done(&pprof);
	buf_done(&bytes);
	buf_done(&type);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile),
		cmocka_unit_test(what_is_none),
		cmocka_unit_test(faults_are_named),
		cmocka_unit_test(lines_and_labels_are_checked),
		cmocka_unit_test(the_first_string_is_empty),
		cmocka_unit_test(what_may_be_there_or_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
