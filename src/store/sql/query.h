/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SQL over a profile, one SELECT at a time. A statement cannot write or open another file, and the
 * profile's own views and triggers do not run. The views of views.sql are available whatever wrote
 * the file, and so are the functions and tables of query_names.h.
 */
#ifndef STORE_SQL_QUERY_H
#define STORE_SQL_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/value.h"

struct query;

/* All members may be zero. */
struct query_setup {
	double max_seconds; /* of one statement; 0: no limit */
	uint64_t max_bytes; /* of memory for SQLite, in the whole process; 0: no limit */
	/* As in query_names_new. */
	const char *(*demangle)(void *context, const char *name);
	void *demangle_context;
	/* Called every few milliseconds while a statement runs; true ends the statement. NULL: not
	 * called. */
	bool (*stop)(void *context);
	void *stop_context;
};

/* Opens a profile. Errors as store_open. @setup is copied. */
int query_open(const char *path, const struct query_setup *setup, struct query **ret_query,
	       struct err *err);
void query_close(struct query *query); /* NULL is fine */

/*
 * Makes @sql (a string that ends with NUL) the statement that query_step runs, and forgets the one
 * before. Negative errno and one line, with line and column if SQLite knows them:
 *   -EINVAL  wrong SQL, no statement at all, or more than one
 *   -EPERM   not a SELECT
 */
int query_prepare(struct query *query, const char *sql, struct err *err);

size_t query_column_count(const struct query *query);
const char *query_column_name(const struct query *query, size_t column); /* borrowed */

/* Goes to the next row. Returns 1, 0 at the end, or a negative errno and one line: -ETIME, -EINTR
 * (setup.stop ended it), -ENOMEM, -EBADMSG (the file is damaged), -EINVAL (e.g. malformed JSON). */
int query_step(struct query *query, struct err *err);
struct value query_value(const struct query *query, size_t column);

/* A view that query_prepare knows, with its columns; everything is borrowed for the call. */
struct query_view {
	const char *name;
	const char *summary; /* what a row is */
	const char *const *columns;
	size_t column_count;
};

/* Calls @visit with each view in the order of views.sql; needs no profile. */
int query_each_view(void (*visit)(void *context, const struct query_view *view), void *context,
		    struct err *err);

#endif
