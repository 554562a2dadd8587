/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The interface of off_cpu.bpf.c and sampling/off_cpu.c: the records that the programs put into the
 * per-CPU perf ring (PERF_SAMPLE_RAW of a PERF_COUNT_SW_BPF_OUTPUT event), and the state of each
 * thread, which user space reads when the window closes. Times are CLOCK_MONOTONIC, ns.
 */
#ifndef BPF_OFF_CPU_WIRE_H
#define BPF_OFF_CPU_WIRE_H

#include <linux/types.h>

#include "bpf/off_cpu_draw.h"

enum {
	OFF_CPU_MEASURE_EVERY = 64,
	OFF_CPU_SITES = 4,
	OFF_CPU_MAX_CHOSEN = 4096, /* processes */
	OFF_CPU_MAX_KERNEL = 127,  /* default of kernel.perf_event_max_stack */
	OFF_CPU_MAX_USER = 127,	   /* of stacks that the kernel walks by frame pointers */
};

/* The first word of each record; records of other programs do not begin with these values. */
enum off_cpu_kind {
	OFF_CPU_LEFT = 0x0ff10001, /* a thread leaves its CPU, with its user stack */
	OFF_CPU_WOKE,		   /* a thread was woken, with the waker's stack */
	OFF_CPU_WAIT,		   /* a wait has ended */
	OFF_CPU_TIMES,		   /* how a thread spent its time, at its exit or exec */
};

/* Each group has its own threshold, so that a busy machine does not reduce the precision for the
 * chosen processes. */
enum off_cpu_group {
	OFF_CPU_OTHERS,
	OFF_CPU_CHOSEN, /* the command or the named processes, and all that they fork */
	OFF_CPU_GROUPS,
};

enum off_cpu_state {
	OFF_CPU_RUNNING = 1,
	OFF_CPU_RUNNABLE, /* preempted, or woken and not yet running */
	OFF_CPU_BLOCKED,
	/* At the start of the window: on a CPU or waiting for one, unknown until the thread is
	 * seen. */
	OFF_CPU_EITHER,
};

/* How a thread left its CPU. */
enum {
	OFF_CPU_IO = 1 << 0,	   /* to wait for a block device (in_iowait) */
	OFF_CPU_CAPTURED = 1 << 1, /* an OFF_CPU_LEFT record with the same left_ns was sent */
	OFF_CPU_STOPPED = 1 << 2,  /* by a signal or a tracer */
	OFF_CPU_OPEN = 1 << 3,	   /* the window closed before the wait ended */
	OFF_CPU_KERNEL_THREAD = 1 << 4,
	OFF_CPU_NO_STACK = 1 << 5, /* no stack shows what it waited for */
};

/* One thread's times within the window. They add up to all its time there. */
struct off_cpu_times {
	__u64 running_ns, runnable_ns, blocked_ns;
	__u64 io_ns; /* the part of blocked_ns waiting for block devices */
	__u64 waits; /* number of times it left its CPU */
};

/* State of one thread. */
struct off_cpu_thread {
	__u64 since_ns;			  /* in `state` since */
	__u64 left_ns;			  /* when it last left its CPU */
	__u64 blocked_ns;		  /* the part of the wait before the wakeup */
	__u64 draw_ns, threshold_ns;	  /* off_cpu_draw.h */
	__u64 expected_ns[OFF_CPU_SITES]; /* of waits by where they begin; 0: preemption */
	struct off_cpu_times times;
	__u32 pid;
	__u32 state; /* enum off_cpu_state */
	__u32 flags;
	__u32 waker_pid, waker_tid; /* 0: none, or the idle task */
	__u32 group;		    /* enum off_cpu_group */
	__u32 tid;
	__u32 site; /* of the wait: index into expected_ns */
};

enum off_cpu_why {
	OFF_CPU_EXIT,
	OFF_CPU_EXEC,  /* the times are those of the previous program */
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

/* The waker's kernel stack, for waits that are kept for their blocked part. */
struct off_cpu_woke_record {
	__u32 kind;	/* OFF_CPU_WOKE */
	__u32 pid, tid; /* of the thread that was woken */
	__u32 count;	/* of addresses */
	__u64 left_ns;
	__u64 addresses[OFF_CPU_MAX_KERNEL]; /* innermost first */
};

/* A wait: blocked until the wakeup, then runnable until it ran. Either part may be 0. */
struct off_cpu_wait_record {
	__u32 kind; /* OFF_CPU_WAIT */
	__u32 pid, tid;
	__u32 flags;
	__u64 left_ns;
	__u64 blocked_ns, runnable_ns;
	__u64 draw_ns, threshold_ns;
	__u32 waker_pid, waker_tid;
	__u64 user_ip; /* where it entered the kernel; 0: kernel thread */
	__u32 zero;
	__u32 count;			     /* of addresses */
	__u64 addresses[OFF_CPU_MAX_KERNEL]; /* kernel stack, innermost first */
};

struct off_cpu_counts {
	__u64 switches;
	__u64 stacks, records; /* taken, sent */
	__u64 cut;	       /* waits without stack because the ring was full */
	__u64 lost,
		lost_weight_ns; /* waits whose record found the ring full; what they stood for */
	__u64 lost_times;	/* lost OFF_CPU_TIMES records */
	__u64 table_full;	/* threads without memory for their state */
	/* Time of the switch program in the measured runs, one in OFF_CPU_MEASURE_EVERY. */
	__u64 measured_ns;
};

/* State of each CPU. */
struct off_cpu_cpu {
	struct off_cpu_pace paces[OFF_CPU_GROUPS];
	__u64 random; /* off_cpu_random */
	struct off_cpu_counts counts;
	union { /* buffers for records */
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
_Static_assert(sizeof(struct off_cpu_counts) == 72, "as both sides lay it out");
_Static_assert(__builtin_offsetof(struct off_cpu_cpu, random) ==
		       OFF_CPU_GROUPS * sizeof(struct off_cpu_pace),
	       "no padding");
_Static_assert(__builtin_offsetof(struct off_cpu_cpu, wait) ==
		       OFF_CPU_GROUPS * sizeof(struct off_cpu_pace) + 80,
	       "no padding");

#endif
