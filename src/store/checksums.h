/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checksums of what was written to the file, to find what the disk changed later. There is one for
 * each packed block, for each 64 rows of a dictionary, and for each row of a table with keys. They
 * are in a table of their own (prospect-profile(5)), which older files lack and readers may ignore.
 */
#ifndef STORE_CHECKSUMS_H
#define STORE_CHECKSUMS_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"

/* Rows of a dictionary that share a checksum: those whose id divided by this is the same. */
enum { CHECKSUMS_PART_ROWS = 64 };

/* A table whose rows have ids: the columns that are checksummed, in this order, id first. */
struct checked_rows {
	const char *table;
	const char *columns;
};
/* A table whose rows have keys: the first @keys of the columns. */
struct checked_keys {
	const char *table;
	const char *columns;
	int keys;
};
extern const struct checked_rows checksums_rows[];
extern const size_t checksums_row_tables;
extern const struct checked_keys checksums_keys[];
extern const size_t checksums_key_tables;

/* Code that writes rows calls these before its transaction ends. */
int checksums_write_part(sqlite3 *db, const char *table, uint64_t part);
int checksums_write_keys(sqlite3 *db, const char *table);
int checksums_write_block(sqlite3 *db, uint64_t id, uint64_t samples, const void *bytes,
			  size_t size);

/* Continues @checksum with the first @count columns of the current row of @stmt. */
uint32_t checksums_of_row(uint32_t checksum, sqlite3_stmt *stmt, int count);
/* Counts and checksums the rows that the file now has of a part. */
int checksums_of_part(sqlite3 *db, const char *table, uint64_t part, uint64_t *ret_rows,
		      uint32_t *ret_crc);

/* The checksums of a table's rows as they are read. Zero-initialised is empty. */
struct checksums_part {
	uint64_t part, rows;
	uint32_t crc;
};
struct checksums_read {
	VEC(struct checksums_part) parts;
	struct buf pending; /* bytes of the last part, not in its checksum yet */
};

/* Add rows in order of their ids, which are not negative, with the columns of checksums_rows: from
 * a statement, or as integers (at most CHECKSUMS_MOST_INTEGERS). */
enum { CHECKSUMS_MOST_INTEGERS = 16 };
void checksums_add_row(struct checksums_read *read, uint64_t id, sqlite3_stmt *stmt);
void checksums_add_integers(struct checksums_read *read, uint64_t id, const int64_t *values,
			    size_t count);
/* Returns -EBADMSG, with the reason in @why, if the rows differ from what was written; 0 also if
 * the file has no checksum of them. @why is untouched if SQLite itself failed. */
int checksums_compare(struct checksums_read *read, sqlite3 *db, const char *table, struct err *why);
void checksums_read_done(struct checksums_read *read);
/* The same for a small table with keys. Finds changed rows, not missing ones. */
int checksums_compare_keys(sqlite3 *db, const char *table, struct err *why);

/* True if the file has the table of checksums as a stored table: 1, 0, or a negative errno. */
int checksums_there(sqlite3 *db);

#endif
