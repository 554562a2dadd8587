/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table `hit`: what `total` has, added up by innermost frame. A profile has far fewer of these
 * than stacks, so that questions about functions, images, threads and processes need not read all
 * of those. It is made of `total` when that is complete.
 */
#ifndef STORE_HITS_H
#define STORE_HITS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* Fills the table anew; older files have none, and get none. */
int hits_write(sqlite3 *db);

/* Is the table there, and has it as many samples? 0 or a negative errno of reading. */
int hits_check(sqlite3 *db, uint64_t samples, bool *ret_usable);

/* For a file where it is not: the TEMP view `hit`, which adds up at each use. */
int hits_create_view(sqlite3 *db);

#endif
