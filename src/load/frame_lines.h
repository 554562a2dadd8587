/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the keys line, source and inline: looks up each frame of a profile once, and only the frames
 * that a view needs. */
#ifndef LOAD_FRAME_LINES_H
#define LOAD_FRAME_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "aggregate/labels.h"
#include "model/profile.h"
#include "names/lines/line_service.h"

struct frame_lines;

/* Borrows @profile and the texts of @options. Opens no files yet. */
struct frame_lines *frame_lines_new(const struct profile *profile,
				    const struct line_options *options);
void frame_lines_free(struct frame_lines *lines); /* NULL is fine */

/* For labels.places; borrowed. A frame without a line has its image's name in brackets as its text
 * and its symbol as its function. */
const struct label_places *frame_lines_places(const struct frame_lines *lines);
/* All levels at a frame, innermost first, borrowed until the next call of any function here; 0 if
 * lines are unknown. For views that show inlined functions as frames. */
const struct line_place *frame_lines_of(struct frame_lines *lines, uint32_t frame,
					size_t *ret_count);
/* Row @frame of the profile's frames now stands for one level of frame @recorded; 0 is the
 * innermost. Call it for consecutive rows; from the first one on all new rows must be such
 * levels. */
void frame_lines_add_level(struct frame_lines *lines, uint32_t frame, uint32_t recorded,
			   uint32_t level);

/* The new stacks of a profile whose inlined functions became frames. Empty when
 * zero-initialised. */
struct inlines {
	uint32_t *stacks; /* by recorded stack */
	size_t count;
};

/*
 * Rewrites a loaded profile, so that all views, keys and selections treat inlined functions like
 * called ones, without code for it. Call it before any other use of @profile. Adds a frame for each
 * level of inlining, where the outermost is the symbol as before, and stacks of these frames;
 * @lines, of this profile, gets to know them. An inlined function is the symbol of its name in its
 * image if there is exactly one, else a new symbol that starts at 0. Frames without lines stay as
 * they are. The caller frees *ret_inlines with inlines_done.
 */
void inlines_expand(struct profile *profile, struct frame_lines *lines,
		    struct inlines *ret_inlines);
void inlines_done(struct inlines *inlines);

/* The stack that replaces a recorded one; 0 if out of range. */
uint32_t inlines_stack(const struct inlines *inlines, uint32_t recorded);

#endif
