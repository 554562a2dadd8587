/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The virtual table sample_row: layer 1 as SQL sees it, a row for each sample. The constraints on
 * time_ns, time_s and second decide which blocks are unpacked. Rows come in the order of the
 * blocks. Numbers and ids are the file's. Columns:
 *   time_ns   CLOCK_MONOTONIC
 *   time_s    since the recording began
 *   second    as in the view seconds
 *   cpu, event, mode, context, task, stack, weight
 */
#ifndef STORE_SAMPLE_TABLE_H
#define STORE_SAMPLE_TABLE_H

#include <sqlite3.h>
#include <stdint.h>

struct sample_table_facts {
	uint64_t start_ns; /* of the recording, CLOCK_MONOTONIC */
	uint64_t samples;  /* in all blocks; for SQLite's planner */
	uint64_t blocks;   /* for the planner too */
};

/* Registers the table with @db, which can then read it by name. @facts are borrowed until @db is
 * closed. */
int sample_table_register(sqlite3 *db, const struct sample_table_facts *facts);

#endif
