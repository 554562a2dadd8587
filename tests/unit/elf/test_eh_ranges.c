/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ranges against readelf's reading of the same tables. */
#include "elf/eh_ranges.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

#include "tools.h"

static struct elf_file *open_file(const char *path, int *ret_fd)
{
	struct elf_file *file;

	*ret_fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(elf_file_open(*ret_fd, &file, NULL), 0);
	assert_int_equal(elf_file_read_sections(file, NULL), 0);
	return file;
}

/* Every range readelf prints is found from its first and its last byte. */
static size_t check_file(const char *path)
{
	struct buf out = { 0 };
	struct eh_ranges *ranges;
	size_t count = 0;
	char *text, *line;
	int fd;
	struct elf_file *file = open_file(path, &fd);

	assert_int_equal(eh_ranges_read(file, &ranges, NULL), 0);
	assert_int_equal(tools_run(&out,
				   "readelf -wf '%s' 2>/dev/null | sed -n 's/.* FDE .*pc="
				   "\\([0-9a-f]*\\)\\.\\.\\([0-9a-f]*\\)$/\\1 \\2/p'",
				   path),
			 0);
	text = out.bytes;
	while (text && (line = tools_line(&text))) {
		uint64_t from, to, start = 0, end = UINT64_MAX;

		assert_int_equal(sscanf(line, "%" SCNx64 " %" SCNx64, &from, &to), 2);
		if (from == to)
			continue;
		assert_true(eh_ranges_narrow(ranges, from, &start, &end));
		assert_int_equal(start, from);
		assert_int_equal(end, to);
		start = 0;
		end = UINT64_MAX;
		assert_true(eh_ranges_narrow(ranges, to - 1, &start, &end));
		assert_int_equal(start, from);
		count++;
	}
	assert_int_equal(eh_ranges_count(ranges), count);
	eh_ranges_free(ranges);
	elf_file_free(file);
	close(fd);
	buf_done(&out);
	return count;
}

static void test_libraries(void **state)
{
	struct buf out = { 0 };
	size_t ranges = 0;
	char *text, *line;

	(void)state;
	assert_int_equal(tools_run(&out,
				   "awk '$2 ~ /x/ && $6 ~ /^\\// { print $6 }' /proc/%d/maps"
				   " | sort -u",
				   getpid()),
			 0);
	text = out.bytes;
	while ((line = tools_line(&text)))
		ranges += check_file(line);
	print_message("%zu ranges\n", ranges);
	assert_true(ranges > 1000);
	buf_done(&out);
}

static void test_static(void **state)
{
	char path[TOOLS_PATH];

	tools_build(*state, "static", "c", "-static", "int main(void) { return 0; }", path);
	assert_true(check_file(path) > 100);
}

/* Two functions with a hole between them: addresses in the hole are narrowed to it. */
static void test_hole(void **state)
{
	static const char source[] = ".text\n.globl _start\n_start: .cfi_startproc\n.skip 16\n"
				     ".cfi_endproc\n.skip 32\n"
				     "b: .cfi_startproc\n.skip 16\n.cfi_endproc\n.skip 16\n";
	uint64_t start = 0, end = UINT64_MAX, text;
	struct eh_ranges *ranges;
	char path[TOOLS_PATH];
	struct elf_file *file;
	int fd;

	tools_build(*state, "hole", "assembler", "-nostdlib -static", source, path);
	file = open_file(path, &fd);
	text = elf_file_find(file, ".text")->address;
	assert_int_equal(eh_ranges_read(file, &ranges, NULL), 0);
	assert_false(eh_ranges_narrow(ranges, text + 20, &start, &end));
	assert_int_equal(start, text + 16);
	assert_int_equal(end, text + 48);
	start = text + 60;
	end = text + 80;
	assert_false(eh_ranges_narrow(ranges, text + 70, &start, &end));
	assert_int_equal(start, text + 64);
	assert_int_equal(end, text + 80);
	start = 0;
	end = text;
	assert_false(eh_ranges_narrow(ranges, text - 1, &start, &end));
	assert_int_equal(start, 0);
	eh_ranges_free(ranges);
	elf_file_free(file);
	close(fd);
}

static void test_none(void **state)
{
	struct eh_ranges *ranges;
	char path[TOOLS_PATH];
	struct elf_file *file;
	int fd;

	tools_build(*state, "none", "assembler", "-nostdlib -static",
		    ".globl _start\n_start: .skip 16\n", path);
	file = open_file(path, &fd);
	assert_int_equal(eh_ranges_read(file, &ranges, NULL), -ENODATA);
	elf_file_free(file);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libraries),
		cmocka_unit_test(test_static),
		cmocka_unit_test(test_hole),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, tools_set_up, tools_tear_down);
}
