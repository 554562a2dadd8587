/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a statement of `prospect query` may name besides the tables of the file.
 *
 * The virtual table sample_row (sample_table.c): layer 1 as SQL sees it, a row for each sample. The
 * constraints on time_ns, time_s and second decide which blocks are unpacked. Rows come in the
 * order of the blocks. Numbers and ids are the file's. Columns:
 *   time_ns   CLOCK_MONOTONIC
 *   time_s    since the recording began
 *   second    as in the view seconds
 *   cpu, event, mode, context, task, stack, weight
 *
 * Virtual tables with sums of `total` by part of its key (sum_tables.c). They are computed from the
 * pages of the file on first use: SQLite itself would take a second for each of a large profile.
 *   frame_sum(frame, event, samples, weight, mode, context)   by innermost frame
 *   task_sum(task, event, samples, weight, mode, context)
 *   stack_sum(stack, event, samples, weight)
 * The views frame_total, task_total and stack_total show them; in the file these are SQL
 * (views.sql).
 *
 * Functions (query_names.c):
 *   demangle(NAME)     the readable form of a symbol's name; a value that is not text is returned
 *                      unchanged
 *   stack_text(STACK)  the stack of this id as --by stack shows it: names of functions, outermost
 *                      first, separated by ;. NULL if there is no such stack
 *   stack_has(STACK, NAME)  1 if the stack has a function of this name, as stack_text writes it
 *                      (NAME may be a glob), else 0. NULL if there is no such stack. Code without a
 *                      symbol is found by its symbol ("a->b") too
 */
#ifndef STORE_SQL_QUERY_NAMES_H
#define STORE_SQL_QUERY_NAMES_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct query_names;
struct sum_tables;

/* @temporary: `total` is a TEMP table. Never NULL. */
struct sum_tables *sum_tables_new(bool temporary);
/* Call it after the database was closed; NULL is fine. */
void sum_tables_free(struct sum_tables *tables);
int sum_tables_register(struct sum_tables *tables, sqlite3 *db);

struct sample_table_facts {
	uint64_t start_ns; /* of the recording, CLOCK_MONOTONIC */
	uint64_t samples;  /* in all blocks; for SQLite's planner */
	uint64_t blocks;   /* for the planner too */
};
int sample_table_register(sqlite3 *db, const struct sample_table_facts *facts);

/* @demangle returns the readable form of a name, borrowed until the next call; NULL: names stay as
 * they are. Tables of @db are read when first needed. Never NULL. */
struct query_names *query_names_new(sqlite3 *db,
				    const char *(*demangle)(void *context, const char *name),
				    void *context);
/* Call it before the database is closed, after all other statements have ended; NULL is fine. */
void query_names_free(struct query_names *names);
/* Registers all tables and functions with the database, and creates the views that use them.
 * @facts and @sums are borrowed until it is closed. */
int query_names_register(struct query_names *names, const struct sample_table_facts *facts,
			 struct sum_tables *sums);

#endif
