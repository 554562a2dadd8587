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
	uint64_t folder;  /* files: index into the folders */
};

struct line_program {
	uint16_t version;
	uint8_t instruction_bytes, most_operations;
	bool default_is_statement;
	int8_t line_base;
	uint8_t line_range, opcode_base;
	const uint8_t *opcode_lengths; /* opcode_base - 1 of them */
	VEC(struct line_entry) folders;
	VEC(struct line_entry) files;
	const char *comp_dir; /* borrowed */
	struct reader program;
	uint8_t address_bytes;
};

/* A row of the table. */
struct line_row {
	uint64_t address;
	uint64_t file;	/* index into the files as the version counts: line_program_path */
	uint32_t line;	/* 0: none */
	bool statement; /* a good place to stop at: is_stmt */
	bool end;	/* the first address behind a sequence */
};

/* False: no more. */
typedef bool (*line_program_sink)(void *context, const struct line_row *row);

/* Reads the header of the program a unit refers to. False: it has none, or it is damaged. What it
 * holds is borrowed until dwarf_file_forget. */
bool line_program_open(const struct dwarf_unit *unit, struct line_program *ret_program);
void line_program_done(struct line_program *program);

/* Gives the rows to the sink, a sequence after the other. */
void line_program_run(struct line_program *program, line_program_sink sink, void *context);

/* Appends the path of a file, with the folders it is relative to in front; nothing when there is no
 * such file. It is not made simpler: what the compiler called "a/../b" stays that. */
void line_program_path(const struct line_program *program, uint64_t file, struct buf *path);

#endif
