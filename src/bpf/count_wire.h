/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The interface of count.bpf.c and count/count_split.c: rows, each with the counts of a program,
 * process or thread while it was on a CPU.
 */
#ifndef BPF_COUNT_WIRE_H
#define BPF_COUNT_WIRE_H

#include <linux/types.h>

enum {
	COUNT_EVENTS = 32,
	COUNT_ROWS = 16384,
	COUNT_STARTING = 65536, /* processes that already exist */
	COUNT_PATH_BYTES = 256,
};

/* What rows stand for. */
enum count_by {
	COUNT_BY_PROGRAM = 1, /* the path given to exec */
	COUNT_BY_PROCESS = 2,
	COUNT_BY_THREAD = 4,
};

/* The rows of threads without a row of their own. */
enum count_special {
	COUNT_IDLE = 1,	    /* no thread is on the CPU */
	COUNT_REST = 2,	    /* the table is full, or the thread is unknown */
	COUNT_SPECIALS = 3, /* programs are numbered from here */
};

struct count_row_key {
	__u64 program;	/* hash of the path, or a count_special */
	__u32 pid, tid; /* 0: not distinguished */
};

/* The result of bpf_perf_event_read_value. */
struct count_reading {
	__u64 count, enabled_ns, running_ns;
};

struct count_row_value {
	struct count_reading sums[COUNT_EVENTS];
	__u64 used; /* 1: counts were added, possibly 0 */
	__u64 runs; /* number of execs */
	char path[COUNT_PATH_BYTES];
	char comm[16];
};

/* A process that already exists, and the name of its row. */
struct count_program {
	__u64 program;
	__u32 counts; /* 0: counts only from its next exec on */
	__u32 zero;
	char path[COUNT_PATH_BYTES];
};

_Static_assert(sizeof(struct count_row_key) == 16, "the same on both sides");
_Static_assert(sizeof(struct count_reading) == 24, "as the kernel's bpf_perf_event_value");
_Static_assert(sizeof(struct count_row_value) == COUNT_EVENTS * 24 + 16 + COUNT_PATH_BYTES + 16,
	       "no holes");
_Static_assert(sizeof(struct count_program) == 16 + COUNT_PATH_BYTES, "no holes");
_Static_assert(__builtin_offsetof(struct count_program, path) == 16, "no holes");

#endif
