/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines that a jitdump tells of code, on their way into the profile: those of the places that were
 * sampled, each once. Private to jit.c, but for how many there may be. */
#ifndef PLACE_JIT_JIT_LINE_KEEPER_H
#define PLACE_JIT_JIT_LINE_KEEPER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile.h"
#include "place/jit/jit.h"
#include "place/jit/jit_source.h"

enum {
	JIT_LINE_KEEPER_MOST = 1 << 18, /* lines of a profile */
};

/* The lines of the last piece, for the next frame is often in it. Zeroes: none was asked for. */
struct jit_line_keeper {
	struct jit_line_counts counts;
	const struct jit_source *source; /* NULL: none */
	uint32_t begun;			 /* of the source */
	enum jit_lines_origin origin;	 /* as it was known then */
	uint64_t lines_at, size;	 /* of the piece */
	bool understood;		 /* the list and its texts are what was told; else empty */
	jit_line_list list;
	char *texts;
};

void jit_line_keeper_done(struct jit_line_keeper *keeper);

/* Where a line is asked for. */
struct jit_lined {
	const struct jit_source *source;
	const struct code_piece *piece;
	uint32_t image;
	uint64_t place;	 /* of the first byte of the piece, as frame.offset */
	uint64_t offset; /* the same, of the instruction */
	bool whole;	 /* all lines of the piece */
};

/* Adds what is told to profile.lines. False: see jit_keep_lines. */
bool jit_line_keeper_keep(struct jit_line_keeper *keeper, struct profile *profile,
			  const struct jit_lined *lined);

#endif
