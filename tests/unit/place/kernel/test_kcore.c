/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Core files made here: what is read, and what is refused. */
#include "place/kernel/kcore.h"

#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define TEXT 0xffffffff81000000UL

enum { TEXT_BYTES = 100, TAIL_BYTES = 60, TEXT_OFFSET = 512 };

_Static_assert((TEXT_OFFSET + TEXT_BYTES + TAIL_BYTES) % 8 == 0, "no padding behind the tail");

/* A core file with a note and two segments, the second of which claims more than there is. */
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
static int open_core(const void *bytes, size_t size, struct kcore **ret_kcore, struct err *err)
{
	char path[] = "/tmp/test_kcore.XXXXXX";
	int fd = mkstemp(path), rc;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	rc = kcore_open(path, ret_kcore, err);
	close(fd);
	unlink(path);
	return rc;
}

static void test_read(void **state)
{
	_cleanup_(kcore_freep) struct kcore *kcore = NULL;
	struct core core = make_core();
	char bytes[TEXT_BYTES + TAIL_BYTES + 1] = { 0 };

	(void)state;
	assert_int_equal(open_core(&core, sizeof(core), &kcore, NULL), 0);
	assert_int_equal(kcore_read(kcore, TEXT, bytes, TEXT_BYTES), 0);
	assert_memory_equal(bytes, core.text, TEXT_BYTES);
	assert_int_equal(kcore_read(kcore, TEXT + 60, bytes, 40), 0);
	assert_memory_equal(bytes, core.text + 60, 40);
	assert_int_equal(kcore_read(kcore, TEXT + 60, bytes, 41), -EFAULT);
	assert_int_equal(kcore_read(kcore, TEXT - 1, bytes, 2), -EFAULT);
	assert_int_equal(kcore_read(kcore, 0, bytes, 1), -EFAULT);
	assert_int_equal(kcore_read(kcore, UINT64_MAX, bytes, 1), -EFAULT);
	/* in a segment, and not in the file */
	assert_int_equal(kcore_read(kcore, TEXT + 0x1000, bytes, TEXT_BYTES + TAIL_BYTES), 0);
	assert_int_equal(kcore_read(kcore, TEXT + 0x1000, bytes, TEXT_BYTES + TAIL_BYTES + 1),
			 -EFAULT);
}

/* Each change makes it another kind of file. */
static void test_refused(void **state)
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
		struct kcore *kcore = NULL;
		struct err err = { "" };

		((uint8_t *)&core)[changes[i].offset] = changes[i].value;
		assert_int_equal(open_core(&core, sizeof(core), &kcore, &err), -ENOEXEC);
		assert_true(err.text[0] != '\0');
		assert_null(kcore);
	}
}

static void test_short(void **state)
{
	struct core core = make_core();
	struct kcore *kcore = NULL;
	struct err err = { "" };

	(void)state;
	assert_int_equal(open_core(&core, 0, &kcore, &err), -ENOEXEC);
	assert_int_equal(open_core(&core, sizeof(Elf64_Ehdr) - 1, &kcore, &err), -ENOEXEC);
	assert_int_equal(open_core(&core, sizeof(Elf64_Ehdr) + 10, &kcore, &err), -ENOEXEC);
	assert_int_equal(kcore_open("/no/such/core", &kcore, &err), -ENOENT);
	assert_null(kcore);
	kcore_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
