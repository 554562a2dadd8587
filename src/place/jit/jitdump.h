/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of a jit-PID.dump, in which a program announces its JIT code, with the code itself
 * and the time (linux:tools/perf/Documentation/jitdump-specification.txt). Only parsing, of bytes
 * that may be truncated or hostile; both byte orders.
 */
#ifndef PLACE_JIT_JITDUMP_H
#define PLACE_JIT_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

enum {
	JITDUMP_HEADER_BYTES = 40, /* minimum that contains the header's size */
	JITDUMP_PREFIX_BYTES = 16, /* of a record: minimum that contains its size */
	/* How much of a record jitdump_record needs, if it is that long: all but the code. */
	JITDUMP_HEAD_BYTES = 8192,
	JITDUMP_MAX_RECORD = 256 << 20, /* bytes */
	JITDUMP_MAX_HEADER = 4096,
};

struct jitdump_header {
	uint32_t size;	      /* bytes: where the first record begins */
	bool swapped;	      /* the other byte order */
	bool processor_clock; /* times are ticks of the processor's counter, else CLOCK_MONOTONIC */
	uint32_t machine;     /* e_machine of ELF */
	uint32_t pid;	      /* as the program sees it */
};

/* Returns 0; -EBADMSG: not a jitdump of a known version; -ENODATA: @size is less than the
 * header. */
int jitdump_header(const void *bytes, size_t size, struct jitdump_header *ret_header,
		   struct err *err);

enum jitdump_kind {
	JITDUMP_LOAD,  /* code was made */
	JITDUMP_MOVE,  /* code was moved: no name, no bytes */
	JITDUMP_LINES, /* the lines of the code that comes next */
	JITDUMP_CLOSE, /* nothing follows */
	JITDUMP_OTHER, /* ignored: unwind tables, unknown kinds, invalid records */
};

struct jitdump_record {
	enum jitdump_kind kind;
	uint32_t size; /* bytes, of the whole record */
	uint64_t time; /* in the unit of the header */
	uint64_t start, code_size;
	uint64_t old_start; /* MOVE */
	uint64_t index;	    /* LOAD, MOVE: the program's number for this piece */
	const char *name;   /* LOAD; borrowed from the bytes */
	size_t name_length;
	uint32_t code_at;    /* LOAD: offset of the code in the record; 0: not there */
	uint64_t line_count; /* LINES: see jitdump_line */
	const void *lines;   /* LINES: borrowed */
	size_t lines_size;   /* bytes */
};

/* Parses the record at the start of @bytes. The file has @left bytes from there; @size of them (at
 * least JITDUMP_HEAD_BYTES, if there are that many) are in @bytes. -ENODATA: it is not complete
 * yet. -EBADMSG: not a record, and no later one can be found. */
int jitdump_record(const struct jitdump_header *header, const void *bytes, size_t size,
		   uint64_t left, struct jitdump_record *ret_record);

/* One line of a JITDUMP_LINES record. */
struct jitdump_line {
	uint64_t address;
	uint32_t line;
	const char *file; /* borrowed from the bytes */
};

/* Calls @take for each complete line. Returns the number of bytes after them, or -EBADMSG: the
 * record ends before its last line. */
ssize_t jitdump_lines(const struct jitdump_header *header, const struct jitdump_record *record,
		      void (*take)(void *context, const struct jitdump_line *line), void *context);

#endif
