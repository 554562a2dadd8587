/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instructions of a function that were hit, below the function's row. */
#ifndef PRESENT_HIT_INSTRUCTIONS_H
#define PRESENT_HIT_INSTRUCTIONS_H

#include <stddef.h>
#include <stdio.h>

#include "aggregate/tables/routines.h"
#include "present/columns.h"
#include "present/view.h"

/* The maximum number of lines and width of names; 0: no limit. */
struct hit_instructions_limits {
	size_t lines, name_width;
};

/* Collects the addresses of @totals, all of one event; nothing if the view wants no instructions.
 * The caller frees with routines_addresses_done. */
struct addresses hit_instructions_collect(const struct view *view, const struct total *totals,
					  size_t count, enum routines_part part);
/* Adds to the last row a line for each address of the function that was hit, in ascending order:
 * hits, percent of the function, place and instruction. If there are more than @limits allows,
 * shows the heaviest and adds up the others. */
void hit_instructions_add(const struct view *view, const struct addresses *addresses,
			  const struct routine *routine,
			  const struct hit_instructions_limits *limits, struct columns *columns);

/* Prints which code could not be shown completely, and why; nothing if all could. */
void hit_instructions_print_note(const struct view *view, FILE *out);

#endif
