/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The times and waits of threads from the kernel's switch records alone, for users who may not load
 * programs: the same records as those of bpf/off_cpu.bpf.c, chosen and weighted alike, but without
 * stacks and wakers. Nobody tells when a thread is woken: until it runs it counts as blocked,
 * unless it was preempted. A thread is known from the first record about it on.
 */
#ifndef SAMPLING_SWITCH_TIMES_H
#define SAMPLING_SWITCH_TIMES_H

#include <stdint.h>

#include "perf/perf_record.h"
#include "sampling/off_cpu_event.h"

struct switch_times;

typedef void (*switch_times_visitor)(void *context, const union off_cpu_event *event);

/* @random: of the draws; tests fix it. */
struct switch_times *switch_times_new(uint64_t random);
void switch_times_free(struct switch_times *times); /* NULL is fine */

/* Records in order of time: switches, forks, exits and names; others are ignored. @take gets waits
 * as they end, and the times of a thread at its exit or exec. An exec is to be told before the
 * program is taken for another one. */
void switch_times_take(struct switch_times *times, const struct perf_record *record,
		       switch_times_visitor take, void *context);
/* Ends what is open. */
void switch_times_close(struct switch_times *times, uint64_t closed_ns, switch_times_visitor take,
			void *context);

#endif
