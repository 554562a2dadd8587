/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The views of views.sql, in two variants. Those in the file use only what every SQLite has. Those
 * that a reader creates for itself, as TEMP views that hide the file's, also use the functions of
 * query_functions.h and the table of sample_table.h.
 */
#ifndef STORE_VIEWS_H
#define STORE_VIEWS_H

#include <sqlite3.h>

enum views_place {
	VIEWS_FILE,
	VIEWS_QUERY,
};

/* The text of views.sql, which the build turns into a C file. */
extern const char views_sql[];

/* Creates all views of that variant. */
int views_create(sqlite3 *db, enum views_place place);

#endif
