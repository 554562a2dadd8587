/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Virtual tables with the sums of `total` by less than its key, worked out when they are first
 * asked for, from the pages of the file: SQLite itself would take a second for each of a large
 * profile.
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
/* After @db was closed; NULL is fine. */
void sum_tables_free(struct sum_tables *tables);

/* Makes them known to @db. @tables are borrowed until it is closed. */
int sum_tables_register(struct sum_tables *tables, sqlite3 *db);

#endif
