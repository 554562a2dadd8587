/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inlined functions as frames of their own. A profile has recorded places in files. Here a loaded
 * profile is rewritten, so that all views, keys and selections treat inlined functions like called
 * ones, without code for it.
 */
#ifndef LOAD_INLINES_H
#define LOAD_INLINES_H

#include <stddef.h>
#include <stdint.h>

#include "load/frame_lines.h"
#include "model/profile.h"

/* The new stacks. Empty when zero-initialised. */
struct inlines {
	uint32_t *stacks; /* by recorded stack */
	size_t count;
};

/*
 * Call it before any other use of @profile. Adds a frame for each level of inlining, where the
 * outermost is the symbol as before, and stacks of these frames; @lines, of this profile, gets to
 * know them. An inlined function is the symbol of its name in its image if there is exactly one,
 * else a new symbol that starts at 0. Frames without lines stay as they are. The caller frees
 * *ret_inlines with inlines_done.
 */
void inlines_expand(struct profile *profile, struct frame_lines *lines,
		    struct inlines *ret_inlines);
void inlines_done(struct inlines *inlines);

/* The stack that replaces a recorded one; 0 if out of range. */
uint32_t inlines_stack(const struct inlines *inlines, uint32_t recorded);

#endif
