/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places group the frames of a profile for a view of stacks: frames that are equal in some keys,
 * e.g. the function, are one place. Places are small numbers from 0 on. */
#ifndef AGGREGATE_TREES_PLACES_H
#define AGGREGATE_TREES_PLACES_H

#include <stdbool.h>

#include "aggregate/keys.h"
#include "base/cleanup.h"
#include "base/vec.h"

struct place {
	uint32_t frame; /* its first frame */
	bool one_image; /* all of its frames are in the same */
};

struct places {
	const struct labels *labels; /* borrowed */
	struct key_list keys;
	VEC(struct place) rows;
	uint32_t *of_frame; /* by frame of the profile */
};

/* Every key must have of_frame. */
struct places *places_new(const struct labels *labels, const struct key_list *keys);
void places_free(struct places *places); /* NULL is fine */
DEFINE_CLEANUP(struct places *, places_free);

/* Appends the texts of the keys, separated by ", ", for a reader who sees the image. */
void places_text(const struct places *places, uint32_t place, struct buf *buf);
/* The image of the place's frames; 0 if they are in several. */
uint32_t places_image(const struct places *places, uint32_t place);

/* Which places have a text that matches @pattern, character by character or as a glob (see
 * aggregate/select.h): one bool for each, which the caller frees. NULL: none matches. */
bool *places_match(const struct places *places, const char *pattern);

#endif
