/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A copy of the running kernel's memory, where that is this test's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include "kernel.h"

#include "bpf/kernel_text.bpf.c"

#define TEXT_AT 0xffffffff81000000ULL

static unsigned char text[KERNEL_TEXT_CHUNK + 1];

static int begin(void **state)
{
	(void)state;
	kernel_begin();
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (unsigned char)(i * 7 + 1);
	kernel_memory_add(TEXT_AT, text, sizeof(text));
	memset(chunk, 0xff, sizeof(chunk));
	return 0;
}

static int end(void **state)
{
	(void)state;
	kernel_end();
	return 0;
}

static int copy(uint64_t address, uint32_t size)
{
	struct kernel_text_request request = { .address = address, .size = size };

	return KERNEL_RUN(kernel_text_read(&request));
}

static void test_a_piece_is_copied(void **state)
{
	(void)state;
	assert_int_equal(copy(TEXT_AT + 1, KERNEL_TEXT_CHUNK), 0);
	assert_memory_equal(chunk, text + 1, KERNEL_TEXT_CHUNK);
	assert_int_equal(copy(TEXT_AT, 3), 0);
	assert_memory_equal(chunk, text, 3);
	assert_memory_equal(chunk + 3, text + 4, KERNEL_TEXT_CHUNK - 3);
}

static void test_more_than_a_chunk_is_refused(void **state)
{
	(void)state;
	assert_int_equal(copy(TEXT_AT, KERNEL_TEXT_CHUNK + 1), -E2BIG);
	assert_int_equal(copy(TEXT_AT, UINT32_MAX), -E2BIG);
	assert_int_equal(chunk[0], 0xff);
}

static void test_what_cannot_be_read_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(copy(TEXT_AT + 2, KERNEL_TEXT_CHUNK), -EFAULT);
	assert_int_equal(copy(0, 8), -EFAULT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_piece_is_copied),
		TEST(test_more_than_a_chunk_is_refused),
		TEST(test_what_cannot_be_read_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
