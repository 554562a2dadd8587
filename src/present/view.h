/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a report is about and how it shall look: the one input of everything that prints one. */
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

/* How much a text report says. */
enum view_level {
	VIEW_SCREEN = 1,    /* one screen */
	VIEW_COMMAND = 2,   /* and the details of the command's own tree */
	VIEW_PROCESSES = 3, /* and those of every process above detail_percent */
	VIEW_ALL = 4,	    /* all parts for every process above list_percent, and the kernel */
};

/* Everything is borrowed. */
struct view {
	const struct labels *labels;
	struct account account;			 /* of the run */
	struct naming naming;			 /* of the run's main event */
	const struct completeness *completeness; /* of that event; NULL: not known */
	const struct summary *summary;		 /* of what was selected */
	const struct wait_account *waiting;	 /* the same; NULL: not asked for */
	const char *selection;			 /* its clauses as typed; NULL: there is none */
	uint64_t selected_samples;
	const char *file;      /* FILE as typed, for what to type next; NULL: the last profile */
	int level;	       /* enum view_level */
	double list_percent;   /* least share of a process in the summary */
	double detail_percent; /* least share of a process in the details */
	double threshold;      /* least share of a routine in its list */
	size_t limit;	       /* most routines in a list; 0: all */
	size_t lines, columns; /* of the screen; 0: 24 and 80 */
	bool live;	       /* it was being recorded when it was opened */
	const struct instructions_view *instructions; /* NULL: none are wanted */
	const struct details *details;		      /* of a table's rows; NULL: none are wanted */
	bool bare;				      /* a table without the head above it */
	bool colour; /* the output is a terminal that may be coloured */
};

#endif
