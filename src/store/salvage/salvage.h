/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects everything in the pages of a damaged profile that looks like a row of its tables, into
 * the same tables of a database in memory. Blocks, which are large, are only listed. The rows of a
 * table are found from its root page, or by their shape if no page leads to them. Then verdict.c
 * compares them with their checksums, and recover_rows.c makes the dictionaries of them.
 */
#ifndef STORE_SALVAGE_SALVAGE_H
#define STORE_SALVAGE_SALVAGE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "model/profile.h"
#include "store/columns.h"
#include "store/salvage/raw_pages.h"
#include "store/wordlist.h"

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

/*
 * verdict.c:
 * Decides by their checksums, found in the same file, whether rows of a damaged file are as
 * written. Removes a part of a table that does not match its checksum. If rows of a part are
 * missing, or its checksum is, keeps the other rows and counts them as unverified, except rows that
 * no page led to where the part does not match.
 */
struct verdict {
	uint64_t written;    /* rows, if known */
	uint64_t kept;	     /* of the written ones */
	uint64_t unverified; /* of the kept ones */
};

/* For a table of checksums_rows. @db as in struct salvage. @strict: also removes rows that cannot
 * be verified, because they may be of an unfinished write. */
int verdict_rows(sqlite3 *db, const char *table, bool strict, struct verdict *ret_verdict);
/* For a table of checksums_keys. */
int verdict_keys(sqlite3 *db, const char *table, bool strict, struct verdict *ret_verdict);

/* Adds words of this program that table word lacks: those that checksums prove to be the file's; or
 * all, if the file has no checksums of words. *ret_assumed: how many without proof. */
int verdict_add_words(sqlite3 *db, uint64_t *ret_assumed);

/* The checksum of a block. 1: *ret_samples and *ret_crc; 0: none; or -errno. */
int verdict_block(sqlite3 *db, uint64_t id, uint64_t *ret_samples, uint32_t *ret_crc);

/*
 * recover_rows.c:
 * The dictionaries of a damaged profile. Rows keep their ids. A reference to a missing row finds a
 * row called "[damaged]" there, and stacks end there as STACK_DAMAGED. Nothing else is invented.
 */

#define RECOVER_NAME "[damaged]"

struct recover_ids {
	VEC(uint8_t) read; /* by id: 1 if the row was read */
	size_t known;	   /* the file has no rows from this id on */
	uint64_t wrong;	   /* invalid rows, or too many */
};

struct recover_rows {
	struct profile *profile; /* borrowed */
	struct recover_ids ids[TABLE_COUNT];
	/* Replace rows beyond the known ones; made when needed. */
	uint32_t image, symbol, frame, process, task, stack;
	uint32_t gone;	  /* processes called "[damaged]" so far */
	uint64_t circles; /* processes that were their own ancestors */
};

/* Fills @profile, which is new, from the tables of @db, after bad rows were removed. @most_rows as
 * in struct row_scan. */
int recover_rows_read(struct recover_rows *rows, sqlite3 *db, const struct wordlist_map *words,
		      struct profile *profile, uint64_t most_rows);
void recover_rows_done(struct recover_rows *rows);

/* The row that a sample names, or its replacement. */
uint32_t recover_rows_stack(struct recover_rows *rows, uint32_t id);
uint32_t recover_rows_task(struct recover_rows *rows, uint32_t id);
/* Makes the event if it is missing. False: no event can have this number. */
bool recover_rows_event(struct recover_rows *rows, uint8_t id);

#endif
