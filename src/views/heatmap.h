/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a profile file to a heat map of time: load, select, count, print. */
#ifndef VIEWS_HEATMAP_H
#define VIEWS_HEATMAP_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "load/opened.h"

/* Texts are borrowed. */
struct heatmap_options {
	const char *by; /* what boxes of the flame graphs are; NULL: function */
	struct selection selection;
	struct opened_names names;
	const char *title;  /* NULL: the command that was profiled */
	double column_s;    /* how long a column is; 0: as suits the recording */
	uint32_t rows;	    /* of a column; 0: the usual */
	uint32_t max_boxes; /* of the flame graph of everything; 0: the usual */
};

/* Everything that can be wrong without looking at a profile. -EINVAL and one line. */
int heatmap_check(const struct heatmap_options *options, struct err *err);

/* Writes the page about the main event of what was selected of the profile at @path. Errors as
 * report_print. */
int heatmap_write(const char *path, const struct heatmap_options *options, FILE *out,
		  struct err *err);

#endif
