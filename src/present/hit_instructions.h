/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instructions of a routine that were hit, below its row in a list of routines. */
#ifndef PRESENT_HIT_INSTRUCTIONS_H
#define PRESENT_HIT_INSTRUCTIONS_H

#include <stddef.h>
#include <stdio.h>

#include "aggregate/tables/addresses.h"
#include "present/columns.h"
#include "present/view.h"

/* How many there may be, and how wide a name; 0: no limit. */
struct hit_instructions_limits {
	size_t lines, name_width;
};

/* The addresses of @totals, all of one event; nothing where no instructions are wanted. The caller
 * frees with addresses_done. */
struct addresses hit_instructions_collect(const struct view *view, const struct total *totals,
					  size_t count, enum routines_part part);
/* Adds a line for each address of the routine that was hit, in ascending order, to the row that was
 * added last: hits, percent of the routine, place and instruction. When there are more than
 * @limits allows, the heaviest are told and the others are added up. */
void hit_instructions_add(const struct view *view, const struct addresses *addresses,
			  const struct routine *routine,
			  const struct hit_instructions_limits *limits, struct columns *columns);

/* What could not be shown as a whole and why, if anything. */
void hit_instructions_print_note(const struct view *view, FILE *out);

#endif
