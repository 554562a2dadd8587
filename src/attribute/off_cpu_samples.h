/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --off-cpu in a recording: makes samples from scheduler events, in two events of the profile whose
 * unit is ns.
 *
 *   off-cpu      waits with stacks, sampled and weighted without bias (bpf/off_cpu_draw.h):
 *                the thread's stack as it left its CPU; its innermost frame says what the thread
 *                waited for and who ended the wait (model/words.h WAITS, IMAGE_WAIT)
 *   thread-time  time of each thread: running, runnable, blocked. Exact; no stacks
 *
 * A thread that is preempted, or woken before a CPU is free, is runnable. The blocked and the
 * runnable part of one wait are two samples.
 */
#ifndef ATTRIBUTE_OFF_CPU_SAMPLES_H
#define ATTRIBUTE_OFF_CPU_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "model/who.h"
#include "sampling/sampler.h"

struct frames;
struct machine;
struct off_cpu_output;
struct profile;
struct stack_program_maps;
struct stacks;
struct store_writer;
struct off_cpu_samples;

/* Loads what the kernel side needs; call before the sampler is opened. Never fails:
 * off_cpu_samples_prepare reports what is not available. */
struct off_cpu_samples *off_cpu_samples_new(void);
void off_cpu_samples_free(struct off_cpu_samples *samples); /* NULL is fine */
/* What the sampler must provide. Here and below @samples may be NULL: no --off-cpu. */
enum sampler_waits off_cpu_samples_source(const struct off_cpu_samples *samples);
/* All borrowed. */
struct off_cpu_samples_parts {
	struct profile *profile;
	struct machine *machine;
	/* Only if off_cpu_samples_source asked for the output of the kernel side's programs, and
	 * only for off_cpu_samples_prepare: the tables to walk user stacks with (NULL: frame
	 * pointers), and where the records go. */
	const struct stack_program_maps *maps;
	const struct off_cpu_output *outputs;
	size_t output_count;
	const struct frames *frames;
	struct stacks *stacks; /* NULL: no user stacks */
	struct store_writer *writer;
	struct who_tasks chosen; /* the command's process, or what -p and -t chose; */
	bool only_chosen;	 /* and no others */
	/* Keep only the samples of these: if @chosen cannot say it, because they may start later.
	 * NULL: all that come. */
	const struct who *only;
};

/* Adds its events to the profile, after those that are there. Adds what is not available to
 * run.not_visible. Accounting has not begun yet. */
int off_cpu_samples_prepare(struct off_cpu_samples *samples,
			    const struct off_cpu_samples_parts *parts, struct err *err);
/* Opens the window, now or at @from_ns if that is to come: every thread's time is accounted for from
 * then on. */
void off_cpu_samples_open(struct off_cpu_samples *samples, uint64_t from_ns);
/* Has the open window begin at @from_ns if that is to come, and close at @to_ns unless it is closed
 * before; 0: it is not. */
void off_cpu_samples_set_times(struct off_cpu_samples *samples, uint64_t from_ns, uint64_t to_ns);
/* Takes a record of the stream `waits`, or one about threads. Call in order of time, before the
 * record changes the machine. */
void off_cpu_samples_take(struct off_cpu_samples *samples, const struct perf_record *record);
/* Closes the window. Call while the sampler still runs. */
void off_cpu_samples_stop(struct off_cpu_samples *samples);
/* Call after the last drain: ends the waits that were open when the window closed. Adds losses to
 * the profile, and the overhead to run.bpf_ns. @lost: records of the stream `waits` that the kernel
 * dropped. */
void off_cpu_samples_close(struct off_cpu_samples *samples, uint64_t lost);

#endif
