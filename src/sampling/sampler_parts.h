/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The internals of a sampler; private to sampler*.c. sampler_attr.c has the attributes of each
 * stream, sampler_open.c opens the events, sampler_stacks.c handles stacks, sampler.c runs it.
 */
#ifndef SAMPLING_SAMPLER_PARTS_H
#define SAMPLING_SAMPLER_PARTS_H

#include <linux/perf_event.h>

#include "base/hashidx.h"
#include "base/vec.h"
#include "perf/ring.h"
#include "sampling/period.h"
#include "sampling/sampler.h"
#include "sampling/stack_program.h"

/* For events that programs write to: without call chain, which each write would otherwise take. */
#define SAMPLER_OUTPUT_TYPE ((PERF_RECORD_SAMPLE_TYPE & ~PERF_SAMPLE_CALLCHAIN) | PERF_SAMPLE_RAW)

enum {
	SAMPLER_LEAST_JITTERED = 16, /* smaller counts stay exact: hardly any program is in step */
	/* When the count changes, the kernel forgets the events counted towards the next sample,
	 * half a count on average. If the sampler waits for this many samples, less than 1 % of a
	 * PMU event is missing. Software events lose nothing (software_weight). */
	SAMPLER_SAMPLES_BETWEEN_DRAWS = 64,
};

struct perf_fd {
	int fd;
	uint64_t id;
	uint32_t cpu; /* index into sampler.cpus */
	enum stream stream;
	size_t event;	 /* STREAM_EVENT: index into sampler.events */
	pid_t tid;	 /* -1: the CPU, any thread */
	bool by_program; /* the stack program takes its samples */
	bool dumps;	 /* its samples have registers and a copy of the stack */
	/* A software event or tracepoint that is sampled by count. If its samples had to carry the
	 * period, the kernel would ignore the period and sample every event (perf_swevent_event).
	 */
	bool silent;
	/* For these: the current count, the previous one, when it changed (0: never), and the
	 * number of samples since. */
	uint64_t period, period_before, drawn_ns, since_draw;
	/* For the clock, up to the last change of period: lost samples, and their weight. */
	uint64_t noted_lost, noted_lost_ns;
};

/* The optional parts of samples. */
enum sampler_format { SAMPLER_CHAIN, SAMPLER_BARE, SAMPLER_DUMP, SAMPLER_FORMATS };

/* A ring and the event that owns it, borrowed from sampler.fds. */
struct sampler_ring {
	struct ring ring;
	int fd;
};

struct sampler_cpu {
	int number;
	bool sampled; /* false: its rings have what explains the samples of other CPUs */
	/* Process and mapping records have their own ring, because stack copies may fill the other:
	 * a lost sample is one sample, but a lost mapping affects all samples after it. */
	struct sampler_ring samples, tracking;
	struct period_history clock, idle;
};

struct sampler {
	enum rung rung;
	uint64_t clock_period_ns, idle_period_ns; /* means */
	double rate_hz;
	VEC(struct perf_fd) fds;
	VEC(int) poll_fds;  /* of all rings */
	struct hashidx ids; /* event id -> index into fds */
	struct sampler_cpu *cpus;
	size_t cpu_count;
	VEC(int) sampled_cpus;
	size_t ring_bytes;
	struct event_spec events[SAMPLER_MAX_EVENTS];
	bool has_event[SAMPLER_MAX_EVENTS];
	uint64_t undrawn[SAMPLER_MAX_EVENTS]; /* samples since the counts were drawn */
	size_t event_count;
	bool events_optional;
	bool build_ids;
	bool format_lost;
	uint64_t jitter_state, last_jitter_ns;
	struct record_queue *queue;
	uint64_t collected_ns;		  /* when the rings were last emptied */
	struct perf_format output_format; /* of events that programs write to */
	struct perf_format bare_format;	  /* of events whose samples a program takes */
	struct perf_format dump_format;	  /* of events with copies of the stack */
	struct perf_format silent_formats[SAMPLER_FORMATS]; /* the same without period */
	enum stack_rung stacks;
	uint32_t dump_bytes;
	struct stack_program *program; /* STACK_RUNG_INTERRUPT */
	bool stacks_refused;	       /* opening failed because of the stacks */
	struct err stacks_missing;
	struct unwind_registers dumped; /* of the record being handed out */
	enum sampler_waits waits;
	double fill_sum, fill_max;
	uint64_t fill_count;
	struct err missing;
};

/* One event to open on each CPU, or for each thread on each CPU: a stream, or a named event. */
struct sampler_wanted {
	enum stream stream;
	size_t event;
};

/* ---- sampler_attr.c ---- */

struct perf_event_attr sampler_attr(const struct sampler *sampler, struct sampler_wanted wanted);
/* True if a recording can do without it. */
bool sampler_attr_optional(const struct sampler *sampler, struct sampler_wanted wanted);
/* How many events a stream has on each CPU for a thread, or with @tid -1 for any thread. */
size_t sampler_attr_width(const struct sampler *sampler, enum stream stream, pid_t tid);
/* True if its samples have no period (see struct perf_fd). */
bool sampler_attr_silent(const struct sampler *sampler, struct sampler_wanted wanted);
/* True if the stack program takes its samples. */
bool sampler_attr_by_program(const struct sampler *sampler, struct sampler_wanted wanted);

/* ---- sampler_open.c ---- */

/* The event with this id (PERF_EVENT_IOC_ID); NULL: none of ours. */
const struct perf_fd *sampler_open_find(const struct sampler *sampler, uint64_t id);

/* ---- sampler_losses.c ---- */

/* Call before changing the period of a clock event: its losses so far are weighted with the old
 * one. */
void sampler_losses_note(const struct sampler *sampler, struct perf_fd *event);

/* ---- sampler_stacks.c ---- */

/* Call before opening events: loads the program if requested. Never fails: sampler_stacks_missing
 * explains what is not available. */
void sampler_stacks_begin(struct sampler *sampler, const struct sampler_options *options);
/* Call after opening an event: attaches the program to it, or makes it an output of the program. */
int sampler_stacks_opened(struct sampler *sampler, const struct perf_fd *event, struct err *err);
/* Steps down one rung for the reason @why. False if there is none left. */
bool sampler_stacks_step_down(struct sampler *sampler, const char *why);
/* Converts a record from the kernel's form to that of sampler_drain. False: drop it. */
bool sampler_stacks_convert(struct sampler *sampler, struct perf_record *record);
void sampler_stacks_done(struct sampler *sampler);

#endif
