/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of table block: checked against their checksums if the file has any, then unpacked. */
#ifndef STORE_BLOCK_ROWS_H
#define STORE_BLOCK_ROWS_H

#include <sqlite3.h>

#include "base/err.h"
#include "store/packed.h"

/* Prepares a statement that gives the blocks with ?1 <= id < ?2 in order of id. @db must not be
 * restricted yet (query_access.h). */
int block_rows_prepare(sqlite3 *db, sqlite3_stmt **ret_stmt);
/* Unpacks @fields of the current block of @stmt. Returns 0, or -EBADMSG with the reason in @why. */
int block_rows_unpack(sqlite3_stmt *stmt, unsigned fields, struct packed_samples *samples,
		      struct err *why);

#endif
