/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines of code that was made at run time, out of a JITDUMP_LINES record.
 *
 * Writers do not agree on where the addresses in it count from. Most tell them as they are. V8 adds
 * the size of an ELF header (v8:src/diagnostics/perf-jit.cc), because perf puts the code behind one
 * and took the lines for offsets in that file. Nothing in the file says which. But lines nearer to
 * the piece's begin than that size prove the first kind, lines beyond its end the second; and where
 * neither is seen, piece after piece whose lines begin at just that size are of the second too.
 */
#ifndef PLACE_JIT_JIT_LINES_H
#define PLACE_JIT_JIT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "place/jit/jitdump.h"

enum {
	JIT_LINES_MAX_RECORD = 1 << 20, /* bytes of a record that is looked at */
	JIT_LINES_MAX_FILE = 4096,	/* bytes of a file's name, as PATH_MAX has it */
};

enum jit_lines_origin {
	JIT_LINES_UNKNOWN,     /* nothing told them apart yet, or it is contradictory */
	JIT_LINES_FROM_CODE,   /* as the specification has it */
	JIT_LINES_FROM_HEADER, /* V8 */
};

/* How many records of a file spoke for each. A writer has one way: where both are proved something
 * is wrong, and stays so for this file, for no line is better than a wrong one. */
struct jit_lines_evidence {
	uint32_t from_code, from_header; /* proofs */
	uint32_t as_header;		 /* their lines begin at the size of a header */
};

/* Adds what a record tells of its writer, whose code has that many bytes. */
void jit_lines_weigh(const struct jitdump_header *header, const struct jitdump_record *record,
		     uint64_t code_size, struct jit_lines_evidence *evidence);
/* There are so many proofs that no more are looked for, and what would contradict them neither. */
bool jit_lines_settled(const struct jit_lines_evidence *evidence);
enum jit_lines_origin jit_lines_origin(const struct jit_lines_evidence *evidence);

/* The code from @start on, an offset in the piece, is of that line. */
struct jit_line {
	uint32_t start, size; /* bytes */
	uint32_t line;
	const char *file; /* borrowed from the record */
};

typedef VEC(struct jit_line) jit_line_list;

/* Appends the lines of a record, ascending; neighbours of one line are one. False: the record is
 * not as that writer makes them, or the writer is unknown; nothing was appended. */
bool jit_lines_read(const struct jitdump_header *header, const struct jitdump_record *record,
		    uint64_t code_size, enum jit_lines_origin origin, jit_line_list *list);
/* May that follow the last line? Records are padded with zeroes to eight bytes, if at all
 * (v8:src/diagnostics/perf-jit.cc, linux:tools/perf/jvmti/jvmti_agent.c). */
bool jit_lines_is_padding(const void *bytes, size_t size);
/* The size of an ELF header of the machine the code is for. */
uint64_t jit_lines_header_size(const struct jitdump_header *header);

/* The line that has an offset; NULL: none. */
const struct jit_line *jit_lines_find(const jit_line_list *list, uint64_t offset);

#endif
