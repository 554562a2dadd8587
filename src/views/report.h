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
	double detail_percent; /* -m: least share to show details; below 0: the level decides */
	const char *by;	       /* NULL: the default report, or the default keys of csv and json */
	bool children;	       /* include callees: rows overlap */
	const char *side_by_side; /* --columns: a key; NULL: none */
	const char *merge;	  /* --merge: keys to remove from the default ones; NULL: none */
	const char *sort;	  /* see aggregate/tables/order.h; NULL: heaviest first */
	bool reversed;		  /* in reverse order */
	bool accumulated;	  /* with running sums */
	bool global_percent;	  /* shares of the whole profile, not of the selection */
	bool details;		  /* the addresses of each row */
	bool hierarchy;		  /* rows nested by key, each with its sum */
	bool bare;		  /* a table without a head */
	struct selection selection;
	size_t limit;	     /* most rows; 0: all */
	double cover;	     /* percent that the rows cover together; 0: all rows */
	double threshold;    /* least share of a row */
	const char *format;  /* "text", "csv", "json"; NULL: text */
	bool instructions;   /* sampled ones; a table then needs the key address */
	size_t max_images;   /* files held open for instructions; 0: 8 */
	bool intel;	     /* x86 instructions in Intel's syntax */
	const char *vmlinux; /* file of the kernel's code if it cannot be read live */
	struct opened_names names;
	const char *file;      /* FILE as typed, for hints of what to type next; NULL: none */
	size_t lines, columns; /* of the terminal; 0: unknown */
	bool colour;
};

/* Checks all that does not need a profile. -EINVAL and one line. */
int report_check(const struct report_options *options, struct err *err);

/* Calls @tell with a sentence for each contradiction among options that report_check accepts.
 * Returns their number. */
size_t report_contradictions(const struct report_options *options,
			     void (*tell)(void *context, const char *sentence), void *context);

/* Prints the report of the profile at @path. Negative errno and one line, and nothing is printed,
 * if it cannot be read or written; -EINVAL as report_check; -ENODATA if the selection leaves
 * nothing (the line says which part of it). */
int report_print(const char *path, const struct report_options *options, FILE *out,
		 struct err *err);

/* For help: a line for each key of --by and --select. */
void report_print_keys(FILE *out);

#endif
