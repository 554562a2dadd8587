/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/xalloc.h"

static void sizes_of_zero_are_memory_too(void **state)
{
	void *memory = xmalloc(0);

	assert_non_null(memory);
	memory = xrealloc(memory, 0);
	assert_non_null(memory);
	free(memory);
	memory = xcalloc(0, 8);
	assert_non_null(memory);
	free(memory);
	memory = xmemdup("", 0);
	assert_non_null(memory);
	free(memory);
}

static void copies_are_the_callers(void **state)
{
	char original[] = "text";
	char *copy = xstrdup(original);
	char *begin = xstrndup(original, 2), *whole = xstrndup(original, 9);
	char *bytes = xmemdup(original, 2);
	char *printed = xasprintf("%s-%d", original, 5);

	original[0] = 'n';
	assert_string_equal(copy, "text");
	assert_string_equal(begin, "te");
	assert_string_equal(whole, "text");
	assert_memory_equal(bytes, "te", 2);
	assert_string_equal(printed, "text-5");
	free(copy);
	free(begin);
	free(whole);
	free(bytes);
	free(printed);
}

static void zeroes(void **state)
{
	static const char none[4096];
	char *memory = xcalloc(64, 64);

	assert_memory_equal(memory, none, sizeof(none));
	free(memory);
}

static void printed_text_is_the_callers(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = xopen_memstream(&text, &size);

	fprintf(stream, "%d lines", 12);
	xclose_memstream(stream);
	assert_string_equal(text, "12 lines");
	assert_int_equal(size, strlen("12 lines"));
	free(text);
}

static void ask_for_too_much(void)
{
	volatile size_t size = SIZE_MAX / 4;
	const struct rlimit no_core = { 0, 0 };

	setrlimit(RLIMIT_CORE, &no_core);
	signal(SIGABRT, SIG_DFL);
	close(STDERR_FILENO);
	free(xmalloc(size));
}

/* The caller never sees NULL: the program ends instead. */
static void out_of_memory_ends_the_program(void **state)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		ask_for_too_much();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_of_zero_are_memory_too),
		cmocka_unit_test(copies_are_the_callers),
		cmocka_unit_test(zeroes),
		cmocka_unit_test(printed_text_is_the_callers),
		cmocka_unit_test(out_of_memory_ends_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
