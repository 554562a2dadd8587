/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times and waits of threads from the kernel's switch records alone, for users who may not load BPF
 * programs. The records equal those of bpf/off_cpu.bpf.c, selected and weighted in the same way,
 * but without stacks and wakers. Switch records do not show when a thread is woken: until it runs
 * it counts as blocked, unless it was preempted. A thread is known from its first record on.
 */
#ifndef SAMPLING_SWITCH_TIMES_H
#define SAMPLING_SWITCH_TIMES_H

#include <stdint.h>

#include "perf/perf_record.h"
#include "sampling/off_cpu.h"

struct switch_times;

typedef void (*switch_times_visitor)(void *context, const union off_cpu_event *event);

/* @random: seed of the draws; tests fix it. */
struct switch_times *switch_times_new(uint64_t random);
void switch_times_free(struct switch_times *times); /* NULL is fine */

/* Takes records in order of time: switches, forks, exits and names; ignores others. @take gets
 * waits as they end, and the times of a thread at its exit or exec. Pass an exec here before
 * treating the process as the new program. */
void switch_times_take(struct switch_times *times, const struct perf_record *record,
		       switch_times_visitor take, void *context);
/* Ends all open waits and times. */
void switch_times_close(struct switch_times *times, uint64_t closed_ns, switch_times_visitor take,
			void *context);

#endif
