/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Splits counts by program, process or thread: BPF programs read each CPU's counters whenever
 * another task, or another program, continues there (bpf/count.bpf.c). Needs root, or CAP_BPF and
 * CAP_PERFMON, and Linux 5.14.
 */
#ifndef COUNT_COUNT_SPLIT_H
#define COUNT_COUNT_SPLIT_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "bpf/count_wire.h"
#include "count/counters.h"

struct count_split;

struct count_split_options {
	unsigned by;			 /* of enum count_by */
	bool everybody;			 /* all tasks; else those added, and what they start */
	const struct event_spec *specs;	 /* those of @counters, borrowed for the call */
	const struct counters *counters; /* of CPUs, not yet enabled; borrowed for the call */
	size_t event_count;
};

/* Loads the programs; nothing counts yet. */
int count_split_new(const struct count_split_options *options, struct count_split **ret_split,
		    struct err *err);
void count_split_free(struct count_split *split); /* NULL is fine */
DEFINE_CLEANUP(struct count_split *, count_split_free);

/* Adds a running process and the program it executes. @waits: count from its next exec. -ENOSPC:
 * too many. */
int count_split_add(struct count_split *split, pid_t pid, const char *program, bool waits,
		    struct err *err);
/* Starts following all tasks. Call before enabling the counters. */
int count_split_begin(struct count_split *split, struct err *err);
/* Appends the rows so far, unsorted, with the values of the events of @counts. With everybody, idle
 * time has a row of its own. */
int count_split_read(struct count_split *split, struct counts *counts, struct err *err);

#endif
