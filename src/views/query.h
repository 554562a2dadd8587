/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a profile file and an SQL statement to rows, printed. */
#ifndef VIEWS_QUERY_H
#define VIEWS_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

/* Texts are borrowed. */
struct query_options {
	const char *format;	/* text, csv, json; NULL: text */
	const char *demangle;	/* none, normal, smart; NULL: normal */
	uint64_t limit;		/* most rows; 0: all */
	double max_seconds;	/* of a statement; 0: any */
	uint64_t max_megabytes; /* of memory; 0: any */
};

struct query_outcome {
	uint64_t rows; /* printed */
	bool more;     /* there were more than the limit */
	bool is_wrong; /* the SQL itself is wrong */
};

/* Checks all that does not need a profile. -EINVAL and one line. */
int query_check(const struct query_options *options, struct err *err);

/*
 * Prints the rows of @sql for the profile at @path. Meanwhile SIGINT and SIGTERM end the statement,
 * not the process: -EINTR. Other errors as store_open and query_prepare (store/sql/query.h). Fills
 * @outcome in any case.
 */
int query_print(const char *path, const char *sql, const struct query_options *options, FILE *out,
		struct query_outcome *outcome, struct err *err);

/* The same, but prints nothing if there are no rows. */
int query_print_any(const char *path, const char *sql, const struct query_options *options,
		    FILE *out, struct query_outcome *outcome, struct err *err);

/* Prints the views and their columns. */
int query_list(const struct query_options *options, FILE *out, struct err *err);

#endif
