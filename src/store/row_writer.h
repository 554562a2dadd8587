/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dictionary rows into the file, the new and the changed ones. */
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

/* Writes all rows that are not in the file yet or are dirty; events always. Changes nothing in
 * memory: row_writer_settle does, after the commit. Returns 0 or a negative errno. */
int row_writer_run(const struct row_writer *writer, sqlite3 *db, struct profile *profile);
/* Everything is in the file: clears the dirty marks. */
void row_writer_settle(struct row_writer *writer, struct profile *profile);

#endif
