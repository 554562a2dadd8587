/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The virtual table sample_row: layer 1 as SQL sees it, a row for each sample. What a statement
 * says of time_ns, time_s and second decides which blocks are unpacked; rows come in the order of
 * the blocks. Columns: time_ns (CLOCK_MONOTONIC), time_s (since the recording began), second (as
 * the view seconds counts them), cpu, event, mode, context, task, stack, weight; numbers and ids
 * are the file's.
 */
#ifndef STORE_SAMPLE_TABLE_H
#define STORE_SAMPLE_TABLE_H

#include <sqlite3.h>
#include <stdint.h>

struct sample_table_facts {
	uint64_t start_ns; /* of the recording, CLOCK_MONOTONIC */
	uint64_t samples;  /* in all blocks: for the planner */
	uint64_t blocks;   /* how many there are; likewise */
};

/* Makes the table known to @db under its name, ready to be read. @facts are borrowed until @db is
 * closed. */
int sample_table_register(sqlite3 *db, const struct sample_table_facts *facts);

#endif
