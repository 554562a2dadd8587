/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Virtual tables with sums of `total` by part of its key. They are computed from the pages of the
 * file on first use: SQLite itself would take a second for each of a large profile.
 *
 *   frame_sum(frame, event, samples, weight, mode, context)   by innermost frame
 *   task_sum(task, event, samples, weight, mode, context)
 *   stack_sum(stack, event, samples, weight)
 *
 * The views frame_total, task_total and stack_total show them; in the file these are SQL
 * (views.sql).
 */
#ifndef STORE_SUM_TABLES_H
#define STORE_SUM_TABLES_H

#include <sqlite3.h>
#include <stdbool.h>

struct sum_tables;

/* @temporary: `total` is a TEMP table. Never NULL. */
struct sum_tables *sum_tables_new(bool temporary);
/* Call it after @db was closed; NULL is fine. */
void sum_tables_free(struct sum_tables *tables);

/* Registers the tables with @db. @tables are borrowed until @db is closed. */
int sum_tables_register(struct sum_tables *tables, sqlite3 *db);

#endif
