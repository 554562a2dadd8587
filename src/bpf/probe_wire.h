/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The interface of probes.bpf.c and watch/probes/probes.c: the slots that calls are counted in, the
 * keys of rows, the condition, and the layout of a link's cookie. Times are CLOCK_MONOTONIC.
 */
#ifndef BPF_PROBE_WIRE_H
#define BPF_PROBE_WIRE_H

#include <linux/types.h>

enum {
	PROBE_MAX_DEPTH = 64, /* open calls of a thread; as many as uretprobes allow */
	PROBE_SLOT_COUNTERS = 6,
	PROBE_CACHE_LINES =
		128, /* bytes that no two CPUs share: a line, and the one fetched with it */
	PROBE_CPU_WORDS = 128, /* 64 CPUs each, of a set of CPUs */
	PROBE_COMM_SIZE = 16,
	PROBE_WIRE_COMMS = 8,
	PROBE_WIRE_PIDS = 4096,
	PROBE_ARGUMENTS = 6,
	PROBE_CONDITION_STEPS = 32,
	PROBE_WIRE_GO = 256, /* goroutine layouts; the first stays empty */
	PROBE_MOST_GOROUTINES = 16384,
	PROBE_WIRE_STARTS = 8,
};

/* A cookie: the target, its return type, and how its exits are seen. */
enum {
	/* enum probe_wire_return, 3 bits, and its size in bytes, 5 bits. */
	PROBE_COOKIE_RETURNS_SHIFT = 32,
	PROBE_COOKIE_RETURNS_MASK = 0xff,
	PROBE_COOKIE_BYTES_SHIFT = 3,
	PROBE_COOKIE_KIND_MASK = 7,
	PROBE_COOKIE_USER_SHIFT = 40, /* a program's function */
	/* Its exits are seen at its return instructions and outgoing jumps, not by its return
	 * address. */
	PROBE_COOKIE_OWN_ENDS_SHIFT = 41,
	/* It may jump to another function, which then returns to the caller. A probe there sees
	 * that. */
	PROBE_COOKIE_SITES_SHIFT = 42,
	/* Some of its ends are unknown. */
	PROBE_COOKIE_PARTLY_SHIFT = 43,
	/* enum probe_spot, for a probe that is not at an entry. */
	PROBE_COOKIE_SPOT_SHIFT = 44,
	PROBE_COOKIE_SPOT_MASK = 7,
	/* The goroutine layout; 0: its calls belong to threads. */
	PROBE_COOKIE_GO_SHIFT = 48,
	PROBE_COOKIE_GO_MASK = PROBE_WIRE_GO - 1,
};

/* How to find a program's goroutines: struct probe_go of model/probe.h. */
struct probe_go_layout {
	__s64 g_tls;
	__u32 goid, stack_hi;
	__u32 g_in_register, zero;
};

_Static_assert(sizeof(struct probe_go_layout) == 24, "as both sides lay it out");

/* Code of a static program that calls the start function of its threads; file identity as in the
 * kernel. */
struct probe_start_code {
	__u64 inode, start, end; /* [start, end), offsets; inode 0: none */
	__u32 device, zero;
};

_Static_assert(sizeof(struct probe_start_code) == 32, "as both sides lay it out");

/* Where a program's probe is, if not at an entry. From the third on they are enum probe_place of
 * watch/probes/probes.h. */
enum probe_spot {
	PROBE_SPOT_RETURN,  /* a watched function's return instruction, before it runs */
	PROBE_SPOT_JUMP,    /* its jump to another function, before it runs */
	PROBE_SPOT_SITE,    /* after a call */
	PROBE_SPOT_CATCH,   /* the first instruction that runs when an exception was caught */
	PROBE_SPOT_LONGJMP, /* the start of longjmp(3) */
	PROBE_SPOT_GOEXIT,  /* the start of the function that ends the current goroutine */
};

/* ---- call sites ---- */

enum { PROBE_MOST_SITES = 65536, PROBE_SITE_RING_BYTES = 256 << 10 };

/* A return address as a place in a file, with the kernel's identity of the file. */
struct probe_site_key {
	__u64 inode, offset;
	__u32 device, zero;
};

enum probe_site_state {
	PROBE_SITE_ASKED,   /* reported to user space */
	PROBE_SITE_ARMED,   /* there is a probe */
	PROBE_SITE_REFUSED, /* there is none and never will be */
};

/* Reports a site to user space. */
struct probe_site_event {
	struct probe_site_key key;
	__u64 address; /* in the process */
	__u32 pid;
	__u32 go; /* as in the cookie of the function that returns there */
};

_Static_assert(sizeof(struct probe_site_key) == 24, "a key of a map: no padding");
_Static_assert(sizeof(struct probe_site_event) == 40, "as both sides lay it out");

/* enum probe_return_kind of model/probe.h, and one more */
enum probe_wire_return {
	PROBE_WIRE_UNKNOWN,
	PROBE_WIRE_SIGNED,
	PROBE_WIRE_UNSIGNED,
	PROBE_WIRE_POINTER,
	PROBE_WIRE_NOTHING,
	/* A pointer from what may be the start function of a thread: then NULL is no error. */
	PROBE_WIRE_START,
};

/* What the programs do; a constant at load time. The first five are enum probe_measure of
 * watch/probes/probes.h. */
enum {
	PROBE_DO_EXITS = 1 << 0,
	PROBE_DO_VIRTUAL = 1 << 1,
	PROBE_DO_LATENCY = 1 << 2,
	PROBE_DO_VALUES = 1 << 3,
	PROBE_DO_MOVED = 1 << 4,
	PROBE_ONLY_PIDS = 1 << 8,
	PROBE_ONLY_CPUS = 1 << 9,
	PROBE_ONLY_COMMS = 1 << 10,
	PROBE_ON_CONDITION = 1 << 11,
	/* The return value decides whether a call counts, so it counts when it returns. */
	PROBE_ON_RETURN = 1 << 13,
	PROBE_ERROR_IF = 1 << 14, /* a condition decides what is an error */
};

/* The value of a pid in the table of wanted ones; no address is so low. */
enum { PROBE_ANY_PROCESS = 1 };
#define PROBE_NO_PID 0xffffffffU

enum probe_phase { PROBE_NOT_YET, PROBE_OPEN, PROBE_CLOSED };

enum probe_wire_key { PROBE_WIRE_TARGET, PROBE_WIRE_PID, PROBE_WIRE_THREAD, PROBE_WIRE_COMM };

enum probe_wire_counter {
	PROBE_WIRE_PMU,
	PROBE_WIRE_PAGE_FAULTS,
	PROBE_WIRE_CONTEXT_SWITCHES,
	PROBE_WIRE_CPU_MIGRATIONS,
};

/*
 * The open calls in one word, so that both parts change together: their number (16 bits), and the
 * sum of their start times since the window opened in units of 2^16 ns (48 bits: a thousand threads
 * for half a year).
 */
enum { PROBE_OPEN_COUNT_SHIFT = 48, PROBE_OPEN_UNIT_SHIFT = 16 };

static inline __u64 probe_open_word(__u64 began_ns, __u64 opened_ns)
{
	__u64 since_ns = began_ns > opened_ns ? began_ns - opened_ns : 0;

	return (1ULL << PROBE_OPEN_COUNT_SHIFT) + (since_ns >> PROBE_OPEN_UNIT_SHIFT);
}

/* What one CPU counted for one row. Only that CPU writes it, except `open`, which the CPU of the
 * exit decreases. */
struct probe_slot {
	__u64 entries, exits;
	__u64 wall_ns, virtual_ns;
	__u64 open;    /* open calls and their start times */
	__u64 running; /* those on this CPU, from when they entered or came to it */
	__u64 nested;
	__u64 errors;
	__u64 moved;
	__u64 longest_ns;
	__u64 too_deep, died, unmatched;
	__u64 jumps;	 /* calls that left by a return or a jump */
	__u64 timed;	 /* ended calls with a known time */
	__u64 abandoned; /* ended by an exception or a longjmp */
	__u64 unseen;	 /* ended at an unknown time */
	__u64 switched;	 /* their thread continued on another stack */
	__u64 counters[PROBE_SLOT_COUNTERS];
	__u64 unused[8];
} __attribute__((aligned(128)));

_Static_assert(sizeof(struct probe_slot) % PROBE_CACHE_LINES == 0, "no two CPUs share a line");

/* ---- histograms ---- */

/*
 * Logarithmic, with each power of two in equal parts: 16 for times, up to 2^42 ns, so a bucket is
 * at most 6.25 % wide; 4 for positive values, 1 for negative ones. Each value from -160 to 31 has
 * its own bucket.
 */
enum {
	PROBE_LATENCY_BITS = 4,
	PROBE_LATENCY_MOST = 41, /* the highest bit of the last bucket's start */
	PROBE_LATENCY_BUCKETS = 640,
	PROBE_LATENCY_USED = (PROBE_LATENCY_MOST - PROBE_LATENCY_BITS + 2) << PROBE_LATENCY_BITS,
	PROBE_VALUE_LEAST = -160,  /* the lowest value with its own bucket */
	PROBE_VALUE_MOST = 31,	   /* the highest */
	PROBE_VALUE_NEGATIVE = 57, /* buckets below: powers of two from 2^7 on */
	PROBE_VALUE_POSITIVE = PROBE_VALUE_NEGATIVE + PROBE_VALUE_MOST - PROBE_VALUE_LEAST + 1,
	PROBE_VALUE_USED = PROBE_VALUE_POSITIVE + 58 * 4,
	PROBE_VALUE_BUCKETS = 512,
};

struct probe_latency {
	__u32 buckets[PROBE_LATENCY_BUCKETS];
};

struct probe_values {
	__u32 buckets[PROBE_VALUE_BUCKETS];
};

_Static_assert(sizeof(struct probe_latency) % PROBE_CACHE_LINES == 0, "no two CPUs share a line");
_Static_assert(sizeof(struct probe_values) % PROBE_CACHE_LINES == 0, "no two CPUs share a line");
_Static_assert(PROBE_LATENCY_USED <= PROBE_LATENCY_BUCKETS, "all buckets have room");
_Static_assert(PROBE_VALUE_USED <= PROBE_VALUE_BUCKETS, "all buckets have room");

/* The highest bit that is set; 0 for 0. */
static inline __u32 probe_highest_bit(__u64 value)
{
	__u32 bit = 0;

	for (__u32 step = 32; step; step /= 2) {
		if (value >> step) {
			value >>= step;
			bit += step;
		}
	}
	return bit;
}

static inline __u32 probe_latency_bucket(__u64 ns)
{
	__u32 bit = probe_highest_bit(ns);

	if (bit > PROBE_LATENCY_MOST)
		return PROBE_LATENCY_USED - 1;
	if (bit < PROBE_LATENCY_BITS)
		return (__u32)ns;
	return ((bit - PROBE_LATENCY_BITS) << PROBE_LATENCY_BITS) +
	       (__u32)(ns >> (bit - PROBE_LATENCY_BITS));
}

static inline __u32 probe_value_bucket(__s64 value)
{
	__u32 bit;

	if (value < PROBE_VALUE_LEAST)
		return 63 - probe_highest_bit(-(__u64)value);
	if (value <= PROBE_VALUE_MOST)
		return (__u32)(PROBE_VALUE_NEGATIVE + (value - PROBE_VALUE_LEAST));
	bit = probe_highest_bit((__u64)value);
	return PROBE_VALUE_POSITIVE + (bit - 5) * 4 + (__u32)((__u64)value >> (bit - 2) & 3);
}

/* ---- keys ---- */

/* Identifies a row. A tid alone may be another thread's later. */
struct probe_row_key {
	__u32 target;
	__u32 id;  /* pid or tid; 0 by comm */
	__u32 pid; /* by thread; else 0 */
	__u32 zero;
	char comm[PROBE_COMM_SIZE]; /* by comm; else zeros */
};

/* A row in use; `used` is set last. */
struct probe_row_name {
	__u32 target, id, pid, used;
	char comm[PROBE_COMM_SIZE]; /* of the first call */
};

_Static_assert(sizeof(struct probe_row_key) == 32, "a key of a map: no padding");
_Static_assert(sizeof(struct probe_row_name) == 32, "as both sides lay it out");

/* ---- conditions ---- */

/* A step in reverse Polish notation: a test pushes its result, the others work on the stack. */
enum probe_step_kind {
	PROBE_STEP_EQUAL,
	PROBE_STEP_LESS,
	PROBE_STEP_BITS, /* any of these bits is set */
	PROBE_STEP_COMM, /* the thread's name equals the two constants */
	PROBE_STEP_NOT,
	PROBE_STEP_AND,
	PROBE_STEP_OR,
};

enum probe_operand {
	PROBE_OPERAND_ARGUMENT, /* 0 to PROBE_ARGUMENTS - 1 */
	PROBE_OPERAND_PID = PROBE_ARGUMENTS,
	PROBE_OPERAND_TID,
	PROBE_OPERAND_CPU,
	PROBE_OPERAND_UID,
	PROBE_OPERAND_RETURNED, /* only at the return; arguments only at the entry */
};

struct probe_step {
	__u8 kind;    /* enum probe_step_kind */
	__u8 operand; /* enum probe_operand */
	__u8 bits;    /* bits of the operand: 8, 16, 32 or 64 */
	__u8 sign;    /* operand and comparison are signed */
	__u32 zero;
	__u64 constants[2];
};

struct probe_steps {
	struct probe_step list[PROBE_CONDITION_STEPS];
	__u64 count; /* 0: always true */
};

_Static_assert(sizeof(struct probe_step) == 24, "as both sides lay it out");
_Static_assert(__builtin_offsetof(struct probe_step, constants) == 8, "no padding");
_Static_assert(sizeof(struct probe_steps) == PROBE_CONDITION_STEPS * 24 + 8,
	       "as both sides lay it out");

#endif
