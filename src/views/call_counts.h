/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact numbers of calls, read from the output of `prospect watch --format csv` (prospect-watch(1),
 * CSV): the columns target, entries and, if present, nested of the lines of kind "total". Lines of
 * one target, as --by writes them, are added up.
 */
#ifndef VIEWS_CALL_COUNTS_H
#define VIEWS_CALL_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

/* Limit for the file (-EFBIG). */
enum { CALL_COUNTS_MAX_BYTES = 64 << 20 };

struct call_count {
	char *file; /* the part of the target before its colon, without folders; "": the kernel */
	char *function; /* the part after it */
	uint64_t entries, nested;
};

struct call_counts {
	VEC(struct call_count) list; /* by function */
};

/* -EINVAL and the reason if the file is not a watch's or has no totals; else the errno of open(2)
 * or read(2). On failure @ret_counts is empty. */
int call_counts_read(const char *path, struct call_counts *ret_counts, struct err *err);
/* The number of calls of @function in @file ("" for the kernel); false: it was not watched. */
bool call_counts_find(const struct call_counts *counts, const char *file, const char *function,
		      uint64_t *ret_entries, uint64_t *ret_nested);
void call_counts_done(struct call_counts *counts);

#endif
