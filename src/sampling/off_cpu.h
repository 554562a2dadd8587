/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where threads wait, as the kernel's scheduler tells it: the programs of bpf/off_cpu.bpf.c. Their
 * records arrive in the rings as samples of BPF_OUTPUT events (sampling/off_cpu_event.h reads them).
 *
 * There is a window: every thread's time between off_cpu_open and off_cpu_close is accounted for,
 * also of those that were there before it opens or wait when it closes.
 */
#ifndef SAMPLING_OFF_CPU_H
#define SAMPLING_OFF_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "sampling/off_cpu_event.h"

struct off_cpu;

/* The descriptor of a CPU's PERF_COUNT_SW_BPF_OUTPUT event. */
struct off_cpu_output {
	int cpu;
	int fd;
};

/* Can this user on this kernel have it? Some milliseconds. Negative errno with the reason: no
 * permission, or a kernel that cannot. */
int off_cpu_check(struct err *err);

/* Loads the programs, some ten milliseconds; nothing runs yet. @maps: the tables user stacks are
 * walked with, borrowed for the life of the object; NULL: by frame pointers. */
struct stack_program_maps;
int off_cpu_new(const struct stack_program_maps *maps, struct off_cpu **ret_off_cpu,
		struct err *err);
void off_cpu_free(struct off_cpu *off_cpu); /* NULL is fine */

/* Attaches the programs, which then wait for the window to open; some ten milliseconds. The records
 * go to @outputs, whose descriptors are borrowed for the life of the object; a CPU without one
 * loses its records (counted). */
int off_cpu_attach(struct off_cpu *off_cpu, const struct off_cpu_output *outputs, size_t count,
		   struct err *err);

/* Before the window opens: a process whose waits, and those of what it forks, get a threshold of
 * their own, untouched by what the rest of the machine does. Without any, all are chosen. @only:
 * nothing is told of others. At most OFF_CPU_MAX_CHOSEN. */
int off_cpu_choose(struct off_cpu *off_cpu, int32_t pid, bool only, struct err *err);

/* Opens the window, now. Returns when that was (CLOCK_MONOTONIC). */
uint64_t off_cpu_open(struct off_cpu *off_cpu);
/* Closes it, now. Returns when that was. */
uint64_t off_cpu_stop(struct off_cpu *off_cpu);

/* After off_cpu_stop, once: ends what was still open. @take gets the times of each thread that
 * there is, in front of them its wait if that is one to be kept. */
void off_cpu_close(struct off_cpu *off_cpu,
		   void (*take)(void *context, const union off_cpu_event *event), void *context);

/* Added up over all CPUs. */
struct off_cpu_counts off_cpu_counts(const struct off_cpu *off_cpu);
/* What the switch program took of the processors, estimated from the runs that were measured. */
uint64_t off_cpu_cost_ns(const struct off_cpu_counts *counts);

#endif
