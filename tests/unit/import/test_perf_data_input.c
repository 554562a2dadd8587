/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/perf_data_input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"

static struct perf_data_input input_of(const void *text, size_t size)
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	struct perf_data_input input;

	assert_int_equal(write(fd, text, size), (ssize_t)size);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	perf_data_input_begin(&input, fd);
	return input;
}

/* All lines, each cut to @limit bytes and followed by '|', or by "+|" if it was cut. */
static void assert_lines(const char *text, size_t limit, const char *wanted)
{
	struct perf_data_input input = input_of(text, strlen(text));
	_cleanup_(buf_done) struct buf line = { 0 }, all = { 0 };
	bool cut;

	while (perf_data_input_line(&input, limit, &line, &cut)) {
		buf_add_str(&all, buf_text(&line));
		buf_add_str(&all, cut ? "+|" : "|");
	}
	assert_string_equal(buf_text(&all), wanted);
	perf_data_input_done(&input);
}

static void lines_have_no_end(void **state)
{
	assert_lines("", 9, "");
	assert_lines("\n", 9, "|");
	assert_lines("one\n\ntwo\n", 9, "one||two|");
	assert_lines("one\nlast", 9, "one|last|");
}

static void long_lines_are_cut(void **state)
{
	assert_lines("12345\n123456\n1\n", 5, "12345|12345+|1|");
	assert_lines("123456", 5, "12345+|");
}

/* Lines that begin in one buffer and end in the next, or some later. */
static void lines_may_be_longer_than_the_buffer(void **state)
{
	enum { LINE = 100003, LONG = 3 * PERF_DATA_BUFFER_BYTES + 17, LINES = 20 };
	_cleanup_(buf_done) struct buf text = { 0 }, line = { 0 };
	struct perf_data_input input;
	bool cut;

	for (size_t i = 0; i < LINES; i++) {
		for (size_t j = 0; j < (i == LINES / 2 ? LONG : LINE); j++)
			buf_add_char(&text, (char)('a' + (i + j) % 26));
		buf_add_char(&text, '\n');
	}
	input = input_of(text.bytes, text.size);
	for (size_t i = 0; i < LINES; i++) {
		assert_true(perf_data_input_line(&input, LONG, &line, &cut));
		assert_false(cut);
		assert_int_equal(line.size, i == LINES / 2 ? LONG : LINE);
		for (size_t j = 0; j < line.size; j++)
			assert_true(line.bytes[j] == (char)('a' + (i + j) % 26));
	}
	assert_false(perf_data_input_line(&input, LONG, &line, &cut));
	perf_data_input_done(&input);
}

static void reading_goes_on_after_a_line(void **state)
{
	struct perf_data_input input = input_of("head\nbytes", 10);
	_cleanup_(buf_done) struct buf line = { 0 };
	char bytes[6] = "";
	bool cut;

	assert_true(perf_data_input_line(&input, 9, &line, &cut));
	assert_int_equal(input.at, 5);
	assert_true(perf_data_input_read(&input, bytes, 5));
	assert_string_equal(bytes, "bytes");
	perf_data_input_done(&input);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_have_no_end),
		cmocka_unit_test(long_lines_are_cut),
		cmocka_unit_test(lines_may_be_longer_than_the_buffer),
		cmocka_unit_test(reading_goes_on_after_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
