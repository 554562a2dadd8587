/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which words of a growing array are in use: first fit, neighbours that are free join. Only numbers
 * are given out; the array itself is the caller's. Everything begins at, and takes, a multiple of
 * WORD_SPACE_UNIT.
 */
#ifndef SAMPLING_WORD_SPACE_H
#define SAMPLING_WORD_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

enum { WORD_SPACE_UNIT = 8 };

struct word_extent {
	uint32_t start, words;
};

/* Zero-initialised but for the limits. */
struct word_space {
	uint32_t limit;		       /* words there may be at most */
	uint32_t segment;	       /* words of a segment, a power of two */
	uint32_t end;		       /* words there are: a multiple of `segment` */
	VEC(struct word_extent) holes; /* by start, never touching */
};

/* Finds room for @words, @whole: within one segment (then they must fit into one). Grows the space
 * by whole segments when there is none. false: it would exceed the limit. */
bool word_space_take(struct word_space *space, uint32_t words, bool whole,
		     struct word_extent *ret_extent);
/* Gives back what was taken. An extent without words is ignored. */
void word_space_give(struct word_space *space, struct word_extent extent);
/* Words in no use. */
uint32_t word_space_free_words(const struct word_space *space);
void word_space_done(struct word_space *space);

#endif
