/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sampling: the perf events of every CPU, their rings, and what a sample of theirs weighs.
 *
 * Each CPU has a ring, and one more for what tracks processes and mappings, where memory may be
 * locked for it; these streams write to them (PERF_EVENT_IOC_SET_OUTPUT):
 *   clock      cpu-clock at the wanted rate, never in the idle task
 *   idle       cpu-clock at <= 100 Hz, idle task included: finds interrupts that hit an idle CPU
 *   event      what was asked for by name, each at the same rate or every so many; where there is a
 *              PMU, cycles: its NMI sees code that runs with interrupts off
 *   track      mappings with (dev, inode), names, forks, exits, kernel symbols
 *   track_id   the same mappings with build ids; its forks and exits are not handed out, for track
 *              has them
 *   output     the samples of clock and event, where a BPF program takes them: it walks the user
 *              stack in the interrupt. They are handed out as if the kernel had written them
 *   waits      what the off-CPU programs tell (sampling/off_cpu.h), or every switch
 *
 * Periods are drawn anew at each sampler_jitter, counts within +-50 % of what was asked for, timers
 * between 0.55 and 1.65 of it (sampling/period.h): sampling at an even rhythm reads a program of the
 * same rhythm as 3 % or 97 % of a true 50 %.
 */
#ifndef SAMPLING_SAMPLER_H
#define SAMPLING_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "model/words.h"
#include "perf/event_names.h"
#include "perf/perf_record.h"
#include "perf/record_queue.h"
#include "sampling/stack_tables.h"

#define STREAMS(X)              \
	X(CLOCK, "clock")       \
	X(IDLE, "idle")         \
	X(EVENT, "event")       \
	X(TRACK, "track")       \
	X(TRACK_ID, "track_id") \
	X(OUTPUT, "output")     \
	X(WAITS, "waits")

enum stream {
#define ROW(id, name) STREAM_##id,
	STREAMS(ROW)
#undef ROW
		STREAM_COUNT
};

/* The ladder of privilege, from all to least: id, name, what is seen */
#define RUNGS(X)                                                                  \
	X(MACHINE, "machine", "every process and the kernel")                     \
	X(OWN_KERNEL, "own-kernel", "the chosen processes, user and kernel mode") \
	X(OWN_USER, "own-user", "the chosen processes, user mode only")

enum rung {
#define ROW(id, name, text) RUNG_##id,
	RUNGS(ROW)
#undef ROW
		RUNG_COUNT
};

const char *rung_name(enum rung rung);
const char *rung_text(enum rung rung);

/* How user stacks are found, from nothing to best: id, name, what a person reads. Only INTERRUPT
 * costs no copy of the stack; it needs BPF. */
#define STACK_RUNGS(X)                                     \
	X(NONE, "no stacks")                               \
	X(FRAME_POINTERS, "frame pointers, by the kernel") \
	X(DUMP, "unwind tables, from copies of the stack") \
	X(INTERRUPT, "unwind tables, in the interrupt")

enum stack_rung {
#define ROW(id, text) STACK_RUNG_##id,
	STACK_RUNGS(ROW)
#undef ROW
		STACK_RUNG_COUNT
};

const char *stack_rung_text(enum stack_rung rung);

/* How it is told that threads leave their CPUs and come back. */
enum sampler_waits {
	SAMPLER_WAITS_NONE,
	SAMPLER_WAITS_SWITCHES, /* PERF_RECORD_SWITCH and _SWITCH_CPU_WIDE, of every switch */
	SAMPLER_WAITS_OUTPUT,	/* the stream `waits`, to be filled by programs */
};

enum {
	SAMPLER_MAX_EVENTS = 16,
	SAMPLER_IDLE_HZ = 100,	 /* of the idle stream, at most */
	SAMPLER_MAX_DEPTH = 512, /* user frames, unless the options say otherwise */
};

struct sampler_options {
	double rate_hz;	    /* samples per second and CPU, > 0 */
	bool whole_machine; /* wanted; sampler_open may step down when `tids` are given */
	bool machine_only;  /* never step down */
	const pid_t *tids; /* threads to sample (with all they fork) on the lower rungs; borrowed */
	size_t tid_count;
	/* Sampled beside the clock, at most SAMPLER_MAX_EVENTS; copied. One that the kernel cannot
	 * count is an error, unless it is optional: then it is left out. */
	const struct event_spec *events;
	size_t event_count;
	bool events_optional;
	size_t ring_bytes; /* per CPU, rounded up to a power of two; 0: what fits, at most 512 KiB
			    */
	uint64_t seed;	   /* of the jitter; tests fix it */
	/* Of the user part; below NONE a sample has the kernel's part all the same. The best that
	 * is to be had from here downwards: sampler_stack_rung says which. */
	enum stack_rung stacks;
	uint32_t
		max_depth; /* user frames walked at most, <= STACK_MAX_USER; 0: SAMPLER_MAX_DEPTH */
	uint32_t dump_bytes; /* of stack copied at most, <= STACK_DUMP_MAX; 0: as many as are sound
			      */
	/* No stream track_id: build ids are what the files that are found have. Kernels from 5.12
	 * on say of the mapping records of another profiler that they have a build id too, once one
	 * of their readers asked for it. */
	bool no_build_ids;
	/* Every sample comes as a DUMP with the addresses the interrupt found: to compare them. */
	bool verify_stacks;
	bool stacks_by_calls; /* as on kernels without bpf_loop; tests */
	enum sampler_waits waits;
};

struct sampler;

/* Opens everything, disabled. Fails with one line that names the limit and what mends it. */
int sampler_open(const struct sampler_options *options, struct sampler **ret_sampler,
		 struct err *err);
void sampler_free(struct sampler *sampler);

/* What tells of processes and mappings may begin before the samples do. */
void sampler_track(struct sampler *sampler);
void sampler_enable(struct sampler *sampler);
void sampler_disable(struct sampler *sampler);

/* Reads all rings and hands out, in order of time, what is older than @cutoff_ns. */
void sampler_drain(struct sampler *sampler, uint64_t cutoff_ns,
		   void (*take)(void *context, const struct perf_record *record), void *context);
/* To be called now and then by what takes long, also within a drain (which does so itself between
 * records): empties the rings when they were not for a while. The records wait for the next drain.
 */
void sampler_keep_up(struct sampler *sampler);
/* Draws new periods, unless the last draw was less than a few ticks ago. */
void sampler_jitter(struct sampler *sampler);
/* The descriptors that become readable when a ring has something to be taken, one or two per CPU;
 * *ret_fds is borrowed. */
size_t sampler_poll_fds(const struct sampler *sampler, const int **ret_fds);

/* The events of the stream `waits`, one for each CPU; the descriptors are borrowed. Returns how
 * many there are, at most sampler_cpus. */
struct off_cpu_output;
size_t sampler_wait_outputs(const struct sampler *sampler, struct off_cpu_output *outputs);

/* Where a record comes from. */
struct sampler_source {
	enum stream stream; /* STREAM_COUNT for an id that is not ours */
	size_t event;	    /* STREAM_EVENT: index into the options' events */
};
struct sampler_source sampler_source(const struct sampler *sampler, uint64_t id);
/* What a sample stands for: ns for clock and idle, the event's own count else. */
uint64_t sampler_weight(const struct sampler *sampler, const struct perf_record *record);

enum rung sampler_rung(const struct sampler *sampler);
size_t sampler_cpus(const struct sampler *sampler);
double sampler_rate(const struct sampler *sampler);
/* The mean period of the idle stream. */
uint64_t sampler_idle_period_ns(const struct sampler *sampler);
/* The events of the options as they were opened; NULL for one that was left out. */
const struct event_spec *sampler_event(const struct sampler *sampler, size_t event);
size_t sampler_event_count(const struct sampler *sampler);
/* The sentence that says why a rung higher up was not to be had; "" when nothing is missing. */
const char *sampler_missing(const struct sampler *sampler);
/* Whether the PMU's interrupt is an NMI (x86) or not. */
enum clock_kind sampler_pmu_clock(void);

struct sampler_losses {
	bool known; /* all of it: Linux 6.0 counts what each event lost (PERF_FORMAT_LOST) */
	uint64_t streams[STREAM_COUNT];
	uint64_t events[SAMPLER_MAX_EVENTS]; /* the parts of streams[STREAM_EVENT] */
	uint64_t clock_weight_ns; /* what streams[STREAM_CLOCK] stood for, each its own period */
};
/* What the kernel dropped so far. Where it does not say of which event, there is only what the
 * stack program counted, and PERF_RECORD_LOST has to do for the rest. */
struct sampler_losses sampler_losses(const struct sampler *sampler);

struct sampler_ring_use {
	size_t bytes;		 /* of one ring */
	double high_water, mean; /* parts of it found filled at the drains, 0..1 */
};
struct sampler_ring_use sampler_ring_use(const struct sampler *sampler);
struct record_queue_counts sampler_queue_counts(const struct sampler *sampler);

/* ---- stacks ---- */

/* What samples have in user_stack: INTERRUPT: NONE, KNOWN, ADDRESSES or DUMP; DUMP: DUMP;
 * FRAME_POINTERS: CALLCHAIN; and NONE in all of them. */
enum stack_rung sampler_stack_rung(const struct sampler *sampler);
/* The sentence that says why a better way was not to be had; "" when nothing is missing. */
const char *sampler_stacks_missing(const struct sampler *sampler);
/* The tables of STACK_RUNG_INTERRUPT, to be filled; borrowed. NULL on the other rungs. */
struct stack_tables *sampler_stack_tables(const struct sampler *sampler);

/* The same for programs of other kinds. false: on the other rungs. */
struct stack_program_maps;
bool sampler_stack_maps(const struct sampler *sampler, struct stack_program_maps *ret_maps);

/* What the program counted so far, all CPUs together; zeroes on the other rungs. Its whole run time
 * is about counters[RUNS] * counters[TIMED_NS] / counters[TIMED_RUNS]. */
struct sampler_stack_counts {
	uint64_t counters[STACK_COUNTER_COUNT];
};
struct sampler_stack_counts sampler_stack_counts(const struct sampler *sampler);

#endif
