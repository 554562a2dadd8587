/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dictionary rows out of a file that may be damaged or hostile. */
#ifndef STORE_ROW_READER_H
#define STORE_ROW_READER_H

#include <sqlite3.h>

#include "base/err.h"
#include "model/profile.h"
#include "store/columns.h"
#include "store/wordlist.h"

/* Reads all tables into @profile, which is new. -EBADMSG, with the table and row in @err, for ids
 * with gaps, wrong types, words we do not know, references out of range, stack nodes not behind
 * their parent or too deep, processes that are their own ancestor, too many rows, and rows that
 * their checksums do not fit. @err is left alone when SQLite itself failed. */
int row_reader_run(sqlite3 *db, const struct wordlist_map *map, struct profile *profile,
		   struct err *err);

/* What is done with the rows of a file that is damaged. */
struct row_scan {
	/* After each row: was it read, as row @id of the profile? Else that row, if there is one,
	 * is not to be used. Those in between were made, and are empty. */
	void (*met)(void *context, enum table_id table, uint64_t id, bool right);
	void *context;
	uint64_t most_rows; /* of a table: a file of so many bytes has not more */
};
/* Reads rows whatever their ids are. What they refer to is compared with nothing. */
int row_reader_scan(sqlite3 *db, const struct wordlist_map *map, struct profile *profile,
		    const struct row_scan *scan);

#endif
