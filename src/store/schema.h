/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The schema of a profile, and the limits that readers enforce. */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "store/table_rows.h"

/* Bytes 68 to 71 of the file (sqlite3 fileformat2), big-endian: "PRSP". */
#define SCHEMA_APPLICATION_ID 0x50525350
/* user_version. Increases when readers of the old version would misread the file. */
#define SCHEMA_VERSION 1

enum {
	/* Of one row: limits symbol names and blocks. */
	SCHEMA_MAX_ROW_BYTES = 64 << 20,
	/* A block's second is its id without these low bits. */
	SCHEMA_BLOCK_PART_BITS = 20,
	/* Reports of callers and callees recurse over stacks. */
	SCHEMA_MAX_DEPTH = 1 << 16,

	SCHEMA_MAX_TEXTS = 1 << 22,
	SCHEMA_MAX_IMAGES = 1 << 20,
	SCHEMA_MAX_PROCESSES = 1 << 23,
	SCHEMA_MAX_TASKS = 1 << 23,
	SCHEMA_MAX_SYMBOLS = 1 << 24,
	SCHEMA_MAX_CODES = 1024,
	SCHEMA_MAX_CODE_BYTES = 64 << 10, /* of one function */
	SCHEMA_MAX_LINES = 1 << 22,
	SCHEMA_MAX_FRAMES = 1 << 24,
	SCHEMA_MAX_STACKS = 1 << 26,
};

/* The texts of schema.sql and views.sql, which the build turns into C files. */
extern const char schema_sql[], views_sql[];

/* Lays out the tables and views in an empty database, in one transaction. */
int schema_create(sqlite3 *db);
/* Creates the TEMP table @table, with the columns that schema.sql gives it. It hides the file's.
 * -ENOENT: schema.sql has no such table. */
int schema_create_temp(sqlite3 *db, const char *table);

/* True if @sql, as SQLite keeps it (@size bytes), creates @table as schema.sql does. */
bool schema_has_table(const char *table, const char *sql, size_t size);

/* Creates the views that a reader makes for itself: TEMP views that hide the file's. They also use
 * what query_names.h registers; those in the file use only what every SQLite has. */
int schema_create_query_views(sqlite3 *db);

/* True if the database has anything of this name: 1, 0, or a negative errno. */
int schema_has(sqlite3 *db, const char *table);
/* Checks that the file has all tables and columns that are read, as plain stored ones (not a view,
 * virtual table or computed column). Those that older files lack are checked only if present. 0, or
 * -EBADMSG with the name in @err. */
int schema_check(sqlite3 *db, struct err *err);
/* True if all these tables are as in schema.sql, so that schema_check would find nothing. */
bool schema_is_known(const struct table_source *source);

#endif
