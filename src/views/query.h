/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a profile file and an SQL statement to its rows, printed. */
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
	uint64_t rows; /* that were printed */
	bool more;     /* there were more than limit */
	bool is_wrong; /* it failed for the SQL itself */
};

/* What can be wrong without looking at a profile. -EINVAL and one line. */
int query_check(const struct query_options *options, struct err *err);

/*
 * Prints the rows of @sql, about the profile at @path. While it runs SIGINT and SIGTERM end the
 * statement, not the process: -EINTR. Other errors as store_open and query_prepare (store/sql/query.h).
 * @outcome is filled in any case.
 */
int query_print(const char *path, const char *sql, const struct query_options *options, FILE *out,
		struct query_outcome *outcome, struct err *err);

/* The same, but when there is no row nothing at all is printed. */
int query_print_any(const char *path, const char *sql, const struct query_options *options,
		    FILE *out, struct query_outcome *outcome, struct err *err);

/* What can be asked: views and their columns. */
int query_list(const struct query_options *options, FILE *out, struct err *err);

#endif
