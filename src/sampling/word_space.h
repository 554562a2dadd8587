/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocates words of a growing array: first fit; adjacent free extents merge. It manages numbers
 * only; the caller owns the array. Every extent starts at, and its size is, a multiple of
 * WORD_SPACE_UNIT.
 */
#ifndef SAMPLING_WORD_SPACE_H
#define SAMPLING_WORD_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum { WORD_SPACE_UNIT = 8 };

struct word_extent {
	uint32_t start, words;
};

/* Zero-initialised except for the limits. */
struct word_space {
	uint32_t limit;		       /* most words */
	uint32_t segment;	       /* words of a segment, a power of two */
	uint32_t end;		       /* current words: a multiple of `segment` */
	VEC(struct word_extent) holes; /* by start, never adjacent */
};

/* Allocates @words; @whole: within one segment (they must fit into one). Grows the space by whole
 * segments if needed. False if that would exceed the limit. */
bool word_space_take(struct word_space *space, uint32_t words, bool whole,
		     struct word_extent *ret_extent);
/* Frees an extent. Ignores one without words. */
void word_space_give(struct word_space *space, struct word_extent extent);
/* The number of free words. */
uint32_t word_space_free_words(const struct word_space *space);
void word_space_done(struct word_space *space);

#endif
