/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of branches: written from a profile, and read back. */
#ifndef STORE_BRANCH_ROWS_H
#define STORE_BRANCH_ROWS_H

#include <sqlite3.h>

#include "base/err.h"
#include "model/profile.h"

/* Writes all branches at the end of a run, over rows with the same key; before that it writes
 * nothing. Returns 0 or a negative errno. */
int branch_rows_write(sqlite3 *db, const struct profile *profile);

/* Calls @visit with each branch; its event and frames are in range of @profile. Returns 0 or a
 * negative errno; -EBADMSG, with the reason in @why, if a row is wrong. */
int branch_rows_each(sqlite3 *db, const struct profile *profile,
		     void (*visit)(void *context, const struct branch *branch), void *context,
		     struct err *why);

/* Adds the branches of a damaged file to @profile, which has its events and frames. Skips wrong
 * rows and counts them. */
int branch_rows_read_sound(sqlite3 *db, struct profile *profile, uint64_t *ret_wrong);

#endif
