/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's code as it is in memory. Oracles: what the kernel says it compiled a BPF program to
 * (BPF_OBJ_GET_INFO_BY_FD), and /proc/kcore where there is one.
 */
#include "place/kernel/kernel_text.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "place/kernel/kernel_text_bpf.h"

/* The source, or a skipped test that says why. */
static struct kernel_text *need_source(enum kernel_text_source source)
{
	struct kernel_text *text = NULL;
	struct err err = { "" };
	int rc = kernel_text_open_source(source, &text, &err);

	if (rc < 0) {
		assert_true(err.text[0] != '\0');
		print_message("%s\n", err.text);
		skip();
	}
	return text;
}

/* A function's address and the start of the next, as /proc/kallsyms has them; 0: not known. */
static uint64_t find_function(const char *wanted, uint64_t *ret_end)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/kallsyms", "re");
	uint64_t found = 0, address, end = UINT64_MAX;
	char name[512];

	for (int pass = 0; file && pass < 2; pass++, rewind(file)) {
		while (fscanf(file, "%" SCNx64 " %*c %511s%*[^\n]", &address, name) == 2) {
			if (pass == 0 && strcmp(name, wanted) == 0)
				found = address;
			if (pass == 1 && address > found && address < end)
				end = address;
		}
	}
	*ret_end = end;
	return found;
}

static void test_two_reads(void **state)
{
	_cleanup_(kernel_text_freep) struct kernel_text *text = need_source(KERNEL_TEXT_BPF);
	uint64_t end, start = find_function("vfs_read", &end);
	uint8_t first[4096], second[4096];
	size_t size = end - start;

	(void)state;
	if (start == 0) {
		print_message("kernel addresses are hidden\n");
		skip();
	}
	assert_true(size >= 64 && size <= sizeof(first));
	assert_int_equal(kernel_text_read(text, start, first, size, NULL), 0);
	assert_int_equal(kernel_text_read(text, start, second, size, NULL), 0);
	assert_memory_equal(first, second, size);
	memset(second, first[0], size);
	assert_memory_not_equal(first, second, size);
	/* the same, from an odd address on */
	assert_int_equal(kernel_text_read(text, start + 13, second, size - 13, NULL), 0);
	assert_memory_equal(first + 13, second, size - 13);
	assert_int_equal(kernel_text_source(text), KERNEL_TEXT_BPF);
}

/* The reader reads itself: the kernel tells where its program's machine code is, and what it is. */
static void test_own_program(void **state)
{
	struct kernel_text_bpf_reader *reader = NULL;
	struct bpf_prog_info info = { 0 };
	uint8_t told[4096], read[4096];
	uint32_t size = sizeof(info);
	uint64_t address = 0;
	struct err err;

	(void)state;
	if (kernel_text_bpf_new(&reader, &err) < 0) {
		print_message("%s\n", err.text);
		skip();
	}
	info.jited_prog_insns = (uintptr_t)told;
	info.jited_prog_len = sizeof(told);
	info.jited_ksyms = (uintptr_t)&address;
	info.nr_jited_ksyms = 1;
	assert_int_equal(bpf_obj_get_info_by_fd(kernel_text_bpf_fd(reader), &info, &size), 0);
	if (info.jited_prog_len == 0 || info.nr_jited_ksyms == 0 || address == 0) {
		kernel_text_bpf_free(reader);
		print_message("the kernel does not compile BPF or hides what it made of it\n");
		skip();
	}
	assert_int_equal(kernel_text_bpf_read(reader, address, read, info.jited_prog_len), 0);
	assert_memory_equal(read, told, info.jited_prog_len);
	kernel_text_bpf_free(reader);
}

/* More than one chunk at a time gives the same as byte by byte around the seams. */
static void test_chunks(void **state)
{
	enum { SIZE = 3 * 4096 + 100 };
	_cleanup_(kernel_text_freep) struct kernel_text *text = need_source(KERNEL_TEXT_BPF);
	uint64_t end, start = find_function("vfs_read", &end);
	static uint8_t all[SIZE];
	struct err err = { "" };

	(void)state;
	if (start == 0)
		skip();
	assert_int_equal(kernel_text_read(text, start, all, SIZE, NULL), 0);
	for (size_t seam = 4096; seam < SIZE; seam += 4096) {
		uint8_t piece[32];

		assert_int_equal(kernel_text_read(text, start + seam - 16, piece, 32, NULL), 0);
		assert_memory_equal(piece, all + seam - 16, 32);
	}
	assert_int_equal(kernel_text_read(text, start, all, KERNEL_TEXT_MAX + 1, &err), -EFBIG);
}

static void test_unmapped(void **state)
{
	static const uint64_t addresses[] = { 0, 1, 0xffff7fffffffffff, UINT64_MAX - 8 };
	_cleanup_(kernel_text_freep) struct kernel_text *text = need_source(KERNEL_TEXT_BPF);
	uint8_t bytes[16];

	(void)state;
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		struct err err = { "" };

		assert_int_equal(kernel_text_read(text, addresses[i], bytes, sizeof(bytes), &err),
				 -EFAULT);
		assert_true(err.text[0] != '\0');
	}
}

static void test_kcore_agrees(void **state)
{
	_cleanup_(kernel_text_freep) struct kernel_text *kcore = need_source(KERNEL_TEXT_KCORE);
	_cleanup_(kernel_text_freep) struct kernel_text *bpf = need_source(KERNEL_TEXT_BPF);
	uint64_t end, start = find_function("vfs_read", &end);
	uint8_t one[4096], other[4096];

	(void)state;
	if (start == 0)
		skip();
	assert_int_equal(kernel_text_read(kcore, start, one, sizeof(one), NULL), 0);
	assert_int_equal(kernel_text_read(bpf, start, other, sizeof(other), NULL), 0);
	assert_memory_equal(one, other, sizeof(one));
}

/* Without any permission there is one sentence, nothing on stderr and no crash. */
static void test_plain_user(void **state)
{
	int ends[2], status;
	char said[1024] = { 0 };
	pid_t child;

	(void)state;
	if (getuid() != 0) {
		print_message("needs root to become nobody\n");
		skip();
	}
	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		struct kernel_text *text = NULL;
		struct err err = { "" };
		int rc;

		dup2(ends[1], STDERR_FILENO);
		if (setgid(65534) < 0 || setuid(65534) < 0)
			_exit(3);
		rc = kernel_text_open(&text, &err);
		dprintf(ends[1], "%s", err.text);
		_exit(rc < 0 && !text ? 0 : 1);
	}
	close(ends[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(read(ends[0], said, sizeof(said) - 1) > 0);
	close(ends[0]);
	assert_int_equal(status, 0);
	assert_non_null(strstr(said, "CAP_BPF and CAP_PERFMON"));
	assert_ptr_equal(strstr(said, "cannot read the kernel's code"), said);
	assert_null(strchr(said, '\n'));
}

static void test_nothing_is_freed(void **state)
{
	(void)state;
	kernel_text_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_reads),	 cmocka_unit_test(test_own_program),
		cmocka_unit_test(test_chunks),		 cmocka_unit_test(test_unmapped),
		cmocka_unit_test(test_kcore_agrees),	 cmocka_unit_test(test_plain_user),
		cmocka_unit_test(test_nothing_is_freed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
