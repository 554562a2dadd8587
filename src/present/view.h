/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a report shows, and how: the one input of everything that prints a report. */
#ifndef PRESENT_VIEW_H
#define PRESENT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "aggregate/account/account.h"
#include "aggregate/account/completeness.h"
#include "aggregate/labels.h"
#include "aggregate/scope.h"
#include "aggregate/tables/summary.h"
#include "base/buf.h"
#include "present/screen.h"

struct details;
struct off_cpu_account;
struct table;
struct unnamed;

/* How much a text report shows. */
enum view_level {
	VIEW_SCREEN = 1,    /* one screen */
	VIEW_COMMAND = 2,   /* also details of the command's process tree */
	VIEW_PROCESSES = 3, /* also of each process above detail_percent */
	VIEW_ALL = 4,	    /* all parts, for each process above list_percent, and the kernel */
};

/* Provides the instructions that were hit, so nothing here depends on the source of code. */
struct instructions_view {
	/* Appends the instruction at a frame of the profile. False: there is none, and the appended
	 * text says why, in parentheses. */
	bool (*text)(void *context, uint32_t frame, struct buf *text);
	/* One sentence on what could not be shown completely so far, and how to fix that; NULL:
	 * nothing. */
	const char *(*note)(void *context);
	void *context;
};

/* Everything is borrowed. */
struct view {
	const struct labels *labels;
	struct account account;			 /* of the run */
	struct naming naming;			 /* of the run's main event */
	const struct completeness *completeness; /* of that event; NULL: unknown */
	const struct summary *summary;		 /* of the selected samples */
	const struct unnamed *unnamed;		 /* of these; NULL: not wanted */
	const char *names_advice;      /* what gives names to unnamed->file; NULL: nothing known */
	const struct table *functions; /* likewise, inclusive, by function and image; NULL: none */
	const struct off_cpu_account *off_cpu; /* likewise; NULL: not wanted */
	bool about_command;		       /* the profile has a command */
	enum scope scope;		       /* of the samples */
	struct scope_parts parts;	       /* of the run's main event, if it has a command */
	const struct total *others;	       /* totals outside the scope; NULL: none at hand */
	size_t other_count;
	uint64_t from_ns, to_ns;   /* the time that the samples are of, by their clock */
	const char *since, *until; /* what chose it, as typed; NULL: from the start, to the end */
	const char *history;  /* the folder of profiles that it was read from; NULL: a single one */
	size_t history_parts; /* how many of them */
	const char *selection; /* its clauses as typed; NULL: none */
	uint64_t selected_samples;
	bool of_all;	       /* percentages are of all samples, not of the selected ones */
	const char *file;      /* FILE as typed, for the hints; NULL: the last profile */
	int level;	       /* enum view_level */
	double list_percent;   /* minimum share of a process in the summary */
	double detail_percent; /* minimum share of a process in the details */
	double threshold;      /* minimum share of a function in its list, in percent */
	size_t limit;	       /* maximum number of functions in a list; 0: all */
	struct screen screen;
	bool live; /* the profile was being recorded when it was opened */
	const struct instructions_view *instructions; /* NULL: not wanted */
	const struct details *details;		      /* of a table's rows; NULL: not wanted */
	bool bare;				      /* print tables without the head */
};

static inline bool view_is_of_part(const struct view *view)
{
	return view->since || view->until;
}

#endif
