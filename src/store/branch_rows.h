/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The branches of a profile, into its table. */
#ifndef STORE_BRANCH_ROWS_H
#define STORE_BRANCH_ROWS_H

#include <sqlite3.h>

#include "base/err.h"
#include "model/profile.h"

/* Writes all of them at the end of a run, in place of what is there; before that nothing. Returns 0
 * or a negative errno. */
int branch_rows_write(sqlite3 *db, const struct profile *profile);

/* Gives each of them to the callback, the event and frames in range of the profile. Returns 0 or a
 * negative errno, -EBADMSG with a sentence where a row is wrong. */
int branch_rows_each(sqlite3 *db, const struct profile *profile,
		     void (*visit)(void *context, const struct branch *branch), void *context,
		     struct err *why);

/* Adds those of a damaged file to @profile, which has its events and frames; rows that are wrong
 * are passed over, and counted. */
int branch_rows_read_sound(sqlite3 *db, struct profile *profile, uint64_t *ret_wrong);

#endif
