/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of the dictionaries, with the long texts that many of them share (table `text`, whose ids
 * are those of the recorder's string pool, with gaps), and rows of branches. Readers take files
 * that may be damaged or hostile.
 */
#ifndef STORE_ROWS_H
#define STORE_ROWS_H

#include <sqlite3.h>
#include <stddef.h>

#include "base/err.h"
#include "model/profile.h"
#include "store/columns.h"
#include "store/table_rows.h"
#include "store/wordlist.h"
#include "store/written.h"

/* How many rows of each table are in the file. */
struct row_writer {
	size_t written[TABLE_COUNT];
};

/* Writes all rows that are new or dirty; events always. Changes nothing in memory: call
 * row_writer_settle after the commit. Returns 0 or a negative errno. */
int row_writer_run(const struct row_writer *writer, sqlite3 *db, struct profile *profile);
/* Notes that everything is in the file, and clears the dirty marks. */
void row_writer_settle(struct row_writer *writer, struct profile *profile);

/* Reads all tables into @profile, which is new. -EBADMSG, with the table and row in @err, for:
 *   - ids with gaps, or too many rows
 *   - wrong types
 *   - unknown words
 *   - references out of range
 *   - stack nodes that do not follow their parent, or are too deep
 *   - processes that are their own ancestor
 *   - rows that are not as @written says
 * @err is untouched if SQLite itself failed. */
int row_reader_run(const struct table_source *source, const struct wordlist_map *map,
		   const struct written *written, struct profile *profile, struct err *err);

/* Sets whether a process of the file is in_command. Errors as row_reader_run. */
int row_reader_command(const struct table_source *source, bool *ret_has, struct err *err);

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

/* Writes all branches at the end of a run, over rows with the same key; before that it writes
 * nothing. Returns 0 or a negative errno. */
int branch_rows_write(sqlite3 *db, const struct profile *profile);

/* Calls @visit with each branch; its event and frames are among those rows. Returns 0 or a
 * negative errno; -EBADMSG, with the reason in @why, if a row is wrong. */
int branch_rows_each(sqlite3 *db, const size_t rows[TABLE_COUNT],
		     void (*visit)(void *context, const struct branch *branch), void *context,
		     struct err *why);

/* Adds the branches of a damaged file to @profile, which has its events and frames. Skips wrong
 * rows and counts them. */
int branch_rows_read_sound(sqlite3 *db, struct profile *profile, uint64_t *ret_wrong);

#endif
