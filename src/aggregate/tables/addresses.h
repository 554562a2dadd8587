/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The addresses of a routine that samples hit. */
#ifndef AGGREGATE_TABLES_ADDRESSES_H
#define AGGREGATE_TABLES_ADDRESSES_H

#include <stddef.h>
#include <stdint.h>

#include "aggregate/split.h"
#include "aggregate/tables/routines.h"
#include "base/vec.h"
#include "model/profile.h"

struct address {
	uint32_t frame; /* in the profile */
	struct split split;
};

struct addresses {
	const struct profile *profile; /* borrowed */
	VEC(struct address) rows;      /* by image and symbol, then by address */
};

/* @totals: all of one event. Counts the same samples as routines_make. */
void addresses_make(const struct profile *profile, const struct total *totals, size_t count,
		    enum routines_part part, struct addresses *ret_addresses);
void addresses_done(struct addresses *addresses);

/* The addresses of a routine in ascending order: *ret_count of them, borrowed. */
const struct address *addresses_of(const struct addresses *addresses, const struct routine *routine,
				   size_t *ret_count);

#endif
