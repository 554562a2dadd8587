/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --details: below each row of a table its parts by one more key: the addresses. */
#ifndef AGGREGATE_TABLES_DETAILS_H
#define AGGREGATE_TABLES_DETAILS_H

#include "aggregate/tables/table.h"
#include "base/cleanup.h"

struct details {
	const struct table *fine; /* borrowed */
	struct table *whole;	  /* by all keys but the last; owned */
	/* Private: rows of @fine, grouped by row of @whole, numbers ascending. */
	size_t *order;
	size_t *first; /* by number of a row of @whole, and one more */
};

/* @fine: a table that is not inclusive and not finished, whose last key is a number; borrowed. The
 * caller frees the result with details_free. */
struct details *details_new(const struct table *fine);
void details_free(struct details *details); /* NULL is fine */
DEFINE_CLEANUP(struct details *, details_free);

/* The parts of a row of details->whole: rows of details->fine. */
size_t details_count(const struct details *details, const struct table_row *whole);
const struct table_row *details_part(const struct details *details, const struct table_row *whole,
				     size_t part);

#endif
