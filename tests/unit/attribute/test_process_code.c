/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the memory of a process has is known by construction: a child shares pages with us, so that
 * it can be changed without its help. */
#include "attribute/process_code.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "foreign/foreign.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { PAGE = 4096, PAGES = 3 };

struct made {
	struct foreign *foreign;
	struct process_code *code;
	uint8_t *shared; /* PAGES, then one that is not there */
	pid_t child;
};

static int begin(void **state)
{
	static struct made made;

	made.foreign = foreign_new((struct pause){ 0 });
	made.code = process_code_new(made.foreign);
	made.shared = mmap(NULL, (PAGES + 1) * PAGE, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(made.shared != MAP_FAILED);
	munmap(made.shared + (size_t)PAGES * PAGE, PAGE);
	for (size_t i = 0; i < (size_t)PAGES * PAGE; i++)
		made.shared[i] = (uint8_t)(i % 251);
	made.child = fork();
	if (made.child == 0) {
		for (;;)
			pause();
	}
	*state = &made;
	return 0;
}

static int end(void **state)
{
	struct made *made = *state;

	kill(made->child, SIGKILL);
	waitpid(made->child, NULL, 0);
	munmap(made->shared, (size_t)PAGES * PAGE);
	process_code_free(made->code);
	foreign_free(made->foreign);
	return 0;
}

static bool reads(const struct made *made, size_t offset, size_t size, uint8_t *bytes)
{
	return process_code_read(made->code, made->child, (uintptr_t)made->shared + offset, bytes,
				 size);
}

static void test_bytes_of_several_pages(void **state)
{
	const struct made *made = *state;
	const struct {
		size_t offset, size;
	} parts[] = { { 0, 8 }, { PAGE - 3, 16 }, { 100, 2 * PAGE }, { 3 * PAGE - 1, 1 } };
	uint8_t bytes[2 * PAGE];

	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		assert_true(reads(made, parts[i].offset, parts[i].size, bytes));
		assert_memory_equal(bytes, made->shared + parts[i].offset, parts[i].size);
	}
}

static void test_what_is_not_there(void **state)
{
	const struct made *made = *state;
	uint8_t bytes[16];

	assert_false(reads(made, PAGES * PAGE, 1, bytes));
	assert_false(reads(made, PAGES * PAGE - 8, 16, bytes));
	assert_false(process_code_read(made->code, made->child, UINT64_MAX - 7, bytes, 16));
	assert_int_equal(process_code_late(made->code), 0);
}

static void test_pages_are_kept_for_a_while(void **state)
{
	const struct made *made = *state;
	const uint64_t before = 1000 * NS_PER_S;
	uint8_t byte;

	process_code_forget(made->code, before);
	made->shared[5] = 1;
	assert_true(reads(made, 5, 1, &byte));
	made->shared[5] = 2;
	process_code_forget(made->code, before + PROCESS_CODE_MS * NS_PER_MS - 1);
	assert_true(reads(made, 5, 1, &byte));
	assert_int_equal(byte, 1);
	process_code_forget(made->code, before + PROCESS_CODE_MS * NS_PER_MS);
	assert_true(reads(made, 5, 1, &byte));
	assert_int_equal(byte, 2);
}

/* Two processes have different things at one address. */
static void test_processes_are_told_apart(void **state)
{
	const struct made *made = *state;
	static volatile uint8_t own = 1;
	uint8_t of_child, of_self;

	own = 2; /* the child has its own, from before */
	assert_true(process_code_read(made->code, made->child, (uintptr_t)&own, &of_child, 1));
	assert_true(process_code_read(made->code, getpid(), (uintptr_t)&own, &of_self, 1));
	assert_int_equal(of_child, 1);
	assert_int_equal(of_self, 2);
}

/* The process that reads for us is this program, too. */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_bytes_of_several_pages, begin, end),
		cmocka_unit_test_setup_teardown(test_what_is_not_there, begin, end),
		cmocka_unit_test_setup_teardown(test_pages_are_kept_for_a_while, begin, end),
		cmocka_unit_test_setup_teardown(test_processes_are_told_apart, begin, end),
	};

	if (argc > 1 && strcmp(argv[1], FOREIGN_OPTION) == 0) {
		foreign_serve(FOREIGN_SOCKET);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
