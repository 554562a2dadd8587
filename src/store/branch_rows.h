/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The branches of a profile, into its table. */
#ifndef STORE_BRANCH_ROWS_H
#define STORE_BRANCH_ROWS_H

#include <sqlite3.h>

#include "model/profile.h"

/* Writes all of them at the end of a run, in place of what is there; before that nothing. Returns 0
 * or a negative errno. */
int branch_rows_write(sqlite3 *db, const struct profile *profile);

#endif
