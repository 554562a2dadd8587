/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words the dynamic linker fills against readelf -r. */
#include "code/got_words.h"

#include <fcntl.h>
#include <inttypes.h>

#include "elf/elf_file.h"
#include "tools.h"

/* Checks one line of readelf -rW that names a symbol: "PLACE INFO TYPE VALUE NAME + ADDEND". */
static bool check_line(const struct got_words *words, const char *line)
{
	const struct got_word *word;
	struct got_symbol symbol;
	uint64_t place, value;
	char name[4096];

	if (sscanf(line, "%" SCNx64 " %*x R_%*s %" SCNx64 " %4095s +", &place, &value, name) != 3)
		return false;
	word = got_words_find(words, place);
	assert_non_null(word);
	assert_int_equal(word->place, place);
	symbol = got_words_symbol(words, word->symbol);
	name[strcspn(name, "@")] = '\0';
	assert_string_equal(symbol.name, name);
	assert_int_equal(symbol.value, value);
	return true;
}

static struct elf_file *open_file(int fd)
{
	struct elf_file *file;

	assert_int_equal(elf_file_open(fd, &file, NULL), 0);
	assert_int_equal(elf_file_read_sections(file, NULL), 0);
	return file;
}

static void check_file(const char *path, size_t at_least)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_(elf_file_freep) struct elf_file *file = open_file(fd);
	_cleanup_(got_words_freep) struct got_words *words = got_words_new(file);
	struct buf out = { 0 };
	size_t checked = 0;
	char *text, *line;

	tools_run(&out, "readelf -rW '%s'", path);
	text = out.bytes;
	while ((line = strsep(&text, "\n")))
		checked += check_line(words, line);
	assert_true(checked >= at_least);
	assert_true(got_words_has_symbols(words));
	assert_null(got_words_find(words, 1));
	assert_string_equal(got_words_symbol(words, UINT32_MAX).name, "");
	buf_done(&out);
}

static void test_files(void **state)
{
	struct buf library = { 0 };

	(void)state;
	check_file("/bin/sh", 50);
	tools_run(&library, "gcc -print-file-name=libstdc++.so.6 | tr -d '\\n'");
	if (strchr(buf_text(&library), '/'))
		check_file(buf_text(&library), 500);
	buf_done(&library);
}

static const char source[] = "extern int outside(void), __attribute__((weak)) perhaps;\n"
			     "int here; int *const word = &here; int *moved = &perhaps;\n"
			     "static int hidden; int *quiet = &hidden;\n"
			     "int f(void) { return outside() + *word; }\n";

static void test_print(void **state)
{
	char path[TOOLS_PATH];
	struct buf out = { 0 }, text = { 0 };
	struct got_words *words;
	struct elf_file *file;
	unsigned long quiet;
	int fd;

	tools_build(*state, "words.so", "c", "-shared -fPIC -nostdlib", source, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	file = open_file(fd);
	words = got_words_new(file);
	tools_run(&out, "nm '%s' | sed -n 's/ D quiet$//p'", path);
	quiet = strtoul(buf_text(&out), NULL, 16);
	assert_true(quiet > 0);
	assert_null(got_words_find(words, quiet)); /* only moved by the load address */
	assert_non_null(got_words_find(words, quiet - 8));
	got_words_print(words, got_words_find(words, quiet - 8)->symbol, &text);
	assert_string_equal(buf_text(&text), "perhaps");
	got_words_free(words);
	elf_file_free(file);
	close(fd);
	buf_done(&out);
	buf_done(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test_setup_teardown(test_print, tools_set_up, tools_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
