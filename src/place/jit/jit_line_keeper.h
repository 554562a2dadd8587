/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds lines of a jitdump to the profile: those of sampled places, each once. Private to jit.c,
 * except for the limit. */
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

/* Caches the lines of the last piece, since the next frame is often in it. Zero-initialised is
 * empty. */
struct jit_line_keeper {
	struct jit_line_counts counts;
	const struct jit_source *source; /* NULL: none */
	uint32_t begun;			 /* of the source */
	enum jit_lines_origin origin;	 /* as known then */
	uint64_t lines_at, size;	 /* of the piece */
	bool understood;		 /* list and texts are valid; else they are empty */
	jit_line_list list;
	char *texts;
};

void jit_line_keeper_done(struct jit_line_keeper *keeper);

/* A request for lines. */
struct jit_lined {
	const struct jit_source *source;
	const struct code_piece *piece;
	uint32_t image;
	uint64_t place;	 /* of the piece's first byte, as frame.offset */
	uint64_t offset; /* the same, of the instruction */
	bool whole;	 /* all lines of the piece */
};

/* Adds the lines to profile.lines. False: see jit_keep_lines. */
bool jit_line_keeper_keep(struct jit_line_keeper *keeper, struct profile *profile,
			  const struct jit_lined *lined);

#endif
