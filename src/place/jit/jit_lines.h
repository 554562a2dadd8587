/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines of JIT code, from a JITDUMP_LINES record.
 *
 * Writers disagree on where the record's addresses count from. Most write them unchanged. V8 adds
 * the size of an ELF header (v8:src/diagnostics/perf-jit.cc), because perf puts the code after one
 * and took the lines for offsets in that file. The file does not say which. But lines closer to the
 * piece's start than that size prove the first kind, and lines beyond its end prove the second. If
 * neither occurs, several pieces whose lines start at exactly that size also indicate the second.
 */
#ifndef PLACE_JIT_JIT_LINES_H
#define PLACE_JIT_JIT_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strpool.h"
#include "base/vec.h"
#include "place/jit/jitdump.h"

enum {
	JIT_LINES_MAX_RECORD = 1 << 20, /* bytes; larger records are not read */
	JIT_LINES_MAX_FILE = 4096,	/* bytes of a file's name, as in PATH_MAX */
};

enum jit_lines_origin {
	JIT_LINES_UNKNOWN,     /* no evidence yet, or contradictory evidence */
	JIT_LINES_FROM_CODE,   /* as the specification has it */
	JIT_LINES_FROM_HEADER, /* V8 */
};

/* The number of records of a file that indicate each origin. A writer uses only one: if both are
 * proved, something is wrong, and this file gets no lines, since no line is better than a wrong
 * one. */
struct jit_lines_evidence {
	uint32_t from_code, from_header; /* proofs */
	uint32_t as_header;		 /* lines begin at the size of a header: no proof */
};

/* Adds the evidence of a record whose code has @code_size bytes. */
void jit_lines_weigh(const struct jitdump_header *header, const struct jitdump_record *record,
		     uint64_t code_size, struct jit_lines_evidence *evidence);
/* True if there are enough proofs. Further records are not weighed, not even for a
 * contradiction. */
bool jit_lines_settled(const struct jit_lines_evidence *evidence);
enum jit_lines_origin jit_lines_origin(const struct jit_lines_evidence *evidence);

/* The code from @start on (an offset in the piece) belongs to this line. */
struct jit_line {
	uint32_t start, size; /* bytes */
	uint32_t line;
	const char *file; /* borrowed from the record */
};

typedef VEC(struct jit_line) jit_line_list;

/* Appends the lines of a record, ascending; merges neighbours of the same line. False: the record
 * is not as that writer makes them, or the writer is unknown; nothing was appended. */
bool jit_lines_read(const struct jitdump_header *header, const struct jitdump_record *record,
		    uint64_t code_size, enum jit_lines_origin origin, jit_line_list *list);

/*
 * Repairs @lines, the record's own in writable memory. V8 in Node 20 takes some file names from
 * freed memory: the allocator has overwritten the first bytes of such a name, but its length is
 * right. Each line can still be found, because all addresses lie within the code. If the rest of a
 * name equals the end of the path in @name, the piece's name as V8 makes it, the name is that path;
 * else its line gets the number 0. False: the lines cannot be repaired.
 */
bool jit_lines_repair(const struct jitdump_header *header, const struct jitdump_record *record,
		      const char *name, uint64_t code_size, char *lines);

/* The line of an offset; NULL: none. */
const struct jit_line *jit_lines_find(const jit_line_list *list, uint64_t offset);

/* Interns the name of a line's file. JavaScript modules have a URL (RFC 8089): of "file:///..."
 * only the path, with percent-encoding (RFC 3986, section 2.1) decoded, except invalid codes and
 * zero bytes. */
str_id jit_lines_file(struct strpool *strings, const char *file);

#endif
