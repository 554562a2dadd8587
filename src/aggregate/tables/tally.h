/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples added up into totals: layer 1 to layer 2, for the part of them that was selected. */
#ifndef AGGREGATE_TABLES_TALLY_H
#define AGGREGATE_TABLES_TALLY_H

#include "base/hashidx.h"
#include "base/vec.h"
#include "model/profile.h"

struct tally {
	VEC(struct total) rows;
	struct hashidx index; /* private */
};

/* Adds to the row alike in task, stack, event, mode and context, made when there is none. */
void tally_add(struct tally *tally, const struct total *total);
/* The same of @count totals, at most TALLY_AT_ONCE, which is faster than one by one. */
enum { TALLY_AT_ONCE = 64 };
void tally_add_all(struct tally *tally, const struct total *const *totals, size_t count);
/* Adds a row of its own, for totals that are known to differ. Not to be mixed with the other. */
void tally_append(struct tally *tally, const struct total *total);
void tally_done(struct tally *tally);

#endif
