/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's code as it is in memory. Oracles: what the kernel says it compiled a BPF program to
 * (BPF_OBJ_GET_INFO_BY_FD), and /proc/kcore where there is one.
 */
#include "place/kernel/kernel_text.h"

#include <bpf/bpf.h>
#include <elf.h>
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

/* The source, or a skipped test that says why. */
static struct kernel_text *need(int rc, struct kernel_text *text, const struct err *err)
{
	if (rc < 0) {
		assert_true(err->text[0] != '\0');
		print_message("%s\n", err->text);
		skip();
	}
	return text;
}

static struct kernel_text *need_bpf(void)
{
	struct kernel_text *text = NULL;
	struct err err = { "" };
	int rc = kernel_text_open_bpf(&text, &err);

	return need(rc, text, &err);
}

static struct kernel_text *need_kcore(void)
{
	struct kernel_text *text = NULL;
	struct err err = { "" };
	int rc = kernel_text_open_kcore("/proc/kcore", &text, &err);

	return need(rc, text, &err);
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
	_cleanup_(kernel_text_freep) struct kernel_text *text = need_bpf();
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
}

/* The one descriptor of ours that is a program of the reader's name. */
static int find_program(struct bpf_prog_info *info)
{
	for (int fd = 0; fd < 256; fd++) {
		uint32_t size = sizeof(*info);

		memset(info, 0, sizeof(*info));
		if (bpf_obj_get_info_by_fd(fd, info, &size) == 0 &&
		    strcmp(info->name, "kernel_text_rea") == 0)
			return fd;
	}
	return -1;
}

/* The reader reads itself: the kernel reports the address and the bytes of its machine code. */
static void test_own_program(void **state)
{
	_cleanup_(kernel_text_freep) struct kernel_text *text = need_bpf();
	struct bpf_prog_info info;
	uint8_t told[4096], read[4096];
	uint32_t size = sizeof(info);
	uint64_t address = 0;
	int fd = find_program(&info);

	(void)state;
	assert_true(fd >= 0);
	memset(&info, 0, sizeof(info));
	info.jited_prog_insns = (uintptr_t)told;
	info.jited_prog_len = sizeof(told);
	info.jited_ksyms = (uintptr_t)&address;
	info.nr_jited_ksyms = 1;
	assert_int_equal(bpf_obj_get_info_by_fd(fd, &info, &size), 0);
	if (info.jited_prog_len == 0 || info.nr_jited_ksyms == 0 || address == 0) {
		kernel_text_free(steal_ptr(text));
		print_message("the kernel does not compile BPF or hides what it made of it\n");
		skip();
	}
	assert_int_equal(kernel_text_read(text, address, read, info.jited_prog_len, NULL), 0);
	assert_memory_equal(read, told, info.jited_prog_len);
}

/* More than one chunk at a time gives the same as byte by byte around the seams. */
static void test_chunks(void **state)
{
	enum { SIZE = 3 * 4096 + 100 };
	_cleanup_(kernel_text_freep) struct kernel_text *text = need_bpf();
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
	_cleanup_(kernel_text_freep) struct kernel_text *text = need_bpf();
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
	_cleanup_(kernel_text_freep) struct kernel_text *kcore = need_kcore();
	_cleanup_(kernel_text_freep) struct kernel_text *bpf = need_bpf();
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

/* --- core files made here: what is read, and what is refused --- */

#define TEXT 0xffffffff81000000UL

enum { TEXT_BYTES = 100, TAIL_BYTES = 60, TEXT_OFFSET = 512 };

_Static_assert((TEXT_OFFSET + TEXT_BYTES + TAIL_BYTES) % 8 == 0, "no padding after the tail");

/* A core file with a note and two segments. The second claims more bytes than there are. */
struct core {
	Elf64_Ehdr header;
	Elf64_Phdr segments[3];
	char room[TEXT_OFFSET - sizeof(Elf64_Ehdr) - 3 * sizeof(Elf64_Phdr)];
	char text[TEXT_BYTES];
	char tail[TAIL_BYTES]; /* of the file, and of no segment but the last */
};

static struct core make_core(void)
{
	struct core core = {
		.header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			    .e_type = ET_CORE,
			    .e_machine = EM_X86_64,
			    .e_phoff = sizeof(Elf64_Ehdr),
			    .e_ehsize = sizeof(Elf64_Ehdr),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = 3 },
		.segments = { { .p_type = PT_NOTE, .p_vaddr = TEXT, .p_filesz = 1000 },
			      { .p_type = PT_LOAD,
				.p_vaddr = TEXT,
				.p_offset = TEXT_OFFSET,
				.p_filesz = TEXT_BYTES },
			      { .p_type = PT_LOAD,
				.p_vaddr = TEXT + 0x1000,
				.p_offset = TEXT_OFFSET,
				.p_filesz = 1UL << 40 } },
	};

	for (int i = 0; i < TEXT_BYTES; i++)
		core.text[i] = (char)(i + 1);
	return core;
}

/* Opens a file of these bytes. */
static int open_core(const void *bytes, size_t size, struct kernel_text **ret_kcore,
		     struct err *err)
{
	char path[] = "/tmp/test_kcore.XXXXXX";
	int fd = mkstemp(path), rc;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	rc = kernel_text_open_kcore(path, ret_kcore, err);
	close(fd);
	unlink(path);
	return rc;
}

static void test_core_file(void **state)
{
	_cleanup_(kernel_text_freep) struct kernel_text *kcore = NULL;
	struct core core = make_core();
	char bytes[TEXT_BYTES + TAIL_BYTES + 1] = { 0 };

	(void)state;
	assert_int_equal(open_core(&core, sizeof(core), &kcore, NULL), 0);
	assert_int_equal(kernel_text_read(kcore, TEXT, bytes, TEXT_BYTES, NULL), 0);
	assert_memory_equal(bytes, core.text, TEXT_BYTES);
	assert_int_equal(kernel_text_read(kcore, TEXT + 60, bytes, 40, NULL), 0);
	assert_memory_equal(bytes, core.text + 60, 40);
	assert_int_equal(kernel_text_read(kcore, TEXT + 60, bytes, 41, NULL), -EFAULT);
	assert_int_equal(kernel_text_read(kcore, TEXT - 1, bytes, 2, NULL), -EFAULT);
	assert_int_equal(kernel_text_read(kcore, 0, bytes, 1, NULL), -EFAULT);
	assert_int_equal(kernel_text_read(kcore, UINT64_MAX, bytes, 1, NULL), -EFAULT);
	/* in a segment, and not in the file */
	assert_int_equal(
		kernel_text_read(kcore, TEXT + 0x1000, bytes, TEXT_BYTES + TAIL_BYTES, NULL), 0);
	assert_int_equal(
		kernel_text_read(kcore, TEXT + 0x1000, bytes, TEXT_BYTES + TAIL_BYTES + 1, NULL),
		-EFAULT);
}

/* Each change makes it another kind of file. */
static void test_other_files(void **state)
{
	static const struct {
		size_t offset;
		uint8_t value;
	} changes[] = {
		{ 0, 'X' },
		{ EI_CLASS, ELFCLASS32 },
		{ EI_DATA, ELFDATA2MSB },
		{ offsetof(Elf64_Ehdr, e_type), ET_EXEC },
		{ offsetof(Elf64_Ehdr, e_phentsize), 32 },
		{ offsetof(Elf64_Ehdr, e_phnum) + 1, 0xff },
		{ offsetof(Elf64_Ehdr, e_phoff) + 7, 0x7f },
		{ offsetof(Elf64_Ehdr, e_phoff) + 7, 0xff },
		{ offsetof(Elf64_Ehdr, e_phoff) + 2, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct core core = make_core();
		struct kernel_text *kcore = NULL;
		struct err err = { "" };

		((uint8_t *)&core)[changes[i].offset] = changes[i].value;
		assert_int_equal(open_core(&core, sizeof(core), &kcore, &err), -ENOEXEC);
		assert_true(err.text[0] != '\0');
		assert_null(kcore);
	}
}

static void test_short_files(void **state)
{
	struct core core = make_core();
	struct kernel_text *kcore = NULL;
	struct err err = { "" };

	(void)state;
	assert_int_equal(open_core(&core, 0, &kcore, &err), -ENOEXEC);
	assert_int_equal(open_core(&core, sizeof(Elf64_Ehdr) - 1, &kcore, &err), -ENOEXEC);
	assert_int_equal(open_core(&core, sizeof(Elf64_Ehdr) + 10, &kcore, &err), -ENOEXEC);
	assert_int_equal(kernel_text_open_kcore("/no/such/core", &kcore, &err), -ENOENT);
	assert_null(kcore);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_reads),	 cmocka_unit_test(test_own_program),
		cmocka_unit_test(test_chunks),		 cmocka_unit_test(test_unmapped),
		cmocka_unit_test(test_kcore_agrees),	 cmocka_unit_test(test_plain_user),
		cmocka_unit_test(test_nothing_is_freed), cmocka_unit_test(test_core_file),
		cmocka_unit_test(test_other_files),	 cmocka_unit_test(test_short_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
