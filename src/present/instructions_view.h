/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Provides the instructions that were hit, so nothing here depends on the source of code. */
#ifndef PRESENT_INSTRUCTIONS_VIEW_H
#define PRESENT_INSTRUCTIONS_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct instructions_view {
	/* Appends the instruction at a frame of the profile. False: there is none, and the appended
	 * text says why, in parentheses. */
	bool (*text)(void *context, uint32_t frame, struct buf *text);
	/* One sentence on what could not be shown completely so far, and how to fix that; NULL:
	 * nothing. */
	const char *(*note)(void *context);
	void *context;
};

#endif
