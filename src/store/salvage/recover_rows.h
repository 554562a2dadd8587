/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dictionaries of a damaged profile. Rows keep their ids. A reference to a missing row finds a
 * row called "[damaged]" there, and stacks end there as STACK_DAMAGED. Nothing else is invented.
 */
#ifndef STORE_SALVAGE_RECOVER_ROWS_H
#define STORE_SALVAGE_RECOVER_ROWS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/profile.h"
#include "store/columns.h"
#include "store/wordlist.h"

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

/* Fills @profile, which is new, from the tables of @db (salvage.h), after verdict.h removed bad
 * rows. @most_rows as in struct row_scan. */
int recover_rows_read(struct recover_rows *rows, sqlite3 *db, const struct wordlist_map *words,
		      struct profile *profile, uint64_t most_rows);
void recover_rows_done(struct recover_rows *rows);

/* The row that a sample names, or its replacement. */
uint32_t recover_rows_stack(struct recover_rows *rows, uint32_t id);
uint32_t recover_rows_task(struct recover_rows *rows, uint32_t id);
/* Makes the event if it is missing. False: no event can have this number. */
bool recover_rows_event(struct recover_rows *rows, uint8_t id);

#endif
