/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What makes a file a profile, and the limits a reader holds files to. */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include <sqlite3.h>

#include "base/err.h"

/* Bytes 68 to 71 of the file (sqlite3 fileformat2), big-endian: "PRSP". */
#define SCHEMA_APPLICATION_ID 0x50525350
/* user_version. Goes up when a reader of the version before would misread the file. */
#define SCHEMA_VERSION 1

enum {
	/* Of one row: the longest symbol name, the largest block. */
	SCHEMA_MAX_ROW_BYTES = 64 << 20,
	/* The second of a block is its id without this many bits. */
	SCHEMA_BLOCK_PART_BITS = 20,
	/* Callers and callees recurse over stacks. */
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

/* The text of schema.sql, which the build turns into a C file. */
extern const char schema_sql[];

/* Lays out the tables and views in an empty database, in one transaction. */
int schema_create(sqlite3 *db);
/* Creates the TEMP table of this name and these columns, which hides the file's. -ENOENT: there is
 * no such table in schema.sql. */
int schema_create_temp(sqlite3 *db, const char *table);

/* Is there anything of this name? 1, 0, or a negative errno. */
int schema_has(sqlite3 *db, const char *table);
/* Are all tables and columns that are read in the file, as plain stored ones (no view, virtual
 * table or computed column in their place)? Those that older files may lack are so if they are
 * there. 0, or -EBADMSG and which one in @err. */
int schema_check(sqlite3 *db, struct err *err);

#endif
