/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a file says of its own rows (table checksum): rows that were read are compared with it. A file
 * that lacks the table says nothing.
 */
#ifndef STORE_WRITTEN_H
#define STORE_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "store/datum.h"
#include "store/table_rows.h"

struct written_part {
	uint64_t part, rows;
	uint32_t crc;
};

/* The table in memory. Zero-initialised says nothing. */
enum { WRITTEN_MOST_TABLES = 24 };
struct written {
	VEC(struct written_part) tables[WRITTEN_MOST_TABLES]; /* ascending in part */
};

/* -EBADMSG, with the reason in @why, if the table is invalid; SQLite's error as a negative errno. The
 * caller always calls written_done. */
int written_read(const struct table_source *source, struct written *ret_written, struct err *why);
void written_done(struct written *written);

/* True if the block @id is as it was written. */
bool written_has_block(const struct written *written, uint64_t id, const void *bytes, size_t size);
/* True if a row of a table of checksums_keys is as it was written. Finds changed rows, not missing
 * ones. */
bool written_has_row(const struct written *written, const char *table, const struct datum *values);

/* The checksums of a table's rows as they are read. Zero-initialised is empty. */
struct read_rows {
	VEC(struct written_part) parts;
	struct buf pending; /* bytes of the last part, not in its checksum yet */
};

/* Adds rows in order of their ids, which are not negative, with the columns of checksums_rows. */
void read_rows_add(struct read_rows *rows, uint64_t id, const struct datum *values, size_t count);
/* True if @rows are what was written of @table. */
bool read_rows_compare(struct read_rows *rows, const struct written *written, const char *table);
void read_rows_done(struct read_rows *rows);

#endif
