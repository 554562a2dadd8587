/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/function_list.h"

#include <fcntl.h>

#include "elf/elf_file.h"
#include "elf/readelf.h"

struct opened {
	int fd;
	struct elf_file *file;
	struct function_list *list;
};

static struct opened open_file(const char *path)
{
	struct opened opened = { .fd = open(path, O_RDONLY | O_CLOEXEC) };
	struct err err;

	if (opened.fd < 0 || elf_file_open(opened.fd, &opened.file, &err) < 0 ||
	    elf_file_read_sections(opened.file, &err) < 0)
		fail_msg("%s: cannot be opened", path);
	opened.list = function_list_new(opened.file, NULL, path);
	return opened;
}

static void close_file(struct opened *opened)
{
	function_list_free(opened->list);
	elf_file_free(opened->file);
	close(opened->fd);
}

static bool has(const struct function_list *list, uint64_t start, const char *name)
{
	for (size_t i = function_list_find(list, start);
	     i < function_list_count(list) && function_list_at(list, i)->start == start; i++) {
		if (strcmp(function_list_name(list, function_list_at(list, i)->name), name) == 0)
			return true;
	}
	return false;
}

/* Every function readelf has is there under its name, and no two entries are the same. */
static void check(const char *path)
{
	struct opened opened = open_file(path);
	struct readelf elf = readelf_read(path);
	size_t sized = 0;

	for (size_t i = 0; i < elf.symbols.count; i++) {
		if (elf.symbols.items[i].size == 0)
			continue;
		sized++;
		if (!has(opened.list, elf.symbols.items[i].start, elf.symbols.items[i].name))
			fail_msg("%s lacks %s at %#" PRIx64, path, elf.symbols.items[i].name,
				 elf.symbols.items[i].start);
	}
	assert_true(sized > 10);
	for (size_t i = 1; i < function_list_count(opened.list); i++)
		assert_true(function_list_at(opened.list, i - 1)->start <=
			    function_list_at(opened.list, i)->start);
	readelf_done(&elf);
	close_file(&opened);
}

static void test_own_symbols(void **state)
{
	char path[64];

	(void)state;
	/* readelf is another process */
	snprintf(path, sizeof(path), "/proc/%d/exe", getpid());
	check(path);
}

/* Where the C library of this process is. */
static void libc_path(char *path, size_t size)
{
	struct buf out = { 0 };

	assert_int_equal(
		tools_run(&out,
			  "ldd /proc/%d/exe | sed -n 's/.*=> \\(.*libc\\.so[^ ]*\\) .*/\\1/p'",
			  getpid()),
		0);
	snprintf(path, size, "%.*s", (int)strcspn(buf_text(&out), "\n"), buf_text(&out));
	buf_done(&out);
}

static const struct listed_function *find_default(const struct function_list *list,
						  const char *name)
{
	const struct listed_function *found = NULL;

	for (size_t i = 0; i < function_list_count(list); i++) {
		const struct listed_function *at = function_list_at(list, i);

		if (strcmp(function_list_name(list, at->name), name) == 0 && !at->old_version)
			found = at;
	}
	return found;
}

static void test_versions(void **state)
{
	const struct listed_function *function;
	struct opened opened;
	char path[4096];

	(void)state;
	libc_path(path, sizeof(path));
	check(path);
	opened = open_file(path);
	function = find_default(opened.list, "malloc");
	assert_non_null(function);
	assert_true(function->global);
	assert_memory_equal(function_list_name(opened.list, function->version), "GLIBC_", 6);
	assert_ptr_equal(function_list_around(opened.list, function->start + 1)->start,
			 function->start);
	close_file(&opened);
}

static void test_imports(void **state)
{
	struct opened opened = open_file("/proc/self/exe");

	(void)state;
	assert_true(function_list_imports(opened.list, "snprintf") ||
		    function_list_imports(opened.list, "__snprintf_chk"));
	assert_false(function_list_imports(opened.list, "main"));
	assert_non_null(find_default(opened.list, "main"));
	assert_null(function_list_around(opened.list, 1));
	close_file(&opened);
}

/* Of the assembler, without a size; the code after it has no name in a stripped file. */
static void test_sizeless(void **state)
{
	static const char source[] = ".globl f\nf: xor %eax, %eax\nret\n"
				     "mov $15, %eax\nsyscall\n.globl g\ng: nop\nret\n";
	const struct listed_function *function;
	struct buf out = { 0 };
	struct opened opened;
	char path[TOOLS_PATH];

	tools_build(*state, "sizeless", "assembler", "-shared -nostdlib", source, path);
	opened = open_file(path);
	assert_int_equal(find_default(opened.list, "f")->size, 10);
	close_file(&opened);
	assert_int_equal(tools_run(&out, "strip '%s'", path), 0);
	opened = open_file(path);
	function = find_default(opened.list, "f");
	assert_int_equal(function->size, 3);
	assert_ptr_equal(function_list_around(opened.list, function->start + 2), function);
	assert_null(function_list_around(opened.list, function->start + 3));
	assert_string_equal(
		function_list_name(opened.list,
				   function_list_around(opened.list, function->start + 10)->name),
		"g");
	close_file(&opened);
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_symbols),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_imports),
		cmocka_unit_test(test_sizeless),
	};

	return cmocka_run_group_tests(tests, tools_set_up, tools_tear_down);
}
