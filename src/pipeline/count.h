/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counting events of a command, of processes and threads, or of CPUs. */
#ifndef PIPELINE_COUNT_H
#define PIPELINE_COUNT_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "model/counts.h"
#include "pipeline/command_outcome.h"

/* What a row is. */
enum count_rows {
	COUNT_ROWS_WHOLE,
	COUNT_ROWS_CPU,
	COUNT_ROWS_PROGRAM, /* what was executed, by its path */
	COUNT_ROWS_PROCESS,
	COUNT_ROWS_THREAD,
};

struct count_options {
	const char *const *events; /* comma lists, as event_names_parse_groups takes them */
	size_t event_lists;	   /* 0: the usual ones */
	char *const *argv;	   /* NULL: no command */
	bool as_user;		   /* under sudo: the command runs as the user who called it */
	const pid_t *pids, *tids;  /* of processes with all their threads; of single threads */
	size_t pid_count, tid_count;
	bool machine;	  /* whoever runs; with a command: while it runs */
	const char *cpus; /* of these CPUs only, with machine; NULL: all */
	bool alone;	  /* what is started is not counted */
	enum count_rows rows;
	const char *only, *except; /* globs of programs whose rows are shown; NULL: all */
	double duration_s;	   /* 0: no limit */
	double interval_s;	   /* 0: none */
	uint64_t intervals;	   /* how many; 0: no limit */
	/* Called at the end of each interval with what was counted in it, borrowed. */
	void (*interval)(void *context, const struct counts *counts);
	void *context;
};

struct count_result {
	struct counts counts; /* of the whole run; the caller's to free with counts_done */
	struct command_outcome outcome;
	struct err note; /* what a reader should know; "" */
};

/* Is the command line right? -EINVAL with the line, -ENOENT for an event that is not there. */
int count_check(const struct count_options *options, struct err *err);
/* Counts until the command ends, the processes have ended, time is up, or a signal comes. */
int count_run(const struct count_options *options, struct count_result *ret_result,
	      struct err *err);

#endif
