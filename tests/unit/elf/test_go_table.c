/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables as Go's linker writes them, by the assembler: two functions of 16 and 8 instructions. */
#include "elf/go_table.h"

#include <fcntl.h>
#include <string.h>

#include "base/file.h"
#include "names/symtab.h"
#include "tools.h"

#define CODE                                             \
	".text\n.globl _start\n_start: .fill 16, 4, 0\n" \
	"second: .fill 8, 4, 0\nbehind: .fill 4, 4, 0\n" \
	".section .gopclntab, \"aw\"\n.balign 8\ntable:\n"
#define NAMES "names: .byte 0\nn1: .asciz \"main.main\"\nn2: .asciz \"main.(*T).Walk\"\n"
/* numbers of functions and files, and what else precedes the offsets */
#define PARTS(magic, before)                                                             \
	CODE ".long " magic "\n.byte 0, 0, 1, 8\n.quad 2, 0\n" before                    \
	     ".quad names - table, units - table, units - table, units - table, list - " \
	     "table\n" NAMES "units: .balign 8\n"
#define DISTANCES                                       \
	"list: .long 0, d1 - list, 64, d2 - list, 96\n" \
	"d1: .long 0, n1 - names\nd2: .long 64, n2 - names\n"
#define ADDRESSES(from)                                                      \
	"list: .quad _start, d1 - " from ", second, d2 - " from ", behind\n" \
	"d1: .quad _start\n.long n1 - names\nd2: .quad second\n.long n2 - names\n"

static const char go_2[] = CODE ".long 0xfffffffb\n.byte 0, 0, 1, 8\n.quad 2\n"
				"names = table\nlist: .quad _start, d1 - table, second, "
				"d2 - table, behind\n"
				"d1: .quad _start\n.long n1 - table\n"
				"d2: .quad second\n.long n2 - table\n"
				"n1: .asciz \"main.main\"\nn2: .asciz \"main.(*T).Walk\"\n";
static const char go_16[] = PARTS("0xfffffffa", "") ADDRESSES("list");
static const char go_18[] = PARTS("0xfffffff0", ".quad _start\n") DISTANCES;
static const char go_20[] = PARTS("0xfffffff1", ".quad _start\n") DISTANCES;
/* as written by linkers that leave the address to the loader */
static const char go_nowhere[] = PARTS("0xfffffff1", ".quad 0\n") DISTANCES;
static const char go_and_c[] =
	PARTS("0xfffffff1", ".quad _start\n") DISTANCES ".text\n.zero 1100\n";
static const char go_unknown[] = PARTS("0xffffff00", ".quad _start\n") DISTANCES;

/* Assembles, links and strips; the program is folder/program. */
static bool make(const char *folder, const char *code, const char *how)
{
	struct buf out = { 0 };
	char path[TOOLS_PATH];
	FILE *file;
	int rc;

	snprintf(path, sizeof(path), "%s/code.s", folder);
	file = fopen(path, "we");
	assert_non_null(file);
	fputs(code, file);
	fclose(file);
	rc = tools_run(&out, "cc -nostdlib -s %s -o '%s/program' '%s' 2>&1", how, folder, path);
	if (rc)
		print_message("%s", buf_text(&out));
	buf_done(&out);
	return rc == 0;
}

static void check_name(const struct symtab *symtab, uint64_t address, const char *wanted)
{
	struct symtab_hit hit;
	struct buf name = { 0 };

	symtab_lookup(symtab, NULL, address, &name, &hit);
	assert_string_equal(buf_text(&name), wanted);
	buf_done(&name);
}

/* Both functions from the first to the last byte, nothing after them; or no names at all. */
static void check_program(const char *folder, bool has_names, bool is_all)
{
	_cleanup_(elf_file_freep) struct elf_file *file = NULL;
	struct symtab *symtab;
	char path[TOOLS_PATH];
	uint64_t start;
	int fd;

	snprintf(path, sizeof(path), "%s/program", folder);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(elf_file_open(fd, &file, NULL), 0);
	assert_int_equal(symtab_new(file, NULL, &symtab, NULL), 0);
	assert_int_equal(symtab_is_complete(symtab), is_all);
	start = elf_file_find(file, ".text")->address;
	check_name(symtab, start, has_names ? "main.main" : "[unknown]");
	check_name(symtab, start + 63, has_names ? "main.main" : "[unknown]");
	check_name(symtab, start + 64, has_names ? "main.(*T).Walk" : "[unknown]");
	check_name(symtab, start + 95, has_names ? "main.(*T).Walk" : "[unknown]");
	check_name(symtab, start + 96, has_names ? "main.(*T).Walk->" : "[unknown]");
	symtab_free(symtab);
	close(fd);
}

static void stripped_programs_have_names(void **state)
{
	static const char *const layouts[] = { go_2, go_16, go_18, go_20, go_nowhere };

	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		if (!make(*state, layouts[i], "-no-pie"))
			skip();
		check_program(*state, true, true);
	}
}

/* C code that was linked to a Go program has no names there. */
static void c_code_of_stripped_programs_has_none(void **state)
{
	if (!make(*state, go_and_c, "-no-pie"))
		skip();
	check_program(*state, true, false);
}

/* In a position-independent executable a relocation gives the address of the text. */
static void programs_without_a_place_have_names(void **state)
{
	if (!make(*state, go_20, "-pie"))
		skip();
	check_program(*state, true, true);
}

/* The linker of C programs puts the table among other data of position-independent programs with C
 * code. Here the data are looked through only if it is a Go program. */
static void tables_among_other_data_are_found(void **state)
{
	static const struct {
		const char *section;
		bool found;
	} cases[] = {
		{ ".section .go.buildinfo, \"aw\"\n.quad 0\n", true },
		{ ".section .go.other, \"aw\"\n.quad 0\n", false },
	};
	static const char before[] = ".section .data.rel.ro, \"aw\"\n.balign 32\n.zero 96\n"
				     ".quad 0x0801ff00fffffff1\n.balign 32\n";
	static const char own[] = ".section .gopclntab, \"aw\"\n.balign 8\n";
	const char *at = strstr(go_20, own);
	char code[4096];

	assert_non_null(at);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(code, sizeof(code), "%s%.*s%s%s", cases[i].section, (int)(at - go_20),
			 go_20, before, at + sizeof(own) - 1);
		if (!make(*state, code, "-pie"))
			skip();
		check_program(*state, cases[i].found, cases[i].found);
	}
}

static void unknown_layouts_have_none(void **state)
{
	if (!make(*state, go_unknown, "-no-pie"))
		skip();
	check_program(*state, false, false);
}

/* Whatever a word of the table says, nothing is read that is not there (the sanitizers watch). */
static void tables_that_lie_are_refused_or_fit(void **state)
{
	static const uint32_t lies[] = { 0, 1, 0x7fffffff, 0xfffffff8, 0xffffffff };
	static const char *const layouts[] = { go_2, go_16, go_20 };
	char path[TOOLS_PATH];

	snprintf(path, sizeof(path), "%s/program", (char *)*state);
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		_cleanup_(elf_file_freep) struct elf_file *whole = NULL;
		const struct elf_section *table;
		struct buf bytes = { 0 };

		if (!make(*state, layouts[i], "-no-pie"))
			skip();
		assert_int_equal(file_read(path, 1 << 20, &bytes), 0);
		assert_int_equal(elf_file_open_memory(bytes.bytes, bytes.size, &whole, NULL), 0);
		assert_int_equal(elf_file_read_sections(whole, NULL), 0);
		table = elf_file_find(whole, ".gopclntab");
		for (uint64_t at = 0; at + 4 <= table->size; at += 4) {
			for (size_t lie = 0; lie < sizeof(lies) / sizeof(lies[0]); lie++) {
				struct symbol_index symbols = { 0 };
				bool all;
				char *word = bytes.bytes + table->offset + at, saved[4];

				memcpy(saved, word, 4);
				memcpy(word, &lies[lie], 4);
				(void)go_table_read(whole, &symbols, &all);
				memcpy(word, saved, 4);
				symbol_index_done(&symbols);
			}
		}
		buf_done(&bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stripped_programs_have_names),
		cmocka_unit_test(c_code_of_stripped_programs_has_none),
		cmocka_unit_test(programs_without_a_place_have_names),
		cmocka_unit_test(tables_among_other_data_are_found),
		cmocka_unit_test(unknown_layouts_have_none),
		cmocka_unit_test(tables_that_lie_are_refused_or_fit),
	};

	return cmocka_run_group_tests(tests, tools_set_up, tools_tear_down);
}
