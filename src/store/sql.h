/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SQLite in this program's idiom: 0 or a negative errno, statements that end with their scope. */
#ifndef STORE_SQL_H
#define STORE_SQL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"

DEFINE_CLEANUP(sqlite3_stmt *, sqlite3_finalize);
DEFINE_CLEANUP(sqlite3 *, sqlite3_close);

#define _cleanup_stmt_	   _cleanup_(sqlite3_finalizep)
#define _cleanup_database_ _cleanup_(sqlite3_closep)

/* Translates an SQLite result code: 0 for OK, DONE and ROW; -ENOSPC, -EBUSY, -EBADMSG (damaged)
 * ..., or the system's errno if SQLite met one. Call it before anything else touches @db. */
int sql_errno(sqlite3 *db, int code);

/* Runs statements that return no rows. */
int sql_exec(sqlite3 *db, const char *text);
int sql_prepare(sqlite3 *db, const char *text, sqlite3_stmt **ret_stmt);
/* Runs a bound statement that returns no rows, and resets it. */
int sql_run(sqlite3_stmt *stmt);
/* The next row: 1, 0 at the end, or a negative errno. */
int sql_step(sqlite3_stmt *stmt);

/* The integer in the first column of the first row: 1, 0 if there is none, or a negative errno. */
int sql_number(sqlite3 *db, const char *text, uint64_t *ret_number);

/* A 64-bit number as its bits: from 2^63 up it is negative in the file. */
void sql_bind_u64(sqlite3_stmt *stmt, int at, uint64_t value);
/* Binds numbers to the first parameters. */
#define SQL_BIND(stmt, ...)                                       \
	sql_bind_numbers(stmt, (const uint64_t[]){ __VA_ARGS__ }, \
			 sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))
void sql_bind_numbers(sqlite3_stmt *stmt, const uint64_t *values, size_t count);
/* NULL is "". The text is borrowed until the statement has run. */
void sql_bind_text(sqlite3_stmt *stmt, int at, const char *text);

/* Each reads a column. False: the column holds another type. */
bool sql_column_u64(sqlite3_stmt *stmt, int at, uint64_t *ret_value);
/* An integer from 0 to @most. */
bool sql_column_at_most(sqlite3_stmt *stmt, int at, uint64_t most, uint64_t *ret_value);
/* A finite number. */
bool sql_column_double(sqlite3_stmt *stmt, int at, double *ret_value);
/* Borrowed until the next step. */
bool sql_column_text(sqlite3_stmt *stmt, int at, const char **ret_text);

/* Follows a message that a profile is damaged; takes its path. */
#define SQL_RECOVER "; 'prospect recover %s' saves what can be read"

/* Writes "cannot @verb @path: reason: what to do" and returns @rc. */
int sql_explain(int rc, const char *verb, const char *path, struct err *err);

#endif
