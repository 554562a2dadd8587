/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The few colours of text on a terminal. They repeat what the text says: nothing is lost without. */
#ifndef PRESENT_TINT_H
#define PRESENT_TINT_H

#include <stdbool.h>

#include "base/buf.h"

enum tint {
	TINT_NONE,
	TINT_TITLE, /* bold */
	TINT_FAINT, /* what matters less */
	TINT_WARM,
	TINT_HOT,
	TINT_HOTTEST, /* also what is wrong */
	TINT_BETTER,
	TINT_COUNT,
};

/* How hot a share, in percent, of a whole is. */
enum tint tint_of_share(double percent);

/* Appends @text, which is safe, in a colour if @colour. */
void tint_add(struct buf *buf, bool colour, enum tint tint, const char *text);
/* The sequences before and after a coloured text; "" without colour. */
const char *tint_begin(bool colour, enum tint tint);
const char *tint_end(bool colour, enum tint tint);

#endif
