/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where threads wait, as the kernel's scheduler tells it: the programs of bpf/off_cpu.bpf.c. Their
 * records arrive in the rings as samples of BPF_OUTPUT events (collect/off_cpu_event.h reads them).
 *
 * There is a window: every thread's time between off_cpu_open and off_cpu_close is accounted for,
 * also of those that were there before it opens or wait when it closes.
 */
#ifndef COLLECT_OFF_CPU_H
#define COLLECT_OFF_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "collect/off_cpu_event.h"

struct off_cpu;

/* The descriptor of a CPU's PERF_COUNT_SW_BPF_OUTPUT event. */
struct off_cpu_output {
	int cpu;
	int fd;
};

/* Loads the programs, some ten milliseconds; nothing runs yet. The descriptors are borrowed for the
 * life of the object. Negative errno with the reason: no permission, or a kernel that cannot. */
int off_cpu_new(const struct off_cpu_output *outputs, size_t count, struct off_cpu **ret_off_cpu,
		struct err *err);
void off_cpu_free(struct off_cpu *off_cpu); /* NULL is fine */

/* Opens the window. *ret_opened_ns (CLOCK_MONOTONIC) is when it did. */
int off_cpu_open(struct off_cpu *off_cpu, uint64_t *ret_opened_ns, struct err *err);

/* Closes the window and ends what is still open in it: @take gets each thread's times, in front of
 * them its wait if that is one to be kept. Once. Returns when it closed. */
uint64_t off_cpu_close(struct off_cpu *off_cpu,
		       void (*take)(void *context, const union off_cpu_event *event),
		       void *context);

/* Added up over all CPUs. */
struct off_cpu_counts off_cpu_counts(const struct off_cpu *off_cpu);
/* What the switch program took of the processors, estimated from the runs that were measured. */
uint64_t off_cpu_cost_ns(const struct off_cpu_counts *counts);

#endif
