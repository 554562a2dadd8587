/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a profile file to a flame graph: load, select, merge, print. */
#ifndef VIEWS_FLAME_H
#define VIEWS_FLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "load/opened.h"
#include "load/selection.h"

/* Texts are borrowed. */
struct flame_options {
	const char *by; /* NULL: function */
	struct selection selection;
	struct opened_names names;
	const char *title; /* NULL: the profiled command */
	bool inverted;	   /* begin with the sampled functions, callers above */
	double threshold;  /* least share of a node, in percent of the selection */
};

/* Checks all that does not need a profile. -EINVAL and one line. */
int flame_check(const struct flame_options *options, struct err *err);

/* Writes the page for the main event of the selection of the profile at @path. Errors as
 * report_print. */
int flame_write(const char *path, const struct flame_options *options, FILE *out, struct err *err);

#endif
