/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact counts and times of functions, by programs in the kernel at their entries and exits
 * (bpf/probes.bpf.c). Chooses how each target is reached, by trying: fentry for a few functions of
 * the kernel, kprobe.multi for many, kprobes one by one where a kernel has neither; uprobe.multi,
 * else uprobes, for programs. Links are held by descriptors alone, so that nothing is left in the
 * kernel however this process ends.
 *
 * The order of calls: probes_new, probes_attach, probes_open, probes_read as often as wanted,
 * probes_close, probes_read for what there was in the end, probes_free.
 */
#ifndef WATCH_PROBES_PROBES_H
#define WATCH_PROBES_PROBES_H

#include "base/err.h"
#include "model/probe.h"

struct foreign;
struct probes;

/* What is measured beside entries; each costs something at every call. */
enum probe_measure {
	PROBE_EXITS = 1 << 0,	/* exits, wall time, errors, nested, longest: all of a pair */
	PROBE_VIRTUAL = 1 << 1, /* virtual_ns, and counters that stand still while not running */
	PROBE_LATENCY = 1 << 2, /* histogram of the times of calls */
	PROBE_VALUES = 1 << 3,	/* histogram of what was returned */
	PROBE_MOVED = 1 << 4,
};

/* A count that is attributed to the calls during which it rose (virtual: only while the thread
 * ran). */
enum probe_counter_kind {
	PROBE_COUNT_PMU, /* of the hardware; @type, @config as perf_event_open(2) */
	PROBE_COUNT_PAGE_FAULTS,
	PROBE_COUNT_CONTEXT_SWITCHES,
	PROBE_COUNT_CPU_MIGRATIONS,
};

struct probe_counter {
	enum probe_counter_kind kind;
	uint32_t type;
	uint64_t config;
	const char *name; /* for messages */
};

enum { PROBE_MAX_PIDS = 4096, PROBE_MAX_COMMS = 8, PROBE_MAX_TARGETS = 65536 };

/* Whose calls count. Empty: everybody's. All conditions must hold. */
struct probe_filter {
	const int32_t *pids; /* processes (thread groups) */
	size_t pid_count;
	bool follow; /* and what they fork from now on */
	const int *cpus;
	size_t cpu_count;
	const char *const *comms; /* of the thread at entry; cut to 15 bytes, as the kernel does */
	size_t comm_count;
	/* probe_condition.h has the language; NULL: none. With retval in it calls count when they
	 * have returned: nothing is told of those that are inside, or never return. */
	const char *condition;
};

/* Places of programs that tell of ends of calls, beside those of the targets. */
enum probe_place_kind {
	PROBE_PLACE_SITE,    /* behind a call: where one returns to */
	PROBE_PLACE_CATCH,   /* a function that handlers of exceptions call as they begin */
	PROBE_PLACE_LONGJMP, /* longjmp(3) */
	PROBE_PLACE_GOEXIT,  /* what each goroutine calls as the last */
};

enum { PROBE_MOST_GO = 255 };

struct probe_place {
	const char *path;
	uint64_t device, inode; /* of its file, as stat(2) has them */
	uint64_t offset;	/* in the file, of an instruction */
	enum probe_place_kind kind;
	uint8_t go; /* as of a target */
};

enum { PROBE_MOST_STARTS = 8 };

/* Code of a static program that calls what its threads begin with. */
struct probe_start {
	uint64_t device, inode; /* of its file, as stat(2) has them */
	uint64_t start, end;	/* [start, end), offsets in the file */
};

struct probe_options {
	const struct probe_start *starts;
	size_t start_count;	     /* those beyond PROBE_MOST_STARTS are left out */
	const struct probe_go *goes; /* of the Go programs that targets and places are in */
	size_t go_count;	     /* <= PROBE_MOST_GO */
	/* Places that are known beforehand; those of a path together. */
	const struct probe_place *places;
	size_t place_count;
	/* May a probe be put there? That an instruction begins at the offset and that calls return
	 * to it is what has to be shown. NULL: nowhere beyond @places. */
	bool (*may_probe)(void *context, const char *path, uint64_t offset);
	void *may_probe_context;
	const struct probe_target *targets;
	size_t target_count;
	unsigned measures; /* of enum probe_measure */
	const struct probe_counter *counters;
	size_t counter_count; /* <= PROBE_COUNTERS */
	enum probe_key key;
	size_t most_keys; /* rows for pids, threads and comms together; 0: a sensible number */
	struct probe_filter filter;
	const char *error_if; /* what an error is instead of probe_return's words; NULL: those */
	/* Asked now and then while attaching or detaching, which may take long: true gives up.
	 * NULL: never. */
	bool (*give_up)(void *context);
	/* Told how far attaching and detaching (@act) one by one are; as @act stays, so does its
	 * text's address. NULL: nobody is. */
	void (*tell)(void *context, const char *act, size_t done, size_t count);
	void *context;
	struct foreign *foreign; /* reads what may not answer, borrowed; NULL: it is waited for */
};

/* What it would take, before anything is attached. */
struct probe_forecast {
	enum probe_mechanism kernel, user; /* of targets of each kind; PROBE_NONE: there are none,
					      or this kernel has no way to them */
	uint64_t attach_ns, detach_ns;	   /* expected, by table */
	uint64_t hit_ns; /* what one run costs the program that is watched, calibrated here where
			    there are user targets, else by table */
};

/* Loads the programs: some ten milliseconds. Negative errno with the reason: no permission, locked
 * down, a kernel that cannot, a condition that makes no sense (-EINVAL), too many rows. */
int probes_new(const struct probe_options *options, struct probes **ret_probes, struct err *err);
/* Detaches what is attached. NULL is fine. */
void probes_free(struct probes *probes);

/* @thorough: fentry is tried with a function, which may take 0.2 s; else it is taken for possible
 * where the kernel's types are known. */
struct probe_forecast probes_forecast(const struct probes *probes, bool thorough);

/* Attaches all that can be; of what cannot, probes_outcome says why. Nothing counts yet. -ENOENT:
 * nothing at all could be attached, with the first reason; -EINTR: given up, nothing is left. */
int probes_attach(struct probes *probes, struct err *err);
/* Valid after probes_attach. @target: index. */
const struct probe_outcome *probes_outcome(const struct probes *probes, size_t target);

/* Counting begins. Returns when that was (CLOCK_MONOTONIC). */
uint64_t probes_open(struct probes *probes);
/* Readable when there is something for probes_serve to do; -1: never. Borrowed. */
int probes_event_fd(const struct probes *probes);
/* Puts probes where calls were seen to come from. */
void probes_serve(struct probes *probes);
/* Counting ends, now, everywhere; then all is detached, which may take long. */
uint64_t probes_close(struct probes *probes);

/* What was counted so far. *ret_reading is borrowed until the next call. */
void probes_read(struct probes *probes, struct probe_reading *ret_reading);

/* The cost alone: cheaper. After probes_close what it was when counting ended. */
struct probe_cost probes_cost(const struct probes *probes);

/* The scales of probe_row's histograms. */
struct probe_scale probes_latency_scale(const struct probes *probes);
struct probe_scale probes_value_scale(const struct probes *probes);

/* Do the conditions make sense? *ret_exits: they need exits, whatever the measures. 0, or -EINVAL,
 * -E2BIG with the reason. */
int probes_check_conditions(const struct probe_options *options, bool *ret_exits, struct err *err);
/* By which way functions of the kernel or of programs would be reached here, found by trying: some
 * ten milliseconds, up to 0.2 s for functions of the kernel. @count: how many. PROBE_NONE: by none.
 */
enum probe_mechanism probes_mechanism(bool user, size_t count);

#endif
