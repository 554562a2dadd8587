/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The interface of command_wait.bpf.c and sampling/command_wait.c. Times are CLOCK_MONOTONIC, ns.
 */
#ifndef BPF_COMMAND_WAIT_WIRE_H
#define BPF_COMMAND_WAIT_WIRE_H

#include <linux/types.h>

enum {
	COMMAND_WAIT_MAX_CHOSEN = 4096, /* processes */
	/* Bit in command_wait_active: no thread is active, and the other bits say since when. */
	COMMAND_WAIT_IDLE_BIT = 63,
	COMMAND_WAIT_BEFORE_NS = 1,	 /* an unknown time before the window */
	COMMAND_WAIT_ROOM = 16,		 /* of an array by reason: a power of two */
	COMMAND_WAIT_MOST_ASKED = 50000, /* waits in a second whose reasons are asked for */
};

#define COMMAND_WAIT_IDLE (1ULL << COMMAND_WAIT_IDLE_BIT)

/* What a thread waits for. The names are those of model/words.h. */
#define COMMAND_WAIT_REASONS(X)                                             \
	X(DISK, disk)	      /* a file or block device */                  \
	X(SLEEP, sleep)	      /* a timer */                                 \
	X(LOCK, lock)	      /* another thread, by a futex or file lock */ \
	X(PIPE, pipe)	      /* a pipe, FIFO or message queue */           \
	X(NETWORK, network)   /* a socket */                                \
	X(POLL, poll)	      /* any of several files */                    \
	X(TERMINAL, terminal) /* a terminal */                              \
	X(CHILD, child)	      /* a child process */                         \
	X(SIGNAL, signal)     /* a signal */                                \
	X(STOPPED, stopped)   /* to be continued after a stop or freeze */  \
	X(OTHER, other)                                                     \
	X(UNKNOWN, unknown) /* was not asked for */

enum command_wait_reason {
#define COMMAND_WAIT_ENUM(id, ...) COMMAND_WAIT_##id,
	COMMAND_WAIT_REASONS(COMMAND_WAIT_ENUM)
#undef COMMAND_WAIT_ENUM
		COMMAND_WAIT_REASON_COUNT,
	/* Of a thread alone: a file, which was not looked at yet. */
	COMMAND_WAIT_FILE = COMMAND_WAIT_REASON_COUNT
};

/* The state of a thread, which is active from RUNNABLE on. */
enum command_wait_state {
	COMMAND_WAIT_NEW, /* of the command already, but not counted yet */
	COMMAND_WAIT_BLOCKED,
	COMMAND_WAIT_DEAD,
	COMMAND_WAIT_RUNNABLE, /* or running */
};

struct command_wait_thread {
	__u64 since_ns; /* when `state` last changed */
	__u64 limit_ns; /* of a wait for at most so long; 0: it has no limit that is known */
	__u32 state;	/* enum command_wait_state */
	__u32 reason;	/* enum command_wait_reason, of the wait */
	__u32 is_lock;	/* the wait is for a lock, not for a condition or the end of a thread */
	__u32 zero;
};

struct command_wait_totals {
	/* Time in which no thread was active, by the reason of the wait whose end ended it. */
	__u64 idle_ns[COMMAND_WAIT_ROOM];
	__u64 lock_ns; /* time that all threads were blocked on locks */
	__u64 missed;  /* threads without memory for their state, changes that could not be made */
	__u64 chosen;  /* threads found when the window opened */
	__u64 not_asked; /* waits whose reasons were not asked for; about */
	/* Of the waits that were open when the window closed: the reason of the one that began
	 * last. A wait for a child counts only if there is no other. */
	__u64 open_since_ns;
	__u32 open_reason;
	__u32 open; /* number of these waits */
};

_Static_assert(sizeof(struct command_wait_thread) == 32, "as both sides lay it out");
_Static_assert(sizeof(struct command_wait_totals) == 8 * (COMMAND_WAIT_ROOM + 6),
	       "as both sides lay it out");
_Static_assert((int)COMMAND_WAIT_REASON_COUNT <= (int)COMMAND_WAIT_ROOM,
	       "every reason has a place");

#endif
