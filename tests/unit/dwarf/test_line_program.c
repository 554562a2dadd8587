/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "dwarf/crafted.h"
#include "dwarf/dwarf_file.h"
#include "dwarf/line_program.h"

enum { OPCODE_BASE = 13, LINE_BASE = 0xfb /* -5 */, LINE_RANGE = 14 };

struct made {
	struct crafted crafted;
	struct dwarf_file *file;
	struct line_program program;
	bool opened;
	struct buf told;
	size_t rows;
};

/* A unit whose first entry has a folder and the offset of its line program. */
static void make_unit(struct made *made, uint16_t version)
{
	static const uint8_t abbreviations[] = { 1,
						 TAG_COMPILE_UNIT,
						 0,
						 AT_STMT_LIST,
						 FORM_SEC_OFFSET,
						 AT_COMP_DIR,
						 FORM_STRING,
						 0,
						 0,
						 0 };
	struct buf *info = crafted_section(&made->crafted, ".debug_info");

	buf_add(crafted_section(&made->crafted, ".debug_abbrev"), abbreviations,
		sizeof(abbreviations));
	crafted_number(info, (version == 5 ? 8U : 7U) + 1 + 4 + 5, 4);
	crafted_number(info, version, 2);
	if (version == 5)
		crafted_number(info, UNIT_COMPILE | 8 << 8, 2);
	crafted_number(info, 0, 4);
	if (version < 5)
		crafted_number(info, 8, 1);
	crafted_number(info, 1, 1);
	crafted_number(info, 0, 4);
	crafted_string(info, "/dir");
}

/* The part of a header that all versions have. */
static void add_machine(struct buf *header, int version, uint8_t operations)
{
	static const uint8_t lengths[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };

	crafted_number(header, 1, 1); /* instruction bytes */
	if (version >= 4)
		crafted_number(header, operations, 1);
	crafted_number(header, 1, 1);
	crafted_number(header, LINE_BASE, 1);
	crafted_number(header, LINE_RANGE, 1);
	crafted_number(header, OPCODE_BASE, 1);
	buf_add(header, lengths, sizeof(lengths));
}

static void make_lines(struct made *made, int version, const struct buf *header,
		       const void *program, size_t size)
{
	struct buf *line = crafted_section(&made->crafted, ".debug_line");

	crafted_number(line, 2 + (version == 5 ? 2 : 0) + 4 + header->size + size, 4);
	crafted_number(line, (uint64_t)version, 2);
	if (version == 5)
		crafted_number(line, 8, 2);
	crafted_number(line, header->size, 4);
	buf_add(line, header->bytes, header->size);
	buf_add(line, program, size);
}

static void open_program(struct made *made, uint16_t version)
{
	struct dwarf_unit *unit;

	make_unit(made, version);
	assert_int_equal(dwarf_file_open(crafted_file(&made->crafted), NULL, &made->file, NULL), 0);
	unit = made->file->units.items[0];
	assert_true(dwarf_unit_root(unit));
	made->opened = line_program_open(unit, &made->program);
}

static bool take(void *context, const struct line_row *row)
{
	struct made *made = context;

	made->rows++;
	if (made->told.size < 4096)
		buf_printf(&made->told, "%lx:%lu:%u%s ", (unsigned long)row->address,
			   (unsigned long)row->file, row->line, row->end ? "." : "");
	return made->rows < 100000;
}

static const char *run(struct made *made)
{
	assert_true(made->opened);
	line_program_run(&made->program, take, made);
	return buf_text(&made->told);
}

static void assert_path(const struct made *made, uint64_t file, const char *expected)
{
	struct buf path = { 0 };

	line_program_path(&made->program, file, &path);
	assert_string_equal(buf_text(&path), expected);
	buf_done(&path);
}

static void done(struct made *made)
{
	if (made->opened)
		line_program_done(&made->program);
	dwarf_file_free(made->file);
	crafted_done(&made->crafted);
	buf_done(&made->told);
}

static void make_old(struct made *made, const void *program, size_t size, int version,
		     uint8_t operations)
{
	struct buf header = { 0 };

	add_machine(&header, version, operations);
	crafted_string(&header, "sub");
	crafted_string(&header, "/abs");
	crafted_string(&header, "");
	buf_add(&header, "a.c\0\0\0\0", 7);
	buf_add(&header, "b.h\0\1\0\0", 7);
	buf_add(&header, "c.h\0\2\0\0", 7);
	buf_add(&header, "/d.h\0\1\0\0", 8);
	buf_add(&header, "e.h\0\11\0\0", 7);
	crafted_string(&header, "");
	make_lines(made, version, &header, program, size);
	open_program(made, (uint16_t)version);
	buf_done(&header);
}

static const uint8_t program[] = {
	0,
	9,
	LNE_SET_ADDRESS,
	0,
	0x10,
	0,
	0,
	0,
	0,
	0,
	0, /* 0x1000 */
	LNS_ADVANCE_LINE,
	9,
	LNS_COPY,			      /* line 10 */
	OPCODE_BASE + 1 * LINE_RANGE + 5 + 2, /* 1 byte, 2 lines on */
	LNS_SET_FILE,
	2,
	LNS_ADVANCE_PC,
	4,
	LNS_COPY,
	LNS_CONST_ADD_PC,
	LNS_FIXED_ADVANCE_PC,
	1,
	0,
	LNS_NEGATE_STMT,
	LNS_SET_ISA,
	3,
	LNS_SET_COLUMN,
	5,
	OPCODE_BASE,
	0,
	1,
	LNE_END_SEQUENCE,
	0,
	2,
	0x80,
	1, /* an unknown one is skipped */
	LNS_COPY,
};

static const char rows_of_program[] = "1000:1:10 1001:1:12 1005:2:12 1017:2:7 1017:2:7. 0:1:1 ";

static void rows_are_what_the_program_says(void **state)
{
	for (int version = 2; version <= 4; version++) {
		struct made made = { 0 };

		make_old(&made, program, sizeof(program), version, 1);
		assert_string_equal(run(&made), rows_of_program);
		done(&made);
	}
}

static void several_operations_share_an_instruction(void **state)
{
	static const uint8_t wide[] = { LNS_ADVANCE_PC, 5, LNS_COPY, LNS_ADVANCE_PC, 1, LNS_COPY };
	struct made made = { 0 };

	make_old(&made, wide, sizeof(wide), 4, 3);
	assert_string_equal(run(&made), "1:1:1 2:1:1 ");
	done(&made);
}

static void paths_of_old_tables(void **state)
{
	struct made made = { 0 };

	make_old(&made, program, sizeof(program), 4, 1);
	assert_path(&made, 0, "");
	assert_path(&made, 1, "/dir/a.c");
	assert_path(&made, 2, "/dir/sub/b.h");
	assert_path(&made, 3, "/abs/c.h");
	assert_path(&made, 4, "/d.h");
	assert_path(&made, 5, "/dir/e.h"); /* a folder that is not there */
	assert_path(&made, 6, "");
	assert_path(&made, UINT64_MAX, "");
	done(&made);
}

static void add_new_tables(struct buf *header)
{
	buf_add(header, "\1\1\10\3", 4); /* folders: a path, in place; three of them */
	crafted_string(header, "/dir");
	crafted_string(header, "sub");
	crafted_string(header, "/abs");
	buf_add(header, "\3\1\10\2\13\5\36\4", 8); /* path, folder of one byte, MD5; four */
	for (int i = 0; i < 4; i++) {
		static const char *const names[] = { "a.c", "a.c", "b.h", "c.h" };

		crafted_string(header, names[i]);
		crafted_number(header, i < 2 ? 0 : (uint64_t)i - 1, 1);
		crafted_number(header, 0, 8);
		crafted_number(header, 0, 8);
	}
}

static void version_5_has_tables_of_its_own(void **state)
{
	struct made made = { 0 };
	struct buf header = { 0 };

	add_machine(&header, 5, 1);
	add_new_tables(&header);
	make_lines(&made, 5, &header, program, sizeof(program));
	open_program(&made, 5);
	assert_string_equal(run(&made), rows_of_program);
	assert_path(&made, 0, "/dir/a.c");
	assert_path(&made, 1, "/dir/a.c");
	assert_path(&made, 2, "/dir/sub/b.h");
	assert_path(&made, 3, "/abs/c.h");
	assert_path(&made, 4, "");
	buf_done(&header);
	done(&made);
}

/* Entries of no byte would never end. */
static void entries_without_form_are_none(void **state)
{
	struct made made = { 0 };
	struct buf header = { 0 };

	add_machine(&header, 5, 1);
	buf_add(&header, "\0\377\377\377\377\377\377\377\377\177", 10);
	buf_add(&header, "\1\1\31\377\377\377\377\377\377\377\377\177", 12); /* FORM_FLAG_PRESENT */
	make_lines(&made, 5, &header, program, sizeof(program));
	open_program(&made, 5);
	assert_string_equal(run(&made), rows_of_program);
	assert_int_equal(made.program.files.count, 0);
	buf_done(&header);
	done(&made);
}

/* Every byte of header and program wrong in turn. */
static void damaged_programs_are_harmless(void **state)
{
	struct made whole = { 0 };
	struct buf *line;

	make_old(&whole, program, sizeof(program), 4, 1);
	line = crafted_section(&whole.crafted, ".debug_line");
	for (size_t at = 0; at < line->size; at++) {
		for (unsigned flip = 1; flip < 256; flip <<= 1) {
			struct made made = { 0 };
			struct dwarf_unit *unit;

			line->bytes[at] ^= (char)flip;
			assert_int_equal(dwarf_file_open(crafted_file(&whole.crafted), NULL,
							 &made.file, NULL),
					 0);
			unit = made.file->units.items[0];
			assert_true(dwarf_unit_root(unit));
			made.opened = line_program_open(unit, &made.program);
			if (made.opened)
				run(&made);
			line->bytes[at] ^= (char)flip;
			done(&made);
		}
	}
	done(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_what_the_program_says),
		cmocka_unit_test(several_operations_share_an_instruction),
		cmocka_unit_test(paths_of_old_tables),
		cmocka_unit_test(version_5_has_tables_of_its_own),
		cmocka_unit_test(entries_without_form_are_none),
		cmocka_unit_test(damaged_programs_are_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
