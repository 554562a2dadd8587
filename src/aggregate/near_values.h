/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values of a key that are close to one that no sample has, for "did you mean". */
#ifndef AGGREGATE_NEAR_VALUES_H
#define AGGREGATE_NEAR_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { NEAR_VALUES = 3 }; /* most that are named */

struct near_value {
	char *text;	/* owned */
	uint64_t score; /* the nearest first */
};

/* Empty when zero-initialised. */
struct near_values {
	struct near_value best[NEAR_VALUES];
	size_t count;
	char *first[NEAR_VALUES]; /* values in their order, near or not; owned */
	size_t first_count;
	bool more; /* there are more values than these */
};

/* Considers that @text is meant where @wanted, which may be a glob, was written. It is near if it
 * begins with or has @wanted, or the other way round, or differs in few letters, also from what
 * @text begins with. Upper and lower case are alike. Empty texts count for nothing. */
void near_values_add(struct near_values *near, const char *wanted, const char *text);
/* Considers a number that differs by @distance. */
void near_values_add_number(struct near_values *near, uint64_t distance, const char *text);
/* True if near_values_add_number would keep the number. */
bool near_values_wants(const struct near_values *near, uint64_t distance);
/* Appends the end of a message: ": did you mean 'a' or 'b'?"; ": the only value is 'c'" if none is
 * near and there are few; nothing otherwise. Commas are written as --select takes them. */
void near_values_text(const struct near_values *near, struct buf *text);
void near_values_done(struct near_values *near);

#endif
