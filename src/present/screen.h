/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The screen that a text is printed for. All zero is a file or a pipe: there nothing is shortened, and
 * nothing is coloured. */
#ifndef PRESENT_SCREEN_H
#define PRESENT_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

struct screen {
	size_t lines, columns; /* 0: no screen */
	bool colour;
	bool utf8; /* shows block characters */
	bool wide; /* names are wanted whole, however long the lines become */
};

/* The most columns of a line; 0: there is no limit. */
static inline size_t screen_width(const struct screen *screen)
{
	return screen->wide ? 0 : screen->columns;
}

#endif
