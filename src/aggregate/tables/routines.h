/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flat profiles: the routines (functions of an image) that samples hit. */
#ifndef AGGREGATE_TABLES_ROUTINES_H
#define AGGREGATE_TABLES_ROUTINES_H

#include <stdbool.h>
#include <stddef.h>

#include "aggregate/split.h"
#include "base/vec.h"
#include "model/profile.h"

struct routine {
	uint32_t symbol; /* in the profile; 0: no name */
	uint32_t image;
	struct split split;
};

struct routines {
	VEC(struct routine) rows; /* the heaviest first */
	struct split sum;
};

/* Which samples count. */
enum routines_part {
	ROUTINES_ALL,
	ROUTINES_USER,
	ROUTINES_KERNEL,
};

bool routines_has(enum routines_part part, const struct total *total);

/* @totals: all of one event. */
void routines_make(const struct profile *profile, const struct total *totals, size_t count,
		   enum routines_part part, struct routines *ret_routines);
void routines_done(struct routines *routines);

#endif
