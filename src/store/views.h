/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The views of views.sql, for whom they are made. Those in the file must do with what any SQLite
 * has; those that a reader makes for itself, as TEMP views that hide the file's, also know the
 * functions of query_functions.h and the table of sample_table.h.
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

/* Creates all of them that belong there. */
int views_create(sqlite3 *db, enum views_place place);

#endif
