/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The facts of the run (table header), and the losses (table loss). */
#ifndef STORE_FACTS_H
#define STORE_FACTS_H

#include <sqlite3.h>

#include "base/err.h"
#include "model/profile.h"
#include "store/table_rows.h"
#include "store/written.h"

int facts_write(sqlite3 *db, const struct profile *profile);
/* @profile has its events already. Skips facts that this program does not know. -EBADMSG, with the
 * reason in @err, for an invalid fact or loss, or one that is not as it was written. @err is untouched
 * if SQLite failed. */
int facts_read(const struct table_source *source, const struct written *written,
	       struct profile *profile, struct err *err);

/* The same for the facts of the run alone, without a comparison. */
int facts_read_run(const struct table_source *source, struct profile *profile, struct err *err);

/* The same for a damaged file: skips wrong rows and counts them. */
int facts_read_sound(sqlite3 *db, struct profile *profile, uint64_t *ret_facts,
		     uint64_t *ret_losses);

#endif
