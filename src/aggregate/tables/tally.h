/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds samples up into totals: layer 1 to layer 2, for the selected ones. */
#ifndef AGGREGATE_TABLES_TALLY_H
#define AGGREGATE_TABLES_TALLY_H

#include "base/hashidx.h"
#include "base/vec.h"
#include "model/profile.h"

struct tally {
	VEC(struct total) rows;
	struct hashidx index; /* private */
};

enum { TALLY_AT_ONCE = 64 };
/* Adds @count totals, at most TALLY_AT_ONCE, each to the row with the same task, stack, event, mode
 * and context, creating it if needed. Many at once are faster than one by one. */
void tally_add_all(struct tally *tally, const struct total *const *totals, size_t count);
/* Adds a separate row, for totals that are known to differ. Do not mix with the calls above. */
void tally_append(struct tally *tally, const struct total *total);
void tally_done(struct tally *tally);

#endif
