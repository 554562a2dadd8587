/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of table block, compared with their checksums where the file has any, and unpacked. */
#ifndef STORE_BLOCK_ROWS_H
#define STORE_BLOCK_ROWS_H

#include <sqlite3.h>

#include "base/err.h"
#include "store/packed.h"

/* A statement that gives the blocks with ?1 <= id < ?2 in order. @db is not restricted yet. */
int block_rows_prepare(sqlite3 *db, sqlite3_stmt **ret_stmt);
/* Unpacks @fields of the block the statement is at. -EBADMSG and the reason. */
int block_rows_unpack(sqlite3_stmt *stmt, unsigned fields, struct packed_samples *samples,
		      struct err *why);

#endif
