/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A look-up in rows made by hand, and descriptions no linker would make. */
#include "unwind/row_table.h"

#include <errno.h>
#include <fcntl.h>

#include "tools.h"

/* Two pages; a function from 0x1010 that goes on in the second one, nothing from 0x2020. */
static void test_find(void **state)
{
	static const struct unwind_rule rules[] = { { .cfa = UNWIND_CFA_NONE },
						    { .cfa = UNWIND_CFA_SP, .cfa_offset = 8 },
						    { .cfa = UNWIND_CFA_FP, .cfa_offset = 16 } };
	static const uint32_t rows[] = { UNWIND_ROW(0, 0), UNWIND_ROW(0x10, 1),
					 UNWIND_ROW(0xfff, 2), UNWIND_ROW(0, 2),
					 UNWIND_ROW(0x20, 0) };
	static const uint32_t pages[] = { 0, 3, 5 };
	const struct unwind_table table = { .base = 0x1000,
					    .page_count = 2,
					    .row_count = 5,
					    .rule_count = 3,
					    .pages = pages,
					    .rows = rows,
					    .rules = rules };

	(void)state;
	assert_null(row_table_find(&table, 0xfff));
	assert_null(row_table_find(&table, 0x1000));
	assert_null(row_table_find(&table, 0x100f));
	assert_ptr_equal(row_table_find(&table, 0x1010), &rules[1]);
	assert_ptr_equal(row_table_find(&table, 0x1ffe), &rules[1]);
	assert_ptr_equal(row_table_find(&table, 0x1fff), &rules[2]);
	assert_ptr_equal(row_table_find(&table, 0x2000), &rules[2]);
	assert_ptr_equal(row_table_find(&table, 0x201f), &rules[2]);
	assert_null(row_table_find(&table, 0x2020));
	assert_null(row_table_find(&table, 0x3000));
	assert_null(row_table_find(&table, UINT64_MAX));
}

/* A CIE, and DESCRIBE NAME, START, SIZE, CFA-OFFSET; text is at 0x400000. */
#define FRAMES                                                                                \
	".macro DESCRIBE start, size, offset\n"                                               \
	".long 5f - 4f\n4: .long 4b - cie\n.long text + \\start - .\n.long \\size\n.byte 0\n" \
	".byte 0x0e, \\offset\n.balign 4\n5:\n.endm\n"                                        \
	".text\n.globl _start\n_start: text: .skip 0x3000, 0x90\n"                            \
	".section .eh_frame,\"a\",@progbits\n"                                                \
	"cie: .long 2f - 1f\n1: .long 0\n.byte 1\n.asciz \"zR\"\n.byte 1, 0x78, 16, 1\n"      \
	".byte 0x1b, 0x0c, 7, 8, 0x90, 1\n.balign 4\n2:\n"

static struct row_table *compile(const char *folder, const char *flags, const char *source,
				 uint64_t *ret_text)
{
	struct elf_file *file;
	struct row_table *table;
	char path[TOOLS_PATH];
	int fd;

	tools_build(folder, "frames", "assembler", flags, source, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(elf_file_open(fd, &file, NULL), 0);
	assert_int_equal(elf_file_read_sections(file, NULL), 0);
	assert_int_equal(row_table_compile(file, NULL, &table, NULL), 0);
	*ret_text = elf_file_find(file, ".text")->address;
	elf_file_free(file);
	close(fd);
	return table;
}

/* -1: no rule. */
static int offset_at(const struct row_table *table, uint64_t address)
{
	const struct unwind_rule *rule = row_table_find(row_table_rows(table), address);

	return rule ? rule->cfa_offset : -1;
}

static void test_out_of_order(void **state)
{
	static const char source[] = FRAMES "DESCRIBE 0x200, 0x10, 40\nDESCRIBE 0, 0x10, 24\n"
					    "DESCRIBE 0x100, 0, 32\nDESCRIBE 0x80, 0x10, 48\n";
	uint64_t text;
	struct row_table *table = compile(*state, "-nostdlib -static", source, &text);

	assert_int_equal(offset_at(table, text), 24);
	assert_int_equal(offset_at(table, text + 0x0f), 24);
	assert_int_equal(offset_at(table, text + 0x10), -1);
	assert_int_equal(offset_at(table, text + 0x80), 48);
	assert_int_equal(offset_at(table, text + 0x100), -1);
	assert_int_equal(offset_at(table, text + 0x200), 40);
	assert_int_equal(offset_at(table, text + 0x210), -1);
	assert_int_equal(row_table_unreadable(table), 0);
	row_table_free(table);
}

/* The one that begins last, of equals the one that was written last. */
static void test_overlapping(void **state)
{
	static const char source[] =
		FRAMES "DESCRIBE 0, 0x100, 24\nDESCRIBE 0x40, 0x10, 32\n"
		       "DESCRIBE 0x1000, 0x30, 40\nDESCRIBE 0x1000, 0x20, 48\n";
	uint64_t text;
	struct row_table *table = compile(*state, "-nostdlib -static", source, &text);

	assert_int_equal(offset_at(table, text + 0x3f), 24);
	assert_int_equal(offset_at(table, text + 0x40), 32);
	assert_int_equal(offset_at(table, text + 0x4f), 32);
	assert_int_equal(offset_at(table, text + 0x50), -1);
	assert_int_equal(offset_at(table, text + 0x1000), 48);
	assert_int_equal(offset_at(table, text + 0x101f), 48);
	assert_int_equal(offset_at(table, text + 0x1020), -1);
	row_table_free(table);
}

/* Rows of a description that begin after the start of the next description are dropped. */
static void test_rows_beyond_the_next(void **state)
{
	static const char source[] = FRAMES
		".long 5f - 4f\n4: .long 4b - cie\n.long text - .\n.long 0x100\n.byte 0\n"
		".byte 0x4f, 0x0e, 16, 0x02, 0x40, 0x0e, 32, 0x02, 0x40, 0x0e, 64\n.balign 4\n5:\n"
		"DESCRIBE 0x30, 0x30, 24\n";
	uint64_t text;
	struct row_table *table = compile(*state, "-nostdlib -static", source, &text);

	assert_int_equal(offset_at(table, text + 0xe), 8);
	assert_int_equal(offset_at(table, text + 0xf), 16);
	assert_int_equal(offset_at(table, text + 0x2f), 16);
	assert_int_equal(offset_at(table, text + 0x30), 24);
	assert_int_equal(offset_at(table, text + 0x5f), 24);
	assert_int_equal(offset_at(table, text + 0x60), -1);
	row_table_free(table);
}

/* Up to the next multiple of 16 and no more; never where code may be. */
static void test_padding(void **state)
{
	static const char source[] = FRAMES
		"DESCRIBE 0, 0x101, 24\nDESCRIBE 0x110, 0x1, 32\n"
		"DESCRIBE 0x118, 0x8, 40\nDESCRIBE 0x130, 0x10, 40\nDESCRIBE 0x148, 0x8, 40\n";
	uint64_t text;
	struct row_table *table = compile(*state, "-nostdlib -static", source, &text);

	assert_int_equal(text % 16, 0);
	assert_int_equal(offset_at(table, text + 0x10f), 24);
	assert_int_equal(offset_at(table, text + 0x111), -1);
	assert_int_equal(offset_at(table, text + 0x117), -1);
	assert_int_equal(offset_at(table, text + 0x120), -1);
	assert_int_equal(offset_at(table, text + 0x12f), -1);
	assert_int_equal(offset_at(table, text + 0x140), -1);
	row_table_free(table);
}

/* Of functions that were dropped, and in a section of code that is not there. */
static void test_elsewhere(void **state)
{
	static const char source[] = FRAMES "DESCRIBE 0, 0x10, 24\nDESCRIBE -0x200000, 0x10, 32\n"
					    "DESCRIBE 0x70000000, 0x10, 32\n"
					    "DESCRIBE 0x2ff0, 0x7fffffff, 40\n";
	uint64_t text;
	struct row_table *table = compile(*state, "-nostdlib -static", source, &text);

	assert_int_equal(offset_at(table, text), 24);
	assert_int_equal(offset_at(table, text - 0x200000), -1);
	assert_int_equal(offset_at(table, text + 0x2ff0), -1);
	assert_true(row_table_rows(table)->page_count < 8);
	assert_int_equal(row_table_unreadable(table), 3);
	row_table_free(table);
}

/* Each address encoding that programs have; the text is below 2 GiB. */
static void test_encodings(void **state)
{
	static const struct {
		const char *encoding, *start, *size;
	} forms[] = {
		{ "0x00", ".quad text", ".quad 0x10" },
		{ "0x03", ".long text", ".long 0x10" },
		{ "0x04", ".quad text", ".quad 0x10" },
		{ "0x0b", ".long text", ".long 0x10" },
		{ "0x1b", ".long text - .", ".long 0x10" },
		{ "0x1c", ".quad text - .", ".quad 0x10" },
		{ "0x50", ".balign 8\n.quad text", ".quad 0x10" },
	};
	char source[1024];
	uint64_t text;

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct row_table *table;

		snprintf(source, sizeof(source),
			 ".text\n.globl _start\n_start: text: .skip 0x100, 0x90\n"
			 ".section .eh_frame,\"a\",@progbits\n.balign 8\n"
			 "cie: .long 2f - 1f\n1: .long 0\n.byte 1\n.asciz \"zPLR\"\n"
			 ".byte 1, 0x78, 16, 7, 0x9b, 0, 0, 0, 0, 0x1b, %s\n"
			 ".byte 0x0c, 7, 8, 0x90, 1\n.balign 4\n2:\n"
			 ".long 5f - 4f\n4: .long 4b - cie\n%s\n%s\n.byte 0\n"
			 ".byte 0x0e, 72\n.balign 4\n5:\n",
			 forms[i].encoding, forms[i].start, forms[i].size);
		table = compile(*state, "-nostdlib -static -no-pie", source, &text);
		assert_int_equal(offset_at(table, text), 72);
		assert_int_equal(offset_at(table, text + 0xf), 72);
		assert_int_equal(offset_at(table, text + 0x10), -1);
		row_table_free(table);
	}
}

static void test_signal_frame(void **state)
{
	struct buf out = { 0 };
	struct elf_file *file;
	struct row_table *table;
	const struct unwind_rule *rule = NULL;
	const struct unwind_table *rows;
	int fd;

	(void)state;
	tools_run(&out, "printf %%s $(gcc -print-file-name=libc.so.6)");
	fd = open(buf_text(&out), O_RDONLY | O_CLOEXEC);
	assert_int_equal(elf_file_open(fd, &file, NULL), 0);
	assert_int_equal(elf_file_read_sections(file, NULL), 0);
	assert_int_equal(row_table_compile(file, NULL, &table, NULL), 0);
	rows = row_table_rows(table);
	for (uint32_t i = 0; i < rows->rule_count && !rule; i++) {
		if (rows->rules[i].flags & UNWIND_RULE_SIGNAL)
			rule = &rows->rules[i];
	}
	/* struct rt_sigframe of x86-64 after the return address: rbp, rsp and rip of sigcontext */
	assert_non_null(rule);
	assert_int_equal(rule->cfa, UNWIND_CFA_SP_DEREF);
	assert_int_equal(rule->cfa_offset, 160);
	assert_int_equal(rule->ra, UNWIND_SAVED_SP);
	assert_int_equal(rule->ra_offset, 168);
	assert_int_equal(rule->fp, UNWIND_SAVED_SP);
	assert_int_equal(rule->fp_offset, 120);
	row_table_free(table);
	elf_file_free(file);
	close(fd);
	buf_done(&out);
}

/* Go's table: two functions, the first of 30 bytes and what fills up to 48, which writes the stack
 * pointer; whether it is the outermost one, too, is for the flags. As of Go 1.18, 37 bytes stand
 * before them; from 1.20 on, 41. */
#define GO_HEADER(magic)                                                                     \
	".section .gopclntab,\"a\"\n.balign 8\ntable: .long " magic "\n.byte 0, 0, 1, 8\n"   \
	".quad 2, 0, text, names - table, list - table, list - table, list - table, list - " \
	"table\n"
#define GO_TABLE(magic, before, flags)                                                  \
	GO_HEADER(magic)                                                                \
	"names: .asciz \"f\"\n.balign 8\nlist: .long 0, d1 - list, 48, d2 - list, 80\n" \
	"d1: .long 0, 0\n.fill " before " - 8, 1, 0\n.byte " flags "\n.balign 4\n"      \
	"d2: .long 48, 0\n.fill " before " - 8, 1, 0\n.byte 4\n"

static void test_go_switches(void **state)
{
	static const struct {
		const char *table;
		bool switches;
	} rows[] = {
		{ GO_TABLE("0xfffffff0", "37", "2"), true },
		{ GO_TABLE("0xfffffff1", "41", "6"), true },
		{ GO_TABLE("0xfffffff1", "41", "3"), false },
		{ GO_TABLE("0xfffffff1", "41", "4"), false },
		{ "", false },
	};
	uint64_t text;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char source[4096];
		struct row_table *table;
		const struct unwind_rule *rule;

		snprintf(source, sizeof(source),
			 FRAMES "DESCRIBE 0, 30, 72\nDESCRIBE 48, 32, 24\n%s", rows[i].table);
		table = compile(*state, "-nostdlib -static -no-pie", source, &text);
		for (unsigned at = 0; at < 30; at += 29) {
			rule = row_table_find(row_table_rows(table), text + at);
			assert_non_null(rule);
			assert_int_equal(rule->cfa == UNWIND_CFA_SWITCHED, rows[i].switches);
			assert_int_equal(rule->cfa_offset, rows[i].switches ? 0 : 72);
		}
		assert_int_equal(offset_at(table, text + 30), -1);
		assert_int_equal(offset_at(table, text + 48), 24);
		assert_int_equal(offset_at(table, text + 79), 24);
		assert_int_equal(offset_at(table, text + 80), -1);
		rule = row_table_find(row_table_rows(table), text + 79);
		assert_int_equal(rule->fp,
				 *rows[i].table ? UNWIND_SAVED_MAYBE_LINK : UNWIND_SAVED_SAME);
		row_table_free(table);
	}
}

/* What Go's signal handlers have called: known by name, among the functions with a FuncID. */
static void test_go_injected(void **state)
{
	static const struct {
		const char *name, *func_id;
		uint8_t flags;
	} rows[] = {
		{ "runtime.asyncPreempt", "1", UNWIND_RULE_INJECTED },
		{ "runtime.sigpanic", "18", UNWIND_RULE_INJECTED },
		{ "runtime.sigpanic", "0", 0 },
		{ "runtime.sigpanic0", "18", 0 },
		{ "runtime.sig", "18", 0 },
	};
	uint64_t text;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char source[4096];
		struct row_table *table;

		snprintf(source, sizeof(source),
			 FRAMES "DESCRIBE 0, 48, 72\nDESCRIBE 48, 32, 24\n" GO_HEADER(
				 "0xfffffff1") "names: .asciz \"f\"\nname: .asciz \"%s\"\n.balign "
					       "8\n"
					       "list: .long 0, d1 - list, 48, d2 - list, 80\n"
					       "d1: .long 0, name - names\n.fill 32, 1, 0\n"
					       ".byte %s, 0\n.balign 4\n"
					       "d2: .long 48, 0\n.fill 40, 1, 0\n",
			 rows[i].name, rows[i].func_id);
		table = compile(*state, "-nostdlib -static -no-pie", source, &text);
		for (unsigned at = 0; at < 80; at += 16) {
			const struct unwind_rule *rule =
				row_table_find(row_table_rows(table), text + at);

			assert_non_null(rule);
			assert_int_equal(rule->flags, at < 48 ? rows[i].flags : 0);
			assert_int_equal(rule->fp, UNWIND_SAVED_MAYBE_LINK);
			assert_int_equal(rule->cfa_offset, at < 48 ? 72 : 24);
		}
		row_table_free(table);
	}
}

/* A stripped program has only them. */
static void test_only_go_switches(void **state)
{
	struct row_table *table;
	const struct unwind_rule *rule;
	uint64_t text;

	table = compile(*state, "-nostdlib -static -no-pie -Wl,--build-id=none",
			".text\n.globl _start\n_start: text: .skip 0x100, 0x90\n" GO_TABLE(
				"0xfffffff1", "41", "2"),
			&text);
	rule = row_table_find(row_table_rows(table), text);
	assert_non_null(rule);
	assert_int_equal(rule->cfa, UNWIND_CFA_SWITCHED);
	rule = row_table_find(row_table_rows(table), text + 48); /* of its instructions */
	assert_non_null(rule);
	assert_int_equal(rule->cfa, UNWIND_CFA_SP);
	row_table_free(table);
}

static void count_pause(void *context)
{
	(*(size_t *)context)++;
}

/* 8,192 descriptions take some milliseconds; a ring is filled in less, where stacks are copied. */
static void test_pauses(void **state)
{
	size_t pauses = 0;
	const struct pause pause = { count_pause, &pauses };
	struct elf_file *file;
	struct row_table *table;
	char path[TOOLS_PATH];
	int fd;

	tools_build(*state, "many", "assembler", "-nostdlib -static -no-pie",
		    ".text\n.globl _start\n_start:\n.rept 8192\n.cfi_startproc\nnop\n"
		    ".cfi_endproc\n.endr\n",
		    path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(elf_file_open(fd, &file, NULL), 0);
	assert_int_equal(elf_file_read_sections(file, NULL), 0);
	assert_int_equal(row_table_compile(file, &pause, &table, NULL), 0);
	/* each is read, then compiled: in both one for every 1,024 */
	assert_true(pauses >= 2 * 8192 / 1024);
	row_table_free(table);
	elf_file_free(file);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_out_of_order),
		cmocka_unit_test(test_overlapping),
		cmocka_unit_test(test_rows_beyond_the_next),
		cmocka_unit_test(test_padding),
		cmocka_unit_test(test_elsewhere),
		cmocka_unit_test(test_encodings),
		cmocka_unit_test(test_signal_frame),
		cmocka_unit_test(test_go_switches),
		cmocka_unit_test(test_go_injected),
		cmocka_unit_test(test_only_go_switches),
		cmocka_unit_test(test_pauses),
	};

	return cmocka_run_group_tests(tests, tools_set_up, tools_tear_down);
}
