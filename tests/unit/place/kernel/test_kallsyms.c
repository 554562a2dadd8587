/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/kernel/kallsyms.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int parse(const char *text, struct kallsyms_line *line)
{
	static char copy[256];

	snprintf(copy, sizeof(copy), "%s", text);
	return kallsyms_parse(copy, line);
}

static void test_lines(void **state)
{
	struct kallsyms_line line;

	(void)state;
	assert_int_equal(parse("ffffffff81000000 T _text", &line), 0);
	assert_int_equal(line.address, 0xffffffff81000000);
	assert_int_equal(line.type, 'T');
	assert_string_equal(line.name, "_text");
	assert_string_equal(line.module, "");
	assert_int_equal(parse("0 t a.b$c\t[xt_tcp]", &line), 0);
	assert_int_equal(line.address, 0);
	assert_string_equal(line.name, "a.b$c");
	assert_string_equal(line.module, "xt_tcp");
	assert_int_equal(parse("ffffffffc0201000 t ftrace_trampoline\t[__builtin__ftrace]", &line),
			 0);
	assert_string_equal(line.module, "__builtin__ftrace");
}

static void test_what_is_no_line(void **state)
{
	static const char *const texts[] = {
		"",
		"T",
		" T name",
		"g000 T name",
		"00000000000000000 T seventeen_digits",
		"ffffffff81000000",
		"ffffffff81000000 T",
		"ffffffff81000000 T ",
		"ffffffff81000000  name",
		"ffffffff81000000 TT name",
		"ffffffff81000000 T \t[module]",
	};
	struct kallsyms_line line;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(parse(texts[i], &line), -EINVAL);
}

static void test_code(void **state)
{
	struct kallsyms_line line = { .name = "f", .module = "" };

	(void)state;
	for (const char *type = "tTwWiI"; *type; type++) {
		line.type = *type;
		assert_true(kallsyms_is_code(&line));
	}
	for (const char *type = "aAbBdDrRvVuUn?N"; *type; type++) {
		line.type = *type;
		assert_false(kallsyms_is_code(&line));
	}
	line.type = 't';
	line.name = "$x.17";
	assert_false(kallsyms_is_code(&line));
	line.name = ".L42";
	assert_false(kallsyms_is_code(&line));
}

struct sum {
	size_t lines;
	uint64_t addresses;
	char last[64];
};

static void add_up(void *context, const struct kallsyms_line *line)
{
	struct sum *sum = context;

	sum->lines++;
	sum->addresses += line->address;
	snprintf(sum->last, sizeof(sum->last), "%s%s", line->name, line->module);
}

/* A file of many pieces; a last line without a newline counts. */
static void test_whole_file(void **state)
{
	enum { LINES = 50000 };
	char path[] = "/tmp/test_kallsyms_XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	struct sum sum = { 0 };
	uint64_t expected = 0;

	(void)state;
	assert_non_null(file);
	for (uint64_t i = 1; i <= LINES; i++) {
		fprintf(file, "%016" PRIx64 " t name_%.*s%" PRIu64 "\n", i, (int)(i % 40),
			"________________________________________", i);
		expected += i;
	}
	fprintf(file, "7 T last\t[m]");
	fclose(file);
	assert_int_equal(kallsyms_read(path, add_up, &sum, NULL), 0);
	unlink(path);
	assert_int_equal(sum.lines, LINES + 1);
	assert_int_equal(sum.addresses, expected + 7);
	assert_string_equal(sum.last, "lastm");
}

static int read_text(const char *text, size_t size, struct err *err)
{
	char path[] = "/tmp/test_kallsyms_XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	struct sum sum = { 0 };
	int rc;

	assert_non_null(file);
	fwrite(text, 1, size, file);
	fclose(file);
	rc = kallsyms_read(path, add_up, &sum, err);
	unlink(path);
	return rc;
}

static void test_other_files(void **state)
{
	static char long_line[200000];
	struct err err;

	(void)state;
	assert_int_equal(read_text("", 0, &err), 0);
	assert_int_equal(read_text("root:x:0:0:\n", 12, &err), -EINVAL);
	assert_non_null(strstr(err.text, "not a list of kernel symbols"));
	memset(long_line, '0', sizeof(long_line));
	assert_int_equal(read_text(long_line, sizeof(long_line), &err), -EINVAL);
	assert_int_equal(read_text("1 t a\0b\n", 8, &err), 0);
	assert_int_equal(kallsyms_read("/nonexistent", add_up, NULL, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent"));
	assert_int_equal(kallsyms_read("/", add_up, NULL, &err), -EISDIR);
}

/* The oracle is wc. */
static void add_built_in(void *context, const struct kallsyms_line *line)
{
	*(size_t *)context += !*line->module;
}

/* Of the kernel proper: BPF programs come and go while we look. */
static void test_this_machine(void **state)
{
	size_t expected = 0, found = 0;
	FILE *grep;

	(void)state;
	if (access("/proc/kallsyms", R_OK) < 0) {
		print_message("no /proc/kallsyms here\n");
		skip();
	}
	grep = popen("grep -vc '\\[' /proc/kallsyms", "r");
	assert_non_null(grep);
	assert_int_equal(fscanf(grep, "%zu", &expected), 1);
	pclose(grep);
	assert_int_equal(kallsyms_read("/proc/kallsyms", add_built_in, &found, NULL), 0);
	assert_int_equal(found, expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),	    cmocka_unit_test(test_what_is_no_line),
		cmocka_unit_test(test_code),	    cmocka_unit_test(test_whole_file),
		cmocka_unit_test(test_other_files), cmocka_unit_test(test_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
