/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The screen that a text is printed for. All zero is a file or a pipe: there nothing is coloured, and
 * only names of lines that no screen would show are shortened. */
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

enum { SCREEN_FILE_COLUMNS = 200 }; /* of a line in a file or a pipe, if it has a name to shorten */

/* The most columns of a line; 0: there is no limit. */
static inline size_t screen_width(const struct screen *screen)
{
	return screen->wide ? 0 : screen->columns;
}

/* The same for a line whose names may be shortened, also in a file or a pipe. */
static inline size_t screen_names_width(const struct screen *screen)
{
	return screen->wide || screen->columns ? screen_width(screen) : SCREEN_FILE_COLUMNS;
}

#endif
