/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dictionaries of a damaged profile, with their rows where they were: what refers to a row that
 * is missing finds one in its place that is called "[damaged]", and stacks end there as
 * STACK_DAMAGED. Nothing else is made up.
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
	VEC(uint8_t) read; /* by id: was the row there? */
	size_t known;	   /* ids from here on are of no row of the file */
	uint64_t wrong;	   /* rows whose columns make no sense, or that are too many */
};

struct recover_rows {
	struct profile *profile; /* borrowed */
	struct recover_ids ids[TABLE_COUNT];
	/* Stand in for rows beyond those known; made when they are needed. */
	uint32_t image, symbol, frame, process, task, stack;
	uint32_t gone;	  /* processes that have been called "[damaged]" */
	uint64_t circles; /* processes that were their own ancestors */
};

/* Fills @profile, which is new, from the tables of @db (salvage.h), which were judged. @most_rows
 * as in struct row_scan. */
int recover_rows_read(struct recover_rows *rows, sqlite3 *db, const struct wordlist_map *words,
		      struct profile *profile, uint64_t most_rows);
void recover_rows_done(struct recover_rows *rows);

/* What a sample names, or what stands for it. */
uint32_t recover_rows_stack(struct recover_rows *rows, uint32_t id);
uint32_t recover_rows_task(struct recover_rows *rows, uint32_t id);
/* Makes the event if it is missing; false: there can be none of this number. */
bool recover_rows_event(struct recover_rows *rows, uint8_t id);

#endif
