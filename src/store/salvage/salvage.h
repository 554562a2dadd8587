/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects everything in the pages of a damaged profile that looks like a row of its tables, into
 * the same tables of a database in memory. Blocks, which are large, are only listed. The rows of a
 * table are found from its root page, or by their shape if no page leads to them. Later verdict.h
 * compares them with their checksums.
 */
#ifndef STORE_SALVAGE_SALVAGE_H
#define STORE_SALVAGE_SALVAGE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "store/salvage/raw_pages.h"
#include "store/salvage/raw_rows.h"

/* Location of a row of table block. */
struct salvage_block {
	uint64_t id;
	uint32_t page;
	unsigned cell;
	bool lost; /* no page led to it: it may be obsolete */
};

struct salvage {
	struct raw_pages pages;
	/* The tables of schema.sql, and TEMP lost(name, id) with the rows that no page led to. */
	sqlite3 *db;
	VEC(struct salvage_block) blocks; /* by id, each id once */
	uint8_t *taken;			  /* private: by page, 1 if it was read or is free */
	uint8_t *page;			  /* private: room for one */
	struct raw_page held;		  /* private: the block's page in there */
	struct buf row;			  /* private */
};

/* Errors as raw_pages_open; -ENODATA: the file has nothing of a profile. */
int salvage_open(struct salvage *salvage, int fd, int journal, const char *name, struct err *err);
void salvage_done(struct salvage *salvage);

/* The columns samples and data of a block, borrowed until the next call. False: they cannot be
 * read. */
bool salvage_read_block(struct salvage *salvage, const struct salvage_block *block,
			uint64_t *ret_samples, struct raw_value *ret_data);

#endif
