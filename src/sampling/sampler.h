/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sampling: the perf events of every CPU, their rings, and the weights of their samples.
 *
 * Each CPU has a ring, and a second one for records of processes and mappings if enough memory may
 * be locked. These streams write to them (PERF_EVENT_IOC_SET_OUTPUT):
 *   clock      cpu-clock at the requested rate, never in the idle task
 *   idle       cpu-clock at <= 100 Hz, idle task included: finds interrupts that hit an idle CPU
 *   event      the named events, each at the same rate or every so many events; with a PMU also
 *              cycles, whose NMI sees code that runs with interrupts off
 *   track      mappings with (dev, inode), names, forks, exits, kernel symbols
 *   track_id   the same mappings with build ids; its forks and exits are dropped, as track has them
 *   output     samples of clock and event taken by a BPF program, which walks the user stack in the
 *              interrupt; handed out as if the kernel had written them
 *   waits      records of the off-CPU programs (sampling/off_cpu.h), or every switch
 *
 * Each sampler_jitter draws new periods: counts within +-50 % of the requested ones, timers between
 * 0.55 and 1.65 times theirs (sampling/period.h). Sampling at a regular rhythm can measure 3 % or
 * 97 % for a true 50 % of a program with the same rhythm.
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

#define STREAM_ENUM(id, ...) STREAM_##id,
enum stream { STREAMS(STREAM_ENUM) STREAM_COUNT };

/* The ladder of privilege, from most to least: id, name, what can be seen */
#define RUNGS(X)                                                                  \
	X(MACHINE, "machine", "every process and the kernel")                     \
	X(OWN_KERNEL, "own-kernel", "the chosen processes, user and kernel mode") \
	X(OWN_USER, "own-user", "the chosen processes, user mode only")

#define RUNG_ENUM(id, ...) RUNG_##id,
enum rung { RUNGS(RUNG_ENUM) RUNG_COUNT };

const char *rung_name(enum rung rung);
const char *rung_text(enum rung rung);

/* How user stacks are found, from worst to best: id, name for users. Only INTERRUPT needs no copy
 * of the stack; it needs BPF. */
#define STACK_RUNGS(X)                                     \
	X(NONE, "no stacks")                               \
	X(FRAME_POINTERS, "frame pointers, by the kernel") \
	X(DUMP, "unwind tables, from copies of the stack") \
	X(INTERRUPT, "unwind tables, in the interrupt")

#define STACK_RUNG_ENUM(id, ...) STACK_RUNG_##id,
enum stack_rung { STACK_RUNGS(STACK_RUNG_ENUM) STACK_RUNG_COUNT };

const char *stack_rung_text(enum stack_rung rung);

/* How we learn that threads leave their CPUs and come back. */
enum sampler_waits {
	SAMPLER_WAITS_NONE,
	SAMPLER_WAITS_SWITCHES, /* PERF_RECORD_SWITCH and _SWITCH_CPU_WIDE of every switch */
	SAMPLER_WAITS_OWN,	/* only those of `tids` and what they start, on every rung */
	SAMPLER_WAITS_OUTPUT,	/* the stream `waits`, which BPF programs fill */
};

enum {
	SAMPLER_MAX_EVENTS = 16,
	SAMPLER_IDLE_HZ = 100,	 /* the highest rate of the idle stream */
	SAMPLER_MAX_DEPTH = 512, /* user frames, unless the options differ */
};

struct sampler_options {
	double rate_hz;	    /* samples per second and CPU, > 0 */
	bool whole_machine; /* requested; with `tids`, sampler_open may step down */
	bool machine_only;  /* never step down */
	/* CPUs to sample, online, ascending; borrowed. On the others only mappings and names of
	 * processes are recorded, and the waits of `waits`. 0: all CPUs. */
	const int *cpus;
	size_t cpu_count;
	/* What a lower rung cannot see, for sampler_missing; NULL: "other processes". Borrowed. */
	const char *others;
	const pid_t *tids; /* threads to sample (with all they fork) on the lower rungs; borrowed */
	size_t tid_count;
	/* Other threads of their processes: on the lower rungs mappings and names are recorded of
	 * these, and no samples. Borrowed. */
	const pid_t *other_tids;
	size_t other_count;
	/* Sampled in addition to the clock, at most SAMPLER_MAX_EVENTS; copied. An event that the
	 * kernel cannot count is an error, or is left out if events are optional. */
	const struct event_spec *events;
	size_t event_count;
	bool events_optional;
	/* Per CPU, rounded up to a power of two; less if the mlock limit requires it. 0: 512 KiB,
	 * or where stacks are copied 2 MiB, with many CPUs 1 MiB. */
	size_t ring_bytes;
	uint64_t seed; /* of the jitter; tests fix it */
	/* The best way to find user stacks. Falls back to lower rungs; sampler_stack_rung has the
	 * result. NONE still records the kernel part. */
	enum stack_rung stacks;
	uint32_t max_depth; /* most user frames, <= STACK_MAX_USER; 0: SAMPLER_MAX_DEPTH */
	/* Most stack bytes to copy, <= STACK_DUMP_MAX; 0: 32 KiB on rung INTERRUPT, else 16 KiB. */
	uint32_t dump_bytes;
	/* Stream track_id: the kernel puts the build ids of mapped files in records. From Linux
	 * 5.12 on, the mapping records of other profilers then claim to have one, too. */
	bool build_ids;
	/* Each sample is a DUMP that also has the addresses found in the interrupt, to compare
	 * both. */
	bool verify_stacks;
	bool stacks_by_calls; /* as on kernels without bpf_loop; for tests */
	enum sampler_waits waits;
};

struct sampler;

/* Opens everything, disabled. On failure @err is one line with the limit and the fix. */
int sampler_open(const struct sampler_options *options, struct sampler **ret_sampler,
		 struct err *err);
void sampler_free(struct sampler *sampler);

/* Starts the records of processes and mappings, which may precede the samples. */
void sampler_track(struct sampler *sampler);
void sampler_enable(struct sampler *sampler);
void sampler_disable(struct sampler *sampler);
/* Ends the stream `waits` alone, before the others. */
void sampler_stop_waits(struct sampler *sampler);

/* Reads all rings and passes records older than @cutoff_ns to @take, in order of time. */
void sampler_drain(struct sampler *sampler, uint64_t cutoff_ns,
		   void (*take)(void *context, const struct perf_record *record), void *context);
/* Call now and then during long work, also within a drain (which calls it between records): empties
 * the rings if that is due. The records wait for the next drain. */
void sampler_keep_up(struct sampler *sampler);
/* Draws new periods, unless the last draw was only a few ticks ago. */
void sampler_jitter(struct sampler *sampler);
/* The descriptors that become readable when a ring has records, one or two per CPU. *ret_fds is
 * borrowed. */
size_t sampler_poll_fds(const struct sampler *sampler, const int **ret_fds);

/* The events of the stream `waits`, one per CPU, with borrowed descriptors. Returns their number,
 * at most sampler_cpus. */
struct off_cpu_output;
size_t sampler_wait_outputs(const struct sampler *sampler, struct off_cpu_output *outputs);

/* Where a record came from. */
struct sampler_source {
	enum stream stream; /* STREAM_COUNT for an unknown id */
	size_t event;	    /* STREAM_EVENT: index into the options' events */
};
struct sampler_source sampler_source(const struct sampler *sampler, uint64_t id);
/* The weight of a sample: ns for clock and idle, otherwise the event's count. */
uint64_t sampler_weight(const struct sampler *sampler, const struct perf_record *record);

enum rung sampler_rung(const struct sampler *sampler);
/* The CPUs that are sampled, ascending. *ret_numbers is borrowed. */
size_t sampler_cpu_numbers(const struct sampler *sampler, const int **ret_numbers);
size_t sampler_cpus(const struct sampler *sampler); /* their number */
double sampler_rate(const struct sampler *sampler);
/* The mean period of the idle stream. */
uint64_t sampler_idle_period_ns(const struct sampler *sampler);
/* An event of the options; NULL if it was left out. */
const struct event_spec *sampler_event(const struct sampler *sampler, size_t event);
size_t sampler_event_count(const struct sampler *sampler);
/* Why a higher rung was not available; "" if nothing is missing. */
const char *sampler_missing(const struct sampler *sampler);
/* Whether the PMU's interrupt is an NMI (x86). */
enum clock_kind sampler_pmu_clock(void);

struct sampler_losses {
	bool known; /* complete: Linux 6.0 counts losses per event (PERF_FORMAT_LOST) */
	uint64_t streams[STREAM_COUNT];
	uint64_t events[SAMPLER_MAX_EVENTS]; /* the parts of streams[STREAM_EVENT] */
	uint64_t clock_weight_ns; /* weight of the samples lost by streams[STREAM_CLOCK] */
};
/* The samples that the kernel dropped so far. If it does not count them per event, only those of
 * the stack program are included, and PERF_RECORD_LOST must do for the rest. */
struct sampler_losses sampler_losses(const struct sampler *sampler);

struct sampler_ring_use {
	size_t bytes;		 /* of one ring */
	double high_water, mean; /* filled part of a ring at drains, 0..1 */
};
struct sampler_ring_use sampler_ring_use(const struct sampler *sampler);
struct record_queue_counts sampler_queue_counts(const struct sampler *sampler);

/* ---- stacks ---- */

/*
 * The forms of user_stack on each rung, besides NONE:
 *   INTERRUPT       KNOWN, ADDRESSES or DUMP
 *   DUMP            DUMP
 *   FRAME_POINTERS  CALLCHAIN
 */
enum stack_rung sampler_stack_rung(const struct sampler *sampler);
/* Why a better rung was not available; "" if nothing is missing. */
const char *sampler_stacks_missing(const struct sampler *sampler);
/* The tables of STACK_RUNG_INTERRUPT, which the caller fills; borrowed. NULL on other rungs. */
struct stack_tables *sampler_stack_tables(const struct sampler *sampler);

/* The maps of these tables for programs of other kinds. False on other rungs. */
struct stack_program_maps;
bool sampler_stack_maps(const struct sampler *sampler, struct stack_program_maps *ret_maps);

/* The stack program's counters, summed over all CPUs; zero on other rungs. Its total run time is
 * about counters[RUNS] * counters[TIMED_NS] / counters[TIMED_RUNS]. */
struct sampler_stack_counts {
	uint64_t counters[STACK_COUNTER_COUNT];
};
struct sampler_stack_counts sampler_stack_counts(const struct sampler *sampler);

#endif
