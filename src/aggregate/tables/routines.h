/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flat profiles: the routines (functions of an image) that samples hit, and the addresses hit in
 * each. */
#ifndef AGGREGATE_TABLES_ROUTINES_H
#define AGGREGATE_TABLES_ROUTINES_H

#include <stddef.h>
#include <stdint.h>

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

/* @totals: all of one event. */
void routines_make(const struct profile *profile, const struct total *totals, size_t count,
		   enum routines_part part, struct routines *ret_routines);
void routines_done(struct routines *routines);

struct address {
	uint32_t frame; /* in the profile */
	struct split split;
};

struct addresses {
	const struct profile *profile; /* borrowed */
	VEC(struct address) rows;      /* by image and symbol, then by address */
};

/* @totals: all of one event. Counts the same samples as routines_make. */
void routines_addresses(const struct profile *profile, const struct total *totals, size_t count,
			enum routines_part part, struct addresses *ret_addresses);
void routines_addresses_done(struct addresses *addresses);

/* The addresses of a routine in ascending order: *ret_count of them, borrowed. */
const struct address *routines_addresses_of(const struct addresses *addresses,
					    const struct routine *routine, size_t *ret_count);

#endif
