/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a profile says of itself: the facts of the run (table header), and what was lost (loss). */
#ifndef STORE_FACTS_H
#define STORE_FACTS_H

#include <sqlite3.h>

#include "base/err.h"
#include "model/profile.h"

int facts_write(sqlite3 *db, const struct profile *profile);
/* @profile has its events already. Facts we do not know are passed over; -EBADMSG for a fact or a
 * loss that makes no sense, with the reason in @err. @err is left alone when SQLite failed. */
int facts_read(sqlite3 *db, struct profile *profile, struct err *err);

/* The same of the facts of the run alone. */
int facts_read_run(sqlite3 *db, struct profile *profile, struct err *err);

/* The same of a file that is damaged: rows that are wrong are passed over, and counted. */
int facts_read_sound(sqlite3 *db, struct profile *profile, uint64_t *ret_facts,
		     uint64_t *ret_losses);

#endif
