/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts split by program, process or thread: BPF programs read the counters of each CPU wherever
 * somebody else, or another program, goes on (bpf/count.bpf.c). Needs root, or CAP_BPF and
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
	bool everybody;			 /* whoever runs; else who is added, and what they start */
	const struct event_spec *specs;	 /* those of @counters, borrowed for the call */
	const struct counters *counters; /* of CPUs, not yet enabled; borrowed for the call */
	size_t event_count;
};

/* Loads the programs; nothing is counted yet. */
int count_split_new(const struct count_split_options *options, struct count_split **ret_split,
		    struct err *err);
void count_split_free(struct count_split *split); /* NULL is fine */
DEFINE_CLEANUP(struct count_split *, count_split_free);

/* A process that is there already, and the program it executes. With @waits it counts from its next
 * exec on. -ENOSPC: too many. */
int count_split_add(struct count_split *split, pid_t pid, const char *program, bool waits,
		    struct err *err);
/* From now on all is followed. To be called before the counters are enabled. */
int count_split_begin(struct count_split *split, struct err *err);
/* The rows so far, in no order, appended to @counts with the values of its events. Idle time is a
 * row of its own, with everybody only. */
int count_split_read(struct count_split *split, struct counts *counts, struct err *err);

#endif
