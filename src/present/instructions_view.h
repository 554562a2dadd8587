/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who tells which instruction was hit; nothing here knows where the code comes from. */
#ifndef PRESENT_INSTRUCTIONS_VIEW_H
#define PRESENT_INSTRUCTIONS_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct instructions_view {
	/* Appends the instruction at a frame of the profile. False: what is appended is in
	 * parentheses and says why there is none. */
	bool (*text)(void *context, uint32_t frame, struct buf *text);
	/* One sentence on what cannot be shown as a whole and what would mend it; NULL: nothing of
	 * what was asked for so far. */
	const char *(*note)(void *context);
	void *context;
};

#endif
