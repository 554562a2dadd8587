/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads dictionary rows from a file that may be damaged or hostile. */
#ifndef STORE_ROW_READER_H
#define STORE_ROW_READER_H

#include <sqlite3.h>

#include "base/err.h"
#include "model/profile.h"
#include "store/columns.h"
#include "store/wordlist.h"

/* Reads all tables into @profile, which is new. -EBADMSG, with the table and row in @err, for:
 *   - ids with gaps, or too many rows
 *   - wrong types
 *   - unknown words
 *   - references out of range
 *   - stack nodes that do not follow their parent, or are too deep
 *   - processes that are their own ancestor
 *   - rows that do not match their checksums
 * @err is untouched if SQLite itself failed. */
int row_reader_run(sqlite3 *db, const struct wordlist_map *map, struct profile *profile,
		   struct err *err);

/* How to read the rows of a damaged file. */
struct row_scan {
	/* Called after each row. @right: it was read, as row @id of the profile. Otherwise that
	 * row, if it exists, must not be used. Rows between those read exist and are empty. */
	void (*met)(void *context, enum table_id table, uint64_t id, bool right);
	void *context;
	uint64_t most_rows; /* of a table: more cannot be in a file of this size */
};
/* Reads rows whatever their ids are. Does not check references. */
int row_reader_scan(sqlite3 *db, const struct wordlist_map *map, struct profile *profile,
		    const struct row_scan *scan);

#endif
