/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checksums of what was written to the file, to find what the disk changed later. There is one for
 * each packed block, for each 64 rows of a dictionary, and for each row of a table with keys. They
 * are in a table of their own (prospect-profile(5)), which older files lack and readers may ignore.
 * written.h compares.
 */
#ifndef STORE_CHECKSUMS_H
#define STORE_CHECKSUMS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/datum.h"

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

/* How many columns these are. */
size_t checksums_count(const char *columns);

/* What a checksum has of a value: SQLite's number of the type, then 8 bytes, the number or how many
 * bytes of text or blob follow. True if these follow. */
enum { CHECKSUMS_HEAD_BYTES = 9 };
bool checksums_head(const struct datum *value, uint8_t ret_head[CHECKSUMS_HEAD_BYTES]);
/* Continues @checksum with the first @count columns of the current row of @stmt. */
uint32_t checksums_of_row(uint32_t checksum, sqlite3_stmt *stmt, int count);
/* Counts and checksums the rows that the file now has of a part. */
int checksums_of_part(sqlite3 *db, const char *table, uint64_t part, uint64_t *ret_rows,
		      uint32_t *ret_crc);

/* True if the file has the table of checksums as a stored table: 1, 0, or a negative errno. */
int checksums_there(sqlite3 *db);

#endif
