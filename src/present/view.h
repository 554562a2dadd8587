/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a report shows, and how: the one input of everything that prints a report. */
#ifndef PRESENT_VIEW_H
#define PRESENT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "aggregate/account/account.h"
#include "aggregate/account/completeness.h"
#include "aggregate/account/naming.h"
#include "aggregate/labels.h"
#include "aggregate/tables/summary.h"
#include "present/instructions_view.h"

struct details;
struct wait_account;

/* How much a text report shows. */
enum view_level {
	VIEW_SCREEN = 1,    /* one screen */
	VIEW_COMMAND = 2,   /* also details of the command's process tree */
	VIEW_PROCESSES = 3, /* also of each process above detail_percent */
	VIEW_ALL = 4,	    /* all parts, for each process above list_percent, and the kernel */
};

/* Everything is borrowed. */
struct view {
	const struct labels *labels;
	struct account account;			 /* of the run */
	struct naming naming;			 /* of the run's main event */
	const struct completeness *completeness; /* of that event; NULL: unknown */
	const struct summary *summary;		 /* of the selected samples */
	const struct wait_account *waiting;	 /* likewise; NULL: not wanted */
	const char *selection;			 /* its clauses as typed; NULL: none */
	uint64_t selected_samples;
	const char *file;      /* FILE as typed, for the hints; NULL: the last profile */
	int level;	       /* enum view_level */
	double list_percent;   /* minimum share of a process in the summary */
	double detail_percent; /* minimum share of a process in the details */
	double threshold;      /* minimum share of a function in its list, in percent */
	size_t limit;	       /* maximum number of functions in a list; 0: all */
	size_t lines, columns; /* of the screen; 0: 24 and 80 */
	bool live;	       /* the profile was being recorded when it was opened */
	const struct instructions_view *instructions; /* NULL: not wanted */
	const struct details *details;		      /* of a table's rows; NULL: not wanted */
	bool bare;				      /* print tables without the head */
	bool colour; /* the output is a terminal, and colour is allowed */
};

#endif
