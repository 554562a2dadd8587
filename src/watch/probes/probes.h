/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact counts and times of functions, from BPF programs at their entries and exits
 * (bpf/probes.bpf.c). The mechanism for each target is chosen by trying: fentry for a few kernel
 * functions, kprobe.multi for many, single kprobes if a kernel has neither; uprobe.multi, else
 * uprobes, for user programs. Only descriptors hold the links, so nothing stays in the kernel
 * however this process ends.
 *
 * Call probes_new, probes_attach, probes_open, probes_read as often as wanted, probes_close,
 * probes_read for the final counts, probes_free.
 */
#ifndef WATCH_PROBES_PROBES_H
#define WATCH_PROBES_PROBES_H

#include "base/err.h"
#include "model/probe.h"

struct foreign;
struct probes;

/* What to measure besides entries; each has a cost at every call. */
enum probe_measure {
	PROBE_EXITS = 1 << 0,	/* exits, wall time, errors, nested, longest: both ends */
	PROBE_VIRTUAL = 1 << 1, /* virtual_ns, and counters only count while the thread runs */
	PROBE_LATENCY = 1 << 2, /* histogram of durations */
	PROBE_VALUES = 1 << 3,	/* histogram of return values */
	PROBE_MOVED = 1 << 4,
};

enum { PROBE_MAX_PIDS = 4096, PROBE_MAX_COMMS = 8, PROBE_MAX_TARGETS = 65536 };

/* Which calls count. Empty: all. All conditions must hold. */
struct probe_filter {
	const int32_t *pids; /* processes (thread groups) */
	size_t pid_count;
	bool follow; /* also what they fork from now on */
	const int *cpus;
	size_t cpu_count;
	const char *const *comms; /* of the thread at entry; at most 15 bytes, as in the kernel */
	size_t comm_count;
	/* See probe_condition.h for the language; NULL: none. With retval, calls count when they
	 * return, so nothing is known about calls that are inside or never return. */
	const char *condition;
};

/* Places in user programs, besides the targets, that show ends of calls. */
enum probe_place_kind {
	PROBE_PLACE_SITE,    /* after a call: where it returns to */
	PROBE_PLACE_CATCH,   /* a function that exception handlers call first */
	PROBE_PLACE_LONGJMP, /* longjmp(3) */
	PROBE_PLACE_GOEXIT,  /* what each goroutine calls last */
};

enum { PROBE_MOST_GO = 255 };

struct probe_place {
	const char *path;
	uint64_t device, inode; /* of the file, as in stat(2) */
	uint64_t offset;	/* of an instruction in the file */
	enum probe_place_kind kind;
	uint8_t go; /* as in struct probe_target */
};

enum { PROBE_MOST_STARTS = 8 };

/* Code of a static program that calls its threads' start functions. */
struct probe_start {
	uint64_t device, inode; /* of the file, as in stat(2) */
	uint64_t start, end;	/* [start, end): offsets in the file */
};

struct probe_options {
	const struct probe_start *starts;
	size_t start_count;	     /* those beyond PROBE_MOST_STARTS are ignored */
	const struct probe_go *goes; /* of the Go programs with targets and places */
	size_t go_count;	     /* <= PROBE_MOST_GO */
	/* Places known in advance; those with the same path are adjacent. */
	const struct probe_place *places;
	size_t place_count;
	/* True if a probe may be put there: an instruction begins at the offset, and a call may
	 * return to it. NULL: no probes beyond @places. */
	bool (*may_probe)(void *context, const char *path, uint64_t offset);
	void *may_probe_context;
	const struct probe_target *targets;
	size_t target_count;
	unsigned measures; /* of enum probe_measure */
	const struct probe_counter *counters;
	size_t counter_count; /* <= PROBE_COUNTERS */
	enum probe_key key;
	size_t most_keys; /* rows for pids, threads and comms together; 0: default */
	struct probe_filter filter;
	const char *error_if; /* defines errors instead of probe_return; NULL: probe_return does */
	/* Called now and then while attaching or detaching, which may take long: true gives up.
	 * NULL: never. */
	bool (*give_up)(void *context);
	/* Called with the progress of attaching or detaching (@act) one by one. @act is the same
	 * pointer during one act. May be NULL. */
	void (*tell)(void *context, const char *act, size_t done, size_t count);
	void *context;
	struct foreign *foreign; /* reads what may not answer, borrowed; NULL: wait for it */
};

/* The expected cost, before anything is attached. */
struct probe_forecast {
	enum probe_mechanism kernel, user; /* by kind of target; PROBE_NONE: no such targets, or
					      this kernel cannot reach them */
	uint64_t attach_ns, detach_ns;	   /* expected, by table */
	uint64_t hit_ns; /* cost of one run for the watched program: measured here if there are user
			    targets, else by table */
};

/* Loads the programs, in some ten milliseconds. Negative errno with the reason: no permission,
 * lockdown, an old kernel, an invalid condition (-EINVAL), too many rows. */
int probes_new(const struct probe_options *options, struct probes **ret_probes, struct err *err);
/* Detaches all. NULL is fine. */
void probes_free(struct probes *probes);

/* @thorough: tries fentry with a function, which may take 0.2 s; otherwise assumes that it works if
 * the kernel's types are known. */
struct probe_forecast probes_forecast(const struct probes *probes, bool thorough);

/* Attaches to all targets that can be reached; for the others, probes_outcome says why not. Nothing
 * counts yet. -ENOENT: no target could be attached, with the first reason; -EINTR: given up. On
 * failure nothing stays attached. */
int probes_attach(struct probes *probes, struct err *err);
/* Valid after probes_attach. @target: index. */
const struct probe_outcome *probes_outcome(const struct probes *probes, size_t target);

/* Starts counting. Returns the time (CLOCK_MONOTONIC). */
uint64_t probes_open(struct probes *probes);
/* Readable when probes_serve has work; -1: never. Borrowed. */
int probes_event_fd(const struct probes *probes);
/* Puts probes at call sites seen since the last call. */
void probes_serve(struct probes *probes);
/* Stops counting everywhere at once, then detaches, which may take long. Returns the time at which
 * counting stopped. */
uint64_t probes_close(struct probes *probes);

/* The counts so far. *ret_reading is borrowed until the next call. */
void probes_read(struct probes *probes, struct probe_reading *ret_reading);

/* Only the cost, which is cheaper to read. After probes_close: as of the end of counting. */
struct probe_cost probes_cost(const struct probes *probes);

/* The scales of probe_row's histograms. */
struct probe_scale probes_latency_scale(const struct probes *probes);
struct probe_scale probes_value_scale(const struct probes *probes);

/* How many targets are in user programs, or in the kernel. */
size_t probes_count_targets(const struct probe_options *options, bool user);
/* True if calls of some target can end at their call sites. */
bool probes_need_sites(const struct probe_options *options);
/* The mechanism that would reach @count functions of the kernel or of user programs here, found by
 * trying. Takes some ten milliseconds, for kernel functions up to 0.2 s. PROBE_NONE: none. */
enum probe_mechanism probes_mechanism(bool user, size_t count);

#endif
