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
	const char *by; /* key of boxes in the flame graphs; NULL: function */
	struct selection selection;
	struct opened_names names;
	const char *title;  /* NULL: the profiled command */
	double column_s;    /* length of a column; 0: fits the recording */
	uint32_t rows;	    /* of a column; 0: default */
	uint32_t max_boxes; /* of the whole flame graph; 0: default */
};

/* Checks all that does not need a profile. -EINVAL and one line. */
int heatmap_check(const struct heatmap_options *options, struct err *err);

/* Writes the page for the main event of the selection of the profile at @path. Errors as
 * report_print. */
int heatmap_write(const char *path, const struct heatmap_options *options, FILE *out,
		  struct err *err);

#endif
