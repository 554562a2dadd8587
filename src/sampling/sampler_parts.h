/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a sampler is made of; private to sampler*.c. sampler_attr.c says what each stream asks of
 * the kernel, sampler_open.c opens it all, sampler_stacks.c has what stacks add, sampler.c runs it.
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

/* Of events that programs write to: a call chain would be taken at each write. */
#define SAMPLER_OUTPUT_TYPE ((PERF_RECORD_SAMPLE_TYPE & ~PERF_SAMPLE_CALLCHAIN) | PERF_SAMPLE_RAW)

enum {
	SAMPLER_LEAST_JITTERED =
		16, /* smaller counts are exact: hardly anything is in step with them */
	/* The kernel forgets how far an event is on its way to the next sample when the count
	 * changes, half a count on average: of what a PMU counts, less than 1 % is missing where
	 * one waits this long. What software counts lacks nothing (software_weight). */
	SAMPLER_SAMPLES_BETWEEN_DRAWS = 64,
};

struct perf_fd {
	int fd;
	uint64_t id;
	uint32_t cpu; /* index into sampler.cpus */
	enum stream stream;
	size_t event;	 /* STREAM_EVENT: index into sampler.events */
	pid_t tid;	 /* -1: the CPU, whoever runs */
	bool by_program; /* the stack program takes its samples */
	bool dumps;	 /* its samples have registers and a copy of the stack */
	/* Software events and tracepoints that are sampled by count. Were the period asked for in
	 * their samples, the kernel would ignore it, and sample each event (perf_swevent_event). */
	bool silent;
	/* Of those: the count that is set, the one before, when it was changed (0: never), and how
	 * many samples came since. */
	uint64_t period, period_before, drawn_ns, since_draw;
	/* Of the clock, up to the last change of its period: how many samples were lost, and what
	 * they stood for. */
	uint64_t noted_lost, noted_lost_ns;
};

/* What samples may have beside what all have. */
enum sampler_format { SAMPLER_CHAIN, SAMPLER_BARE, SAMPLER_DUMP, SAMPLER_FORMATS };

/* A ring and the event that owns it, borrowed from sampler.fds. */
struct sampler_ring {
	struct ring ring;
	int fd;
};

struct sampler_cpu {
	int number;
	/* What tells of processes and mappings has a ring of its own: copies of stacks may fill the
	 * other, and a lost sample is one sample, a lost mapping all that comes after it. */
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
	size_t ring_bytes;
	struct event_spec events[SAMPLER_MAX_EVENTS];
	bool has_event[SAMPLER_MAX_EVENTS];
	uint64_t undrawn[SAMPLER_MAX_EVENTS]; /* samples since its counts were drawn */
	size_t event_count;
	bool events_optional;
	bool no_build_ids;
	bool format_lost;
	uint64_t jitter_state, last_jitter_ns;
	struct record_queue *queue;
	uint64_t collected_ns;		  /* when the rings were emptied last */
	struct perf_format output_format; /* of events that programs write to */
	struct perf_format bare_format;	  /* of events whose samples a program takes */
	struct perf_format dump_format;	  /* of events with copies of the stack */
	struct perf_format silent_formats[SAMPLER_FORMATS]; /* the same without periods */
	enum stack_rung stacks;
	uint32_t dump_bytes;
	struct stack_program *program; /* STACK_RUNG_INTERRUPT */
	bool stacks_refused;	       /* opening failed for the stacks, not for the events */
	struct err stacks_missing;
	struct unwind_registers dumped; /* of the record that is being handed out */
	enum sampler_waits waits;
	double fill_sum, fill_max;
	uint64_t fill_count;
	struct err missing;
};

/* What is opened on each CPU, or for each thread on each CPU: a stream, or one of the named events.
 */
struct sampler_wanted {
	enum stream stream;
	size_t event;
};

/* ---- sampler_attr.c ---- */

struct perf_event_attr sampler_attr(const struct sampler *sampler, struct sampler_wanted wanted);
/* Can a recording do without it? */
bool sampler_attr_optional(const struct sampler *sampler, struct sampler_wanted wanted);
/* How many events a stream has on each CPU for a thread, or with @tid -1 for whoever runs. */
size_t sampler_attr_width(const struct sampler *sampler, enum stream stream, pid_t tid);
/* Do its samples come without a period (see struct perf_fd)? */
bool sampler_attr_silent(const struct sampler *sampler, struct sampler_wanted wanted);
/* Is it the stack program that takes its samples? */
bool sampler_attr_by_program(const struct sampler *sampler, struct sampler_wanted wanted);

/* ---- sampler_open.c ---- */

/* The event with this id (PERF_EVENT_IOC_ID); NULL: none of ours. */
const struct perf_fd *sampler_open_find(const struct sampler *sampler, uint64_t id);

/* ---- sampler_losses.c ---- */

/* The period of an event of the clock is about to be changed: what it lost until now was lost at
 * the old one. */
void sampler_losses_note(const struct sampler *sampler, struct perf_fd *event);

/* ---- sampler_stacks.c ---- */

/* Before anything is opened: loads the program where it is wanted. Never fails: what cannot be had
 * is told by sampler_stacks_missing. */
void sampler_stacks_begin(struct sampler *sampler, const struct sampler_options *options);
/* An event has been opened: the program is attached, or given it as output. */
int sampler_stacks_opened(struct sampler *sampler, const struct perf_fd *event, struct err *err);
/* Takes the next lower rung, for the reason in @why. false: there is none. */
bool sampler_stacks_step_down(struct sampler *sampler, const char *why);
/* A record as the kernel wrote it, to one as sampler_drain hands it out. false: drop it. */
bool sampler_stacks_convert(struct sampler *sampler, struct perf_record *record);
void sampler_stacks_done(struct sampler *sampler);

#endif
