/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checksums of what the file was given, in a table of its own (prospect-profile(5)) that files from
 * before it lack and readers may ignore: of each packed block, of each 64 rows of the dictionaries,
 * of each row of the tables that have keys. What the disk made of it later is found by them.
 */
#ifndef STORE_CHECKSUMS_H
#define STORE_CHECKSUMS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"

/* Ids of a dictionary that have one checksum together: those with the same id / this. */
enum { CHECKSUMS_PART_ROWS = 64 };

/* Of a table whose rows have numbers: the columns that count, in their order, id first. */
struct checked_rows {
	const char *table;
	const char *columns;
};
/* Of a table whose rows have keys, which are the first columns. */
struct checked_keys {
	const char *table;
	const char *columns;
	int keys;
};
extern const struct checked_rows checksums_rows[];
extern const size_t checksums_row_tables;
extern const struct checked_keys checksums_keys[];
extern const size_t checksums_key_tables;

/* Whatever writes rows says so before the transaction ends. */
int checksums_write_part(sqlite3 *db, const char *table, uint64_t part);
int checksums_write_keys(sqlite3 *db, const char *table);
int checksums_write_block(sqlite3 *db, uint64_t id, uint64_t samples, const void *bytes,
			  size_t size);

/* What a statement with these columns gives: so many rows, and their checksum. The first @keys
 * columns are the part's number (0: it is what the caller says). */
uint32_t checksums_of_row(uint32_t checksum, sqlite3_stmt *stmt, int first, int count);
/* The rows of a part as they are in the file now. */
int checksums_of_part(sqlite3 *db, const char *table, uint64_t part, uint64_t *ret_rows,
		      uint32_t *ret_crc);

/* What the rows of a table come to as they are read. Zero-initialised is empty. */
struct checksums_part {
	uint64_t part, rows;
	uint32_t crc;
};
struct checksums_read {
	VEC(struct checksums_part) parts;
	struct buf pending; /* bytes of the last part that are not in its checksum yet */
};

/* Rows are to be added in the order of their ids, which are not negative, with the columns of
 * checksums_rows: as a statement has them, or (at most CHECKSUMS_MOST_INTEGERS) as integers. */
enum { CHECKSUMS_MOST_INTEGERS = 16 };
void checksums_add_row(struct checksums_read *read, uint64_t id, sqlite3_stmt *stmt);
void checksums_add_integers(struct checksums_read *read, uint64_t id, const int64_t *values,
			    size_t count);
/* -EBADMSG and the reason when that is not what was written; 0 too where no checksum says. @why is
 * left alone when SQLite itself failed. */
int checksums_compare(struct checksums_read *read, sqlite3 *db, const char *table,
		      struct err *why);
void checksums_read_done(struct checksums_read *read);
/* The same of the rows of a small table with keys. */
int checksums_compare_keys(sqlite3 *db, const char *table, struct err *why);

/* Has the file the table, as a stored one? 1, 0, or a negative errno. */
int checksums_there(sqlite3 *db);

#endif
