/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept is found again, and made again when it is no good. */
#include "unwind/row_cache.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "tools.h"

/* Builds a program; its only file in the cache, when it is one, is FOLDER/cache/... */
static int build(const char *folder, const char *flags)
{
	char path[TOOLS_PATH];

	tools_build(folder, "program", "c", flags, "int main(void) { return 0; }", path);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static int kept(const char *folder, char *ret_path)
{
	struct buf out = { 0 };
	char *text;
	int count = 0;

	tools_run(&out, "find '%s/cache' -type f 2>/dev/null", folder);
	text = out.bytes;
	for (char *line; text && (line = tools_line(&text)); count++)
		snprintf(ret_path, TOOLS_PATH, "%s", line);
	buf_done(&out);
	return count;
}

static uint32_t rows_of(struct row_cache *cache, int fd)
{
	struct row_table *table;
	uint32_t rows;

	assert_int_equal(row_cache_get(cache, fd, &table, NULL), 0);
	rows = row_table_rows(table)->row_count;
	assert_int_equal(row_table_rows(table)->machine, EM_X86_64);
	row_table_free(table);
	return rows;
}

static struct row_cache *open_cache(const char *folder)
{
	char path[TOOLS_PATH];

	snprintf(path, sizeof(path), "%s/cache", folder);
	return row_cache_new(path);
}

/* Only a file that is read again keeps its inode. */
static ino_t inode(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_ino;
}

static void test_kept(void **state)
{
	struct row_cache *cache = open_cache(*state);
	int fd = build(*state, "-Wl,--build-id=0x0123456789abcdef");
	uint32_t rows = rows_of(cache, fd);
	char path[TOOLS_PATH];
	ino_t first;

	assert_int_equal(kept(*state, path), 1);
	assert_non_null(strstr(path, "/0123456789abcdef.rows"));
	first = inode(path);
	assert_int_equal(rows_of(cache, fd), rows);
	assert_int_equal(inode(path), first);
	row_cache_free(cache);
	cache = open_cache(*state);
	assert_int_equal(rows_of(cache, fd), rows);
	assert_int_equal(inode(path), first);
	row_cache_free(cache);
	close(fd);
	unlink(path);
}

/* A damaged file, and one that was cut off, is replaced. */
static void test_damaged(void **state)
{
	struct row_cache *cache = open_cache(*state);
	int fd = build(*state, "-Wl,--build-id=0xfedcba9876543210");
	char path[TOOLS_PATH];
	struct buf out = { 0 };
	uint32_t rows = rows_of(cache, fd);

	assert_int_equal(kept(*state, path), 1);
	assert_int_equal(
		tools_run(&out, "printf X | dd of='%s' bs=1 seek=100 conv=notrunc 2>&1", path), 0);
	assert_int_equal(rows_of(cache, fd), rows);
	assert_int_equal(tools_run(&out,
				   "[ \"$(dd if='%s' bs=1 skip=100 count=1 status=none | tr -d "
				   "'\\0')\" != X ]",
				   path),
			 0);
	assert_int_equal(tools_run(&out, "truncate -s 50 '%s'", path), 0);
	assert_int_equal(rows_of(cache, fd), rows);
	assert_int_equal(kept(*state, path), 1);
	assert_int_equal(tools_run(&out, "[ $(stat -c %%s '%s') -gt 50 ]", path), 0);
	buf_done(&out);
	row_cache_free(cache);
	close(fd);
	unlink(path);
}

static void test_not_kept(void **state)
{
	struct row_cache *cache = open_cache(*state);
	int fd = build(*state, "-Wl,--build-id=none");
	char path[TOOLS_PATH];

	assert_true(rows_of(cache, fd) > 5);
	assert_int_equal(kept(*state, path), 0);
	row_cache_free(cache);
	close(fd);
	cache = row_cache_new(NULL);
	fd = build(*state, "-Wl,--build-id=0x55");
	assert_true(rows_of(cache, fd) > 5);
	assert_int_equal(kept(*state, path), 0);
	row_cache_free(cache);
	close(fd);
}

static void test_refused(void **state)
{
	struct row_cache *cache = open_cache(*state);
	char path[TOOLS_PATH];
	struct row_table *table;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_int_equal(row_cache_get(cache, fd, &table, NULL), -ENOEXEC);
	close(fd);
	tools_build(*state, "bare", "assembler", "-nostdlib -static -Wl,--build-id=0x66",
		    ".globl _start\n.data\n_start: .byte 0\n", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(row_cache_get(cache, fd, &table, NULL), -ENODATA);
	close(fd);
	tools_build(*state, "small", "assembler", "-m32 -nostdlib -static -Wl,--build-id=0x77",
		    ".globl _start\n_start: .cfi_startproc\nnop\n.cfi_endproc\n", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(row_cache_get(cache, fd, &table, NULL), -ENOTSUP);
	close(fd);
	assert_int_equal(kept(*state, path), 0);
	row_cache_free(cache);
}

/* No file holds it; its rows are made from memory each time. */
static void test_vdso(void **state)
{
	struct row_cache *cache = row_cache_new(NULL);
	struct row_table *table;
	struct err err;

	(void)state;
	if (row_cache_get_vdso(cache, &table, &err) < 0) {
		row_cache_free(cache);
		print_message("%s\n", err.text);
		skip();
	}
	assert_true(row_table_rows(table)->row_count > 4);
	row_table_free(table);
	row_cache_free(cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),	 cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_not_kept), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_vdso),
	};

	return cmocka_run_group_tests(tests, tools_set_up, tools_tear_down);
}
