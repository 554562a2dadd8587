/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a profile file to a report: load, select, group, print. */
#ifndef VIEWS_REPORT_H
#define VIEWS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "load/opened.h"
#include "load/selection.h"

/* Texts are borrowed. Percentages are shares of weight within the selection. */
struct report_options {
	int level;	       /* 1 .. 4, see enum view_level */
	double list_percent;   /* -k: least share of a process to be listed */
	double detail_percent; /* -m: least share to be detailed; below 0: as the level says */
	const char *by;	       /* NULL: the paper's report, or the default keys of csv and json */
	bool children;	       /* with what functions called: rows overlap */
	const char *side_by_side; /* --columns: a key; NULL: none */
	const char *merge;	  /* --merge: keys that the default ones shall not have; NULL */
	const char *sort;	  /* see aggregate/tables/order.h; NULL: the heaviest first */
	bool reversed;		  /* the other way round */
	bool accumulated;	  /* with what rows come to together */
	bool global_percent;	  /* shares of the whole profile, not of the selection */
	bool details;		  /* the addresses of each row */
	bool hierarchy;		  /* rows below one another, each with its sum */
	bool bare;		  /* a table without what stands above it */
	struct selection selection;
	size_t limit;	     /* most rows; 0: all */
	double cover;	     /* percent the rows shall come to; 0: all rows */
	double threshold;    /* least share of a row */
	const char *format;  /* "text", "csv", "json"; NULL: text */
	bool instructions;   /* those that were hit; a table then needs the key address */
	size_t max_images;   /* files held open for that at once; 0: 8 */
	bool intel;	     /* those of x86 in Intel's syntax */
	const char *vmlinux; /* where the code of the kernel is when it cannot be read live */
	struct opened_names names;
	const char *file;      /* FILE as typed, for what to type next; NULL: none was */
	size_t lines, columns; /* of the terminal; 0: not known */
	bool colour;
};

/* Everything that can be wrong without looking at a profile. -EINVAL and one line. */
int report_check(const struct report_options *options, struct err *err);

/* Calls @tell with a sentence for each contradiction among options that report_check finds good;
 * returns how many there are. */
size_t report_contradictions(const struct report_options *options,
			     void (*tell)(void *context, const char *sentence), void *context);

/* Prints the report of the profile at @path. Negative errno and one line when it cannot be read or
 * written, -EINVAL as report_check, -ENODATA when the selection leaves nothing (says which part of
 * it); then nothing was printed. */
int report_print(const char *path, const struct report_options *options, FILE *out,
		 struct err *err);

/* For help: a line per key of --by and --select. */
void report_print_keys(FILE *out);

#endif
