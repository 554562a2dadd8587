/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Line number programs (DWARF 5 section 6.2, and its versions 2 to 4). */
#ifndef DWARF_LINE_PROGRAM_H
#define DWARF_LINE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "dwarf/dwarf_unit.h"

struct line_entry {
	const char *name; /* borrowed from the section */
	uint64_t folder;  /* files: index of the folder */
};

typedef VEC(struct line_entry) line_entry_list;

struct line_program {
	uint16_t version;
	uint8_t instruction_bytes, most_operations;
	bool default_is_statement;
	int8_t line_base;
	uint8_t line_range, opcode_base;
	const uint8_t *opcode_lengths; /* opcode_base - 1 of them */
	line_entry_list folders, files;
	const char *comp_dir; /* borrowed */
	struct reader program;
	uint8_t address_bytes;
};

/* A row of the table. */
struct line_row {
	uint64_t address;
	uint64_t file;	/* index as this version counts files: line_program_path */
	uint32_t line;	/* 0: none */
	bool statement; /* is_stmt: a good place for a breakpoint */
	bool end;	/* first address after a sequence */
};

/* False: stop. */
typedef bool (*line_program_sink)(void *context, const struct line_row *row);

/* Reads the header of a unit's line program. False: none, or damaged. The contents are borrowed
 * until dwarf_file_forget. */
bool line_program_open(const struct dwarf_unit *unit, struct line_program *ret_program);
void line_program_done(struct line_program *program);

/* Passes the rows to the sink, one sequence after the other. */
void line_program_run(struct line_program *program, line_program_sink sink, void *context);

/* Appends the path of a file, preceded by the folders it is relative to; appends nothing if there
 * is no such file. The path is not simplified: "a/../b" stays as the compiler wrote it. */
void line_program_path(const struct line_program *program, uint64_t file, struct buf *path);

#endif
