/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A copy of an open profile with what was added to it in memory: new and changed rows of the
 * dictionaries, and the facts of the run. All else is copied page by page. The copy is made in
 * memory, where nothing of it can be left half-written, and no other file is touched.
 */
#ifndef STORE_AMEND_H
#define STORE_AMEND_H

#include <stdio.h>

#include "base/err.h"
#include "store/connection.h"
#include "store/row_writer.h"
#include "store/wordlist.h"

/* Of the whole file: SQLite allocates no more at once. */
#define AMEND_MOST_BYTES (2040ULL << 20)

/* @rows: what @profile had when it was loaded from @connection. -EFBIG: the file is too large;
 * -ENOTSUP: it is from a version whose rows cannot be added to; with the reason in @why. @why is
 * left alone when SQLite or writing failed. */
int amend_write(const struct connection *connection, const struct wordlist_map *words,
		const struct row_writer *rows, struct profile *profile, FILE *out, struct err *why);

#endif
