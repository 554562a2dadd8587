/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program whose functions are watched. Include it in one file of a program. */
#ifndef TESTS_UNIT_WATCH_TARGETS_WATCHED_PROGRAM_H
#define TESTS_UNIT_WATCH_TARGETS_WATCHED_PROGRAM_H

#include "tools.h"

/* Two static functions of a name, an alias, a function that is only inlined, a loop of two lines,
 * a tail call. */
static const char first_source[] =
	"volatile int sink;\n"
	"static __attribute__((noinline)) int twin(int x) { sink = x; return x + 1; }\n"
	"__attribute__((noinline)) int original(int x) { sink += x; return x * 3; }\n"
	"int same(int x) __attribute__((alias(\"original\")));\n"
	"static inline __attribute__((always_inline)) void gone(int x) { sink ^= x; }\n"
	"int other(int x);\n"
	"__attribute__((noinline)) int rounds(int n)\n"
	"{\n"
	"	int sum = 0;\n"
	"	for (int i = 0; i < n; i++) {\n"
	"		sink = i;\n"
	"		if (sink & 1)\n"
	"			sum += other(i);\n"
	"	}\n"
	"	gone(sum);\n"
	"	return sum;\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	gone(argc);\n"
	"	return twin(argc) + original(argc) + same(2) + rounds(10);\n"
	"}\n";
static const char second_source[] =
	"extern volatile int sink;\n"
	"static __attribute__((noinline)) int twin(int x) { sink = -x; return x + 2; }\n"
	"int other(int x) { return twin(x); }\n";

static char *folder, *program;

static inline void write_text(const char *name, const char *text)
{
	struct buf path = { 0 };
	FILE *file;

	buf_printf(&path, "%s/%s", folder, name);
	file = fopen(buf_text(&path), "we");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	buf_done(&path);
}

static inline int set_up(void **state)
{
	struct buf out = { 0 };

	(void)state;
	folder = tools_folder();
	write_text("a.c", first_source);
	write_text("b.c", second_source);
	assert_true(asprintf(&program, "%s/prog", folder) > 0);
	if (tools_run(&out, "cd '%s' && cc -g -O2 -fno-toplevel-reorder -o prog a.c b.c 2>&1",
		      folder) != 0)
		fail_msg("%s", buf_text(&out));
	buf_done(&out);
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	free(program);
	tools_remove(folder);
	return 0;
}

/* The address nm has for a name, which in this program is the offset in the file too. */
static inline uint64_t nm(const char *name)
{
	struct buf out = { 0 };
	uint64_t address;

	assert_int_equal(tools_run(&out, "nm '%s' | grep -i ' t %s$'", program, name), 0);
	address = strtoull(buf_text(&out), NULL, 16);
	buf_done(&out);
	return address;
}

#endif
