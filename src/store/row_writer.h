/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the new and changed rows of the dictionaries to the file. */
#ifndef STORE_ROW_WRITER_H
#define STORE_ROW_WRITER_H

#include <sqlite3.h>
#include <stddef.h>

#include "model/profile.h"
#include "store/columns.h"

/* How many rows of each table are in the file. */
struct row_writer {
	size_t written[TABLE_COUNT];
};

/* Writes all rows that are new or dirty; events always. Changes nothing in memory: call
 * row_writer_settle after the commit. Returns 0 or a negative errno. */
int row_writer_run(const struct row_writer *writer, sqlite3 *db, struct profile *profile);
/* Notes that everything is in the file, and clears the dirty marks. */
void row_writer_settle(struct row_writer *writer, struct profile *profile);

#endif
