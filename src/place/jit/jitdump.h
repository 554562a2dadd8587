/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of a jit-PID.dump, in which a program tells of the code it made, with the code itself
 * and the time (linux:tools/perf/Documentation/jitdump-specification.txt). Only parsing, of bytes
 * that may be cut off or hostile; both byte orders.
 */
#ifndef PLACE_JIT_JITDUMP_H
#define PLACE_JIT_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

enum {
	JITDUMP_HEADER_BYTES = 40, /* the least that tells the header's own size */
	JITDUMP_PREFIX_BYTES = 16, /* of a record: the least that tells its size */
	/* What jitdump_record wants to see of a record, if it has so much: all but the code. */
	JITDUMP_HEAD_BYTES = 8192,
	JITDUMP_MAX_RECORD = 256 << 20, /* bytes */
	JITDUMP_MAX_HEADER = 4096,
};

struct jitdump_header {
	uint32_t size;	      /* bytes: where the first record begins */
	bool swapped;	      /* the other byte order */
	bool processor_clock; /* times are ticks of the processor's counter, not CLOCK_MONOTONIC */
	uint32_t machine;     /* e_machine of ELF */
	uint32_t pid;	      /* as the program sees itself */
};

/* Returns 0, or -EBADMSG: no jitdump of a version that is known. @size may be less than the header:
 * -ENODATA. */
int jitdump_header(const void *bytes, size_t size, struct jitdump_header *ret_header,
		   struct err *err);

enum jitdump_kind {
	JITDUMP_LOAD,  /* code was made */
	JITDUMP_MOVE,  /* code was moved: no name, no bytes */
	JITDUMP_LINES, /* the lines of the code that comes next */
	JITDUMP_CLOSE, /* nothing follows */
	JITDUMP_OTHER, /* nothing to go by: unwinding tables, kinds we do not know, broken ones */
};

struct jitdump_record {
	enum jitdump_kind kind;
	uint32_t size; /* bytes, of the whole record */
	uint64_t time; /* in the unit of the header */
	uint64_t start, code_size;
	uint64_t old_start; /* MOVE */
	uint64_t index;	    /* LOAD, MOVE: what the program calls this piece */
	const char *name;   /* LOAD; borrowed from the bytes */
	size_t name_length;
	uint32_t code_at;    /* LOAD: where in the record the code is; 0: it is not there */
	uint64_t line_count; /* LINES: see jitdump_line */
	const void *lines;   /* LINES: borrowed */
	size_t lines_size;   /* bytes */
};

/* The record that @bytes begin with; @left bytes are there in the file, @size of them (at least
 * JITDUMP_HEAD_BYTES, if there are so many) here. -ENODATA: it is not complete yet. -EBADMSG: no
 * record, and none can be found behind it. */
int jitdump_record(const struct jitdump_header *header, const void *bytes, size_t size,
		   uint64_t left, struct jitdump_record *ret_record);

/* One line of a JITDUMP_LINES record. */
struct jitdump_line {
	uint64_t address;
	uint32_t line;
	const char *file; /* borrowed from the bytes */
};

/* Calls @take for each line that is there in whole. Returns how many bytes are left behind them, or
 * -EBADMSG: the record ends before its last line. */
ssize_t jitdump_lines(const struct jitdump_header *header, const struct jitdump_record *record,
		      void (*take)(void *context, const struct jitdump_line *line), void *context);

#endif
