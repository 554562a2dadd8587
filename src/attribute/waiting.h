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
#ifndef ATTRIBUTE_WAITING_H
#define ATTRIBUTE_WAITING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "sampling/sampler.h"

struct frames;
struct machine;
struct off_cpu_output;
struct profile;
struct stack_program_maps;
struct stacks;
struct store_writer;
struct waiting;

/* Loads what the kernel side needs; call before the sampler is opened. Never fails: waiting_prepare
 * reports what is not available. */
struct waiting *waiting_new(void);
void waiting_free(struct waiting *waiting); /* NULL is fine */
/* What the sampler must provide. Here and below @waiting may be NULL: no --off-cpu. */
enum sampler_waits waiting_source(const struct waiting *waiting);
/* All borrowed. */
struct waiting_parts {
	struct profile *profile;
	struct machine *machine;
	/* Only if waiting_source asked for the output of the kernel side's programs, and only for
	 * waiting_prepare: the tables to walk user stacks with (NULL: frame pointers), and where
	 * the records go. */
	const struct stack_program_maps *maps;
	const struct off_cpu_output *outputs;
	size_t output_count;
	const struct frames *frames;
	struct stacks *stacks; /* NULL: no user stacks */
	struct store_writer *writer;
	const pid_t *chosen; /* the command's process, or those of -p; */
	size_t chosen_count;
	bool only_chosen; /* and no others */
};

/* Adds its events to the profile, after those that are there. Adds what is not available to
 * run.not_visible. Accounting has not begun yet. */
int waiting_prepare(struct waiting *waiting, const struct waiting_parts *parts, struct err *err);
/* Opens the window: every thread's time is accounted for from now on. */
void waiting_open(struct waiting *waiting);
/* Takes a record of the stream `waits`, or one about threads. Call in order of time, before the
 * record changes the machine. */
void waiting_take(struct waiting *waiting, const struct perf_record *record);
/* Closes the window. Call while the sampler still runs. */
void waiting_stop(struct waiting *waiting);
/* Call after the last drain: ends the waits that were open when the window closed. Adds losses to
 * the profile, and the overhead to run.bpf_ns. @lost: records of the stream `waits` that the kernel
 * dropped. */
void waiting_close(struct waiting *waiting, uint64_t lost);

#endif
