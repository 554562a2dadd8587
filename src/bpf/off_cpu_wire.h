/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * What off_cpu.bpf.c and sampling/off_cpu.c say to each other: the records the programs put into the
 * per-CPU perf ring (PERF_SAMPLE_RAW of a PERF_COUNT_SW_BPF_OUTPUT event), and the state of each
 * thread, which user space reads when the window closes. Times are of CLOCK_MONOTONIC, ns.
 */
#ifndef BPF_OFF_CPU_WIRE_H
#define BPF_OFF_CPU_WIRE_H

#include <linux/types.h>

#include "bpf/off_cpu_draw.h"

enum {
	OFF_CPU_MEASURE_EVERY = 64,
	OFF_CPU_SITES = 4,
	OFF_CPU_MAX_CHOSEN = 4096, /* processes */
	OFF_CPU_MAX_KERNEL = 127,  /* kernel.perf_event_max_stack as it comes */
	OFF_CPU_MAX_USER = 127,	   /* of stacks that the kernel follows by frame pointers */
};

/* The first word of each record; no other program's records begin with these. */
enum off_cpu_kind {
	OFF_CPU_LEFT = 0x0ff10001, /* a thread leaves its CPU, with its user stack */
	OFF_CPU_WOKE,		   /* a thread was woken, by whom it tells where that was */
	OFF_CPU_WAIT,		   /* a wait is over */
	OFF_CPU_TIMES,		   /* what a thread's time went into, at its exit or exec */
};

/* Each has a threshold of its own, so that a busy machine does not take from the precision of what
 * was asked for. */
enum off_cpu_group {
	OFF_CPU_OTHERS,
	OFF_CPU_CHOSEN, /* the command, or processes that were named, and what they fork */
	OFF_CPU_GROUPS,
};

enum off_cpu_state {
	OFF_CPU_RUNNING = 1,
	OFF_CPU_RUNNABLE, /* preempted, or woken and not yet running */
	OFF_CPU_BLOCKED,
	/* At the start of the window: on a CPU or waiting for one, which is not told apart until
	 * the thread is seen. */
	OFF_CPU_EITHER,
};

/* How a thread left. */
enum {
	OFF_CPU_IO = 1 << 0,	   /* for input or output of a block device (in_iowait) */
	OFF_CPU_CAPTURED = 1 << 1, /* a record OFF_CPU_LEFT with the same left_ns was sent */
	OFF_CPU_STOPPED = 1 << 2,  /* by a signal or a tracer */
	OFF_CPU_OPEN = 1 << 3,	   /* the window closed before the wait was over */
	OFF_CPU_KERNEL_THREAD = 1 << 4,
	OFF_CPU_NO_STACK = 1 << 5, /* nothing tells what was waited for */
};

/* One thread's times within the window. They add up to its time in it. */
struct off_cpu_times {
	__u64 running_ns, runnable_ns, blocked_ns;
	__u64 io_ns; /* the part of blocked_ns for input or output */
	__u64 waits; /* times it left its CPU */
};

/* One thread. */
struct off_cpu_thread {
	__u64 since_ns;			  /* in `state` since */
	__u64 left_ns;			  /* its CPU, last */
	__u64 blocked_ns;		  /* the part of the wait before it was woken */
	__u64 draw_ns, threshold_ns;	  /* off_cpu_draw.h */
	__u64 expected_ns[OFF_CPU_SITES]; /* of waits by where they began; 0: preemption */
	struct off_cpu_times times;
	__u32 pid;
	__u32 state; /* enum off_cpu_state */
	__u32 flags;
	__u32 waker_pid, waker_tid; /* 0: nobody, or the idle task */
	__u32 group;		    /* enum off_cpu_group */
	__u32 tid;
	__u32 site; /* of the wait: index into expected_ns */
};

enum off_cpu_why {
	OFF_CPU_EXIT,
	OFF_CPU_EXEC,  /* the times are those of the program before */
	OFF_CPU_CLOSE, /* the window closed */
};

struct off_cpu_times_record {
	__u32 kind; /* OFF_CPU_TIMES */
	__u32 pid, tid;
	__u32 why; /* enum off_cpu_why */
	struct off_cpu_times times;
};

struct off_cpu_left_record {
	__u32 kind; /* OFF_CPU_LEFT */
	__u32 pid, tid;
	__u32 count; /* of addresses */
	__u64 left_ns;
	__u64 addresses[OFF_CPU_MAX_USER]; /* innermost first */
};

/* The waker's kernel stack, of waits that are kept for their blocked part. */
struct off_cpu_woke_record {
	__u32 kind;	/* OFF_CPU_WOKE */
	__u32 pid, tid; /* of the thread that was woken */
	__u32 count;	/* of addresses */
	__u64 left_ns;
	__u64 addresses[OFF_CPU_MAX_KERNEL]; /* innermost first */
};

/* A wait: blocked until it was woken, then runnable until it ran. Either part may be 0. */
struct off_cpu_wait_record {
	__u32 kind; /* OFF_CPU_WAIT */
	__u32 pid, tid;
	__u32 flags;
	__u64 left_ns;
	__u64 blocked_ns, runnable_ns;
	__u64 draw_ns, threshold_ns;
	__u32 waker_pid, waker_tid;
	__u64 user_ip; /* where it entered the kernel; 0: a kernel thread */
	__u32 zero;
	__u32 count;			     /* of addresses */
	__u64 addresses[OFF_CPU_MAX_KERNEL]; /* kernel stack, innermost first */
};

struct off_cpu_counts {
	__u64 switches;
	__u64 stacks, records; /* taken, sent */
	__u64 cut;	       /* waits whose stack found the ring full */
	__u64 lost,
		lost_weight_ns; /* waits whose record found the ring full; what they stood for */
	__u64 lost_times;	/* the same of OFF_CPU_TIMES */
	__u64 table_full;	/* threads for which there was no memory */
	/* The switch program's own time, of one run in OFF_CPU_MEASURE_EVERY. */
	__u64 measured_ns;
};

/* What the programs keep for each CPU. */
struct off_cpu_cpu {
	struct off_cpu_pace paces[OFF_CPU_GROUPS];
	__u64 random; /* off_cpu_random */
	struct off_cpu_counts counts;
	union { /* room to make a record in */
		struct off_cpu_wait_record wait;
		struct off_cpu_left_record left;
		struct off_cpu_woke_record woke;
	};
};

_Static_assert(sizeof(struct off_cpu_times) == 40, "as both sides lay it out");
_Static_assert(sizeof(struct off_cpu_thread) == 144, "as both sides lay it out");
_Static_assert(sizeof(struct off_cpu_times_record) == 56, "as both sides lay it out");
_Static_assert(__builtin_offsetof(struct off_cpu_left_record, addresses) == 24, "no padding");
_Static_assert(__builtin_offsetof(struct off_cpu_woke_record, addresses) == 24, "no padding");
_Static_assert(__builtin_offsetof(struct off_cpu_wait_record, addresses) == 80, "no padding");

#endif
