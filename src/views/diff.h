/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the profiles of two sides to the changes: load, match, judge, print. */
#ifndef VIEWS_DIFF_H
#define VIEWS_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "load/opened.h"
#include "load/selection.h"

/* Texts are borrowed. */
struct diff_options {
	const char *by;	     /* NULL: symbol,image */
	const char *measure; /* "share", "time", "rate"; NULL: share */
	const char *sort;    /* see diff_view_order_name; NULL: effect */
	struct selection selection;
	bool machine;	    /* everything, not only the profiled command and its children */
	bool exact;	    /* compare names as they are */
	bool all;	    /* also rows within noise */
	size_t limit;	    /* most rows for each event; 0: all */
	double threshold;   /* least share of a row on either side, in percent */
	const char *format; /* "text", "csv", "json"; NULL: text */
	struct opened_names names;
	const char *const *fail_if; /* see aggregate/diff/condition.h */
	size_t fail_if_count;
	bool colour;
};

/* The profiles, at least one for each side. */
struct diff_files {
	const char *const *paths; /* old ones first */
	size_t old_count, new_count;
};

/* Checks all that does not need a profile. -EINVAL and one line. */
int diff_check(const struct diff_options *options, struct err *err);

/* Prints the changes. *ret_failed: a condition of --fail-if holds; @err says which. Negative errno
 * and one line, and *ret_failed is false, if a profile cannot be read, the selection leaves nothing
 * of it, no event is in all profiles (-ENOMSG), or output fails. */
int diff_print(const struct diff_files *files, const struct diff_options *options, FILE *out,
	       bool *ret_failed, struct err *err);

#endif
