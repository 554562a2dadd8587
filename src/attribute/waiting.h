/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --off-cpu in a recording: makes samples of what the scheduler's events tell, in two events of the
 * profile whose unit is ns.
 *
 *   off-cpu      waits with their stacks, chosen and weighted without bias (bpf/off_cpu_draw.h):
 *                the thread's stack as it left its CPU, and innermost a frame that tells what it
 *                waited for and who ended it (model/words.h WAITS, IMAGE_WAIT)
 *   thread-time  what each thread's time went into: running, runnable, blocked. Exact; no stacks
 *
 * A thread that is preempted, or woken before a CPU is free, is runnable: of one wait the blocked
 * and the runnable part are two samples.
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

/* Loads what the kernel side needs, before the sampler is opened. Never fails: what is
 * not to be had waiting_prepare tells. */
struct waiting *waiting_new(void);
void waiting_free(struct waiting *waiting); /* NULL is fine */
/* What the sampler must bring. Here and below NULL is fine: --off-cpu was not asked for. */
enum sampler_waits waiting_source(const struct waiting *waiting);
/* All borrowed. */
struct waiting_parts {
	struct profile *profile;
	struct machine *machine;
	/* For the programs of the kernel side, where waiting_source asked for their output, and for
	 * waiting_prepare alone: the tables user stacks are walked with (NULL: by frame pointers),
	 * and where the records go. */
	const struct stack_program_maps *maps;
	const struct off_cpu_output *outputs;
	size_t output_count;
	const struct frames *frames;
	struct stacks *stacks; /* NULL: no user stacks are wanted */
	struct store_writer *writer;
	const pid_t *chosen; /* the command's process, or those of -p; */
	size_t chosen_count;
	bool only_chosen; /* and no others */
};

/* Adds its events to the profile, behind those that are there, and what is not to be had to
 * run.not_visible. Nothing is accounted for yet. */
int waiting_prepare(struct waiting *waiting, const struct waiting_parts *parts, struct err *err);
/* Opens the window: from now on every thread's time is accounted for. */
void waiting_open(struct waiting *waiting);
/* A record, in its place in the order of time and before it changes the machine: those of the
 * stream `waits`, and what tells of threads. */
void waiting_take(struct waiting *waiting, const struct perf_record *record);
/* Closes the window, while the sampler still runs. */
void waiting_stop(struct waiting *waiting);
/* After the last drain: ends the waits that are open as the window closed. Counts what was lost in
 * the profile, and adds what it cost to run.bpf_ns. @lost: records of the stream `waits` that the
 * kernel dropped. */
void waiting_close(struct waiting *waiting, uint64_t lost);

#endif
