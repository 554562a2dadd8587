/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbol versions against nm, which prints them too, and against damage. */
#include "elf/symbol_versions.h"

#include <elf.h>
#include <fcntl.h>

#include "elf/elf_file.h"
#include "elf/symbol_index.h"
#include "tools.h"

/* Every name of .dynsym with its version, sorted, one a line. */
static void print_names(const struct elf_file *file, struct buf *out)
{
	struct symbol_versions *versions = symbol_versions_new(file);
	const struct elf_section *section = elf_file_find(file, ".dynsym");
	const struct elf_section *strings = elf_file_section(file, section->link);
	_cleanup_free_ uint8_t *bytes = NULL, *names = NULL;
	struct reader reader;

	assert_int_equal(elf_file_read(file, section, &bytes, NULL), 0);
	assert_int_equal(elf_file_read(file, strings, &names, NULL), 0);
	reader = elf_file_reader(file, bytes, section->size);
	for (size_t i = 0;; i++) {
		struct elf_symbol symbol = symbol_index_next(elf_file_is_64(file), &reader);
		uint16_t version = versions ? symbol_versions_of(versions, i) : 0;

		if (reader.bad)
			break;
		/* the versions themselves are symbols as well, which nm prints plain */
		if (symbol.name == 0 || symbol.section == SHN_ABS)
			continue;
		buf_add_str(out, (const char *)names + symbol.name);
		/* nm leaves the base version out */
		if (version > 1)
			symbol_versions_print(versions, version, symbol.section != SHN_UNDEF, out);
		buf_add_char(out, '\n');
	}
	symbol_versions_free(versions);
}

static void check_file(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_(elf_file_freep) struct elf_file *file = NULL;
	struct buf ours = { 0 }, theirs = { 0 };
	char *text, *line;

	assert_int_equal(elf_file_open(fd, &file, NULL), 0);
	assert_int_equal(elf_file_read_sections(file, NULL), 0);
	print_names(file, &ours);
	assert_int_equal(tools_run(&theirs, "nm -Dp '%s' | sed 's/.* //'", path), 0);
	text = ours.bytes;
	while ((line = tools_line(&text))) {
		char wanted[4096];
		const char *found;

		snprintf(wanted, sizeof(wanted), "%s\n", line);
		found = strstr(theirs.bytes, wanted);
		while (found && found != theirs.bytes && found[-1] != '\n')
			found = strstr(found + 1, wanted);
		if (!found)
			fail_msg("%s: nm does not know %s", path, line);
	}
	buf_done(&ours);
	buf_done(&theirs);
}

static void test_files(void **state)
{
	struct buf libc = { 0 };

	(void)state;
	tools_run(&libc, "gcc -print-file-name=libc.so.6 | tr -d '\\n'");
	check_file(buf_text(&libc));
	check_file("/bin/sh");
	buf_done(&libc);
}

static void test_none(void **state)
{
	char path[TOOLS_PATH];
	int fd;
	struct elf_file *file;

	tools_build(*state, "plain.so", "c", "-shared -nostdlib", "int f(void) { return 1; }",
		    path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(elf_file_open(fd, &file, NULL), 0);
	assert_int_equal(elf_file_read_sections(file, NULL), 0);
	assert_null(symbol_versions_new(file));
	elf_file_free(file);
	close(fd);
}

static void test_damaged(void **state)
{
	struct buf bytes = { 0 };
	unsigned seed = 7;

	(void)state;
	tools_run(&bytes, "cat /bin/sh");
	for (int i = 0; i < 200; i++) {
		_cleanup_free_ char *copy = malloc(bytes.size);
		struct elf_file *file;
		struct buf out = { 0 };

		memcpy(copy, bytes.bytes, bytes.size);
		/* .dynsym, the versions and their names are in the first pages */
		for (int change = 0; change < 100; change++)
			copy[64 + (unsigned)rand_r(&seed) % 8192] = (char)rand_r(&seed);
		if (elf_file_open_memory(copy, bytes.size, &file, NULL) < 0)
			continue;
		if (elf_file_read_sections(file, NULL) == 0) {
			struct symbol_versions *versions = symbol_versions_new(file);

			for (size_t symbol = 0; versions && symbol < 1000; symbol++)
				symbol_versions_print(
					versions, symbol_versions_of(versions, symbol), true, &out);
			symbol_versions_free(versions);
		}
		buf_done(&out);
		elf_file_free(file);
	}
	buf_done(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test_setup_teardown(test_none, tools_set_up, tools_tear_down),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
