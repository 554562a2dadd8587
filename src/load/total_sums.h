/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Totals of several profiles, in the numbers of a merged one, added up. Zero-initialised is empty. */
#ifndef LOAD_TOTAL_SUMS_H
#define LOAD_TOTAL_SUMS_H

#include "base/hashidx.h"
#include "store/store.h"

struct total_sums {
	struct totals totals;
	struct hashidx index;
};

void total_sums_add(struct total_sums *sums, const struct total *total);
/* The sums, by stack, task, event, mode and context; the caller frees the rows. @sums is empty then. */
struct totals total_sums_take(struct total_sums *sums);
void total_sums_done(struct total_sums *sums);

#endif
