/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A copy of an open profile, with what was added to the profile in memory: new and changed rows of
 * the dictionaries, and the facts of the run. The rest is copied page by page. The copy is built in
 * memory, so no half-written file can remain, and no other file is touched.
 */
#ifndef STORE_AMEND_H
#define STORE_AMEND_H

#include <stdio.h>

#include "base/err.h"
#include "store/connection.h"
#include "store/row_writer.h"
#include "store/wordlist.h"

/* Largest file that can be copied: SQLite allocates no more at once. */
#define AMEND_MOST_BYTES (2040ULL << 20)

/* @rows: the rows @profile had when it was loaded from @connection. -EFBIG: the file is too large.
 * -ENOTSUP: the file is of a version whose rows cannot be added to. Both give the reason in @why.
 * @why is untouched if SQLite or writing failed. */
int amend_write(const struct connection *connection, const struct wordlist_map *words,
		const struct row_writer *rows, struct profile *profile, FILE *out, struct err *why);

#endif
