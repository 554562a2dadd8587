/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One file in which a process announces code it made, read as it grows into a map of that code: a
 * perf map, whose lines have no time and get the time the file was written last, or a jitdump,
 * whose records have one.
 */
#ifndef PLACE_JIT_JIT_SOURCE_H
#define PLACE_JIT_JIT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "place/jit/code_map.h"
#include "place/jit/jit_lines.h"
#include "place/jit/jitdump.h"
#include "place/jit/processor_clock.h"
#include "place/jit/told_file.h"

struct jit_source {
	struct told_file file;
	struct code_map *map; /* owned; NULL: nothing was announced */
	uint64_t origin;      /* see code_map_new */
	bool apart;
	bool broken;		      /* what follows cannot be understood */
	uint64_t looked_ns;	      /* when the file was looked at last; CLOCK_MONOTONIC */
	struct jitdump_header header; /* of a jitdump; size 0: not read yet */
	/* of a jitdump: the lines that were told for the piece that comes next */
	uint64_t lines_at, lines_start; /* where in the file, 0: none; the piece's address */
	struct jit_lines_evidence lines_evidence;
	uint64_t changes; /* how often something was added */
	uint32_t begun;	  /* how often a jitdump was read from its begin: it may be written anew */
};

/* No file yet. Both as for code_map_new. */
void jit_source_init(struct jit_source *source, uint64_t origin, bool apart);
void jit_source_done(struct jit_source *source);

/* Reads what was added since the last time. @now_ns: CLOCK_MONOTONIC. @whole: nothing will follow.
 * Nothing happens without a file. */
void jit_source_follow_map(struct jit_source *source, uint64_t now_ns, bool whole);
void jit_source_follow_dump(struct jit_source *source, const struct processor_clock *clock,
			    uint64_t now_ns);

/* Appends the code of a piece that the file has. False: it has not, or not so much. */
bool jit_source_code(const struct jit_source *source, const struct code_piece *piece,
		     struct buf *code);

/* Appends the lines of a piece; their texts live in *ret_bytes, which are the caller's, and NULL
 * before; *ret_size of them were read. False: the file has none, or what they mean is not known:
 * ask again when there is more of lines_evidence. */
bool jit_source_lines(const struct jit_source *source, const struct code_piece *piece,
		      char **ret_bytes, size_t *ret_size, jit_line_list *list);

#endif
