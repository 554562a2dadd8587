/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inlined functions as frames of their own. Profiles hold what was recorded: places in files. Here
 * one that was loaded is rewritten, so that every view, key and selection has inlined functions as
 * it has those that were called, and none of them knows how.
 */
#ifndef LOAD_INLINES_H
#define LOAD_INLINES_H

#include <stddef.h>
#include <stdint.h>

#include "load/frame_lines.h"
#include "model/profile.h"

/* Where the stacks of the file went. Zero-initialised is empty. */
struct inlines {
	uint32_t *stacks; /* by stack as recorded */
	size_t count;
};

/*
 * Gives @profile, which must not be looked at otherwise yet, a frame for each level of inlining,
 * the outermost being the symbol as before, and stacks made of these; @lines, of this profile,
 * knows them from now on. An inlined function is the symbol of its name in its image where there is
 * exactly one, else a new one that starts at 0. Frames without lines stay as they are. The caller
 * frees *ret_inlines with inlines_done.
 */
void inlines_expand(struct profile *profile, struct frame_lines *lines,
		    struct inlines *ret_inlines);
void inlines_done(struct inlines *inlines);

/* The stack that stands for one as recorded; 0 for what is out of range. */
uint32_t inlines_stack(const struct inlines *inlines, uint32_t recorded);

#endif
