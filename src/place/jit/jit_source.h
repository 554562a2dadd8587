/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One file in which a process announces its JIT code, read as it grows into a map of that code. A
 * perf map's lines have no time and get the time of the file's last write. A jitdump's records have
 * one.
 */
#ifndef PLACE_JIT_JIT_SOURCE_H
#define PLACE_JIT_JIT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "place/jit/code_map.h"
#include "place/jit/jit_file.h"
#include "place/jit/jit_lines.h"
#include "place/jit/jitdump.h"

/* The processor's time counter (TSC, CNTVCT) and CLOCK_MONOTONIC at one moment, to convert the
 * timestamps of programs that use the counter. */
struct jit_clock {
	uint64_t ticks, ns;
};

struct jit_source {
	struct jit_file file;
	struct code_map *map; /* owned; NULL: nothing was announced */
	uint64_t origin;      /* see code_map_new */
	bool apart;
	bool broken;		      /* the rest cannot be parsed */
	uint64_t looked_ns;	      /* last look at the file; CLOCK_MONOTONIC */
	struct jitdump_header header; /* of a jitdump; size 0: not read yet */
	int64_t shift_ns;	      /* of its writer's clock: clock_shift_of */
	/* of a jitdump: the lines for the next piece */
	uint64_t lines_at, lines_start; /* file offset, 0: none; address of the piece */
	struct jit_lines_evidence lines_evidence;
	uint64_t changes; /* number of additions */
	uint32_t begun;	  /* how often a jitdump was read from its start, since it may be
			     rewritten */
};

/* Both clocks now. */
struct jit_clock jit_source_clock(void);

/* Initializes a source without a file. @origin, @apart: as for code_map_new. */
void jit_source_init(struct jit_source *source, uint64_t origin, bool apart);
void jit_source_done(struct jit_source *source);

/* Reads what was added since the last call; does nothing without a file. @now_ns: CLOCK_MONOTONIC.
 * @whole: nothing will follow. @clock: of an earlier moment. */
void jit_source_follow_map(struct jit_source *source, uint64_t now_ns, bool whole);
void jit_source_follow_dump(struct jit_source *source, const struct jit_clock *clock,
			    uint64_t now_ns);

/* Appends the code of a piece from the file. False: the file does not have all of it. */
bool jit_source_code(const struct jit_source *source, const struct code_piece *piece,
		     struct buf *code);

/* Appends the lines of a piece. Their texts are in *ret_bytes (NULL before, then the caller's);
 * *ret_size bytes were read. False: the file has none, or their meaning is not known: ask again
 * when lines_evidence has grown. */
bool jit_source_lines(const struct jit_source *source, const struct code_piece *piece,
		      char **ret_bytes, size_t *ret_size, jit_line_list *list);

#endif
