/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --details: below each row of a table what it is made of, by one key more: its addresses. */
#ifndef AGGREGATE_TABLES_DETAILS_H
#define AGGREGATE_TABLES_DETAILS_H

#include "aggregate/tables/table.h"
#include "base/cleanup.h"

struct details {
	const struct table *fine; /* borrowed */
	struct table *whole;	  /* by all keys but the last; owned */
	/* Private: rows of @fine, those of a row of @whole together, numbers ascending. */
	size_t *order;
	size_t *first; /* by row of @whole as it was made; one more than there are rows */
};

/* @fine: a table that is not inclusive, its last key a number, not finished. The caller frees. */
struct details *details_new(const struct table *fine);
void details_free(struct details *details); /* NULL is fine */
DEFINE_CLEANUP(struct details *, details_free);

/* The parts of a row of details->whole: rows of details->fine. */
size_t details_count(const struct details *details, const struct table_row *whole);
const struct table_row *details_part(const struct details *details, const struct table_row *whole,
				     size_t part);

#endif
