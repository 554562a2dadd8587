/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a source line or the name of an inlined function to addresses. Searches all units. */
#ifndef NAMES_LINES_LINE_SEARCH_H
#define NAMES_LINES_LINE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strpool.h"
#include "base/vec.h"
#include "dwarf/line_unit.h"
#include "names/lines/line_file.h"

/* The start of each contiguous range of a line's code that begins with a statement. */
struct line_search {
	VEC(uint64_t) addresses; /* ascending, each once */
	uint32_t next;		 /* if there are none: the first later line of the file that has
				    code; 0: none */
	struct strpool files;	 /* full names of the matching files */
	bool no_debug;		 /* line_file_problem says why */
};

/* @name matches a file if it is its name, or the end of its name after a slash. Free *ret_search
 * with line_search_done. */
void line_search_find(struct line_file *file, const char *name, uint32_t line,
		      struct line_search *ret_search);
void line_search_done(struct line_search *search);

/* Gives every instance of every inlined function; its texts are borrowed for the call. False: there
 * is no debug information. */
bool line_search_inlined(struct line_file *file,
			 void (*give)(void *context, const struct line_unit_inlined *inlined),
			 void *context);

#endif
