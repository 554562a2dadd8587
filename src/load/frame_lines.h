/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keys line, source and inline: what the frames of a profile are at, asked once each, and only
 * of frames that somebody wants to see. */
#ifndef LOAD_FRAME_LINES_H
#define LOAD_FRAME_LINES_H

#include "aggregate/labels.h"
#include "model/profile.h"
#include "names/lines/line_service.h"

struct frame_lines;

/* @profile and the texts of @options are borrowed. Nothing is opened yet. */
struct frame_lines *frame_lines_new(const struct profile *profile,
				    const struct line_options *options);
void frame_lines_free(struct frame_lines *lines); /* NULL is fine */

/* For labels.places; borrowed. A frame whose line is not known has a text in brackets that names
 * its image, and as its function its symbol. */
const struct label_places *frame_lines_places(const struct frame_lines *lines);
/* All levels at a frame, the innermost first, borrowed until the next call of anything here; 0
 * where no lines are known. For views that show inlined functions as frames of their own. */
const struct line_place *frame_lines_of(struct frame_lines *lines, uint32_t frame,
					size_t *ret_count);
/* From now on row @frame of the profile's frames is one level of what is at frame @recorded; 0 is
 * the innermost. Rows are added one behind the other, and none but these. */
void frame_lines_add_level(struct frame_lines *lines, uint32_t frame, uint32_t recorded,
			   uint32_t level);

#endif
