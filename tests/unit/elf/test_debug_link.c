/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include "elf/debug_link.h"
#include "elf/sections.h"

static bool read_link(const void *bytes, size_t size, struct debug_link *ret_link)
{
	int fd = sections_file(".gnu_debuglink", 0, bytes, size);
	struct elf_file *file;
	bool is_there;

	assert_int_equal(elf_file_open(fd, &file, NULL), 0);
	assert_int_equal(elf_file_read_sections(file, NULL), 0);
	is_there = debug_link_read(file, ret_link);
	elf_file_free(file);
	close(fd);
	return is_there;
}

static void a_link_is_a_name_and_a_checksum(void **state)
{
	struct debug_link link;

	assert_true(read_link("a.debug\0\1\0\0\0", 12, &link));
	assert_string_equal(link.name, "a.debug");
	assert_int_equal(link.checksum, 1);
	assert_true(read_link("ab.debug\0\0\0\0\2\0\0\0", 16, &link));
	assert_string_equal(link.name, "ab.debug");
	assert_int_equal(link.checksum, 2);
}

/* A link cannot name a file outside the folders that are searched. */
static void other_links_are_none(void **state)
{
	struct debug_link link;
	char name[400] = "";

	assert_false(read_link("a/b.dbg\0\1\0\0\0", 12, &link));
	assert_false(read_link("\0\0\0\0\1\0\0\0", 8, &link));
	assert_false(read_link("a.debug\0\1\0\0", 11, &link));
	assert_false(read_link("no end", 6, &link));
	memset(name, 'n', 300);
	assert_false(read_link(name, 304, &link));
	assert_false(read_link("", 0, &link));
}

static int read_embedded(const char *name, const void *bytes, size_t size)
{
	int fd = sections_file(name, 0, bytes, size);
	struct elf_file *file;
	uint8_t *plain = NULL;
	size_t plain_size;
	int rc;

	assert_int_equal(elf_file_open(fd, &file, NULL), 0);
	assert_int_equal(elf_file_read_sections(file, NULL), 0);
	rc = debug_link_embedded(file, &plain, &plain_size, NULL);
	free(plain);
	elf_file_free(file);
	close(fd);
	return rc;
}

static void what_is_no_xz_is_refused(void **state)
{
	assert_int_equal(read_embedded(".gnu_debugdata", "not xz at all", 13), -EBADMSG);
	assert_int_equal(read_embedded(".gnu_debugdata", "\3757zXZ\0", 6), -EBADMSG);
	assert_int_equal(read_embedded(".other", "x", 1), -ENODATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_link_is_a_name_and_a_checksum),
		cmocka_unit_test(other_links_are_none),
		cmocka_unit_test(what_is_no_xz_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
