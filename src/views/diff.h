/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the profiles of two sides to what changed: load, match, judge, print. */
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
	bool machine;	    /* not only the profiled command and its children */
	bool exact;	    /* names are compared as they are */
	bool all;	    /* rows within noise too */
	size_t limit;	    /* most rows of an event; 0: all */
	double threshold;   /* least share of a row on either side, in percent */
	const char *format; /* "text", "csv", "json"; NULL: text */
	struct opened_names names;
	const char *const *fail_if; /* see aggregate/diff/condition.h */
	size_t fail_if_count;
	bool colour;
};

/* Which profiles. At least one of either side. */
struct diff_files {
	const char *const *paths; /* the old ones first */
	size_t old_count, new_count;
};

/* Everything that can be wrong without looking at a profile. -EINVAL and one line. */
int diff_check(const struct diff_options *options, struct err *err);

/* Prints what changed. *ret_failed: one of --fail-if holds; what it is is in @err. Negative errno
 * and one line when a profile cannot be read, the selection leaves nothing of one, they have no
 * event in common (-ENOMSG), or it cannot be written; then *ret_failed is false. */
int diff_print(const struct diff_files *files, const struct diff_options *options, FILE *out,
	       bool *ret_failed, struct err *err);

#endif
