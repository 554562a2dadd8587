/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where threads wait, from scheduler tracepoints: the programs of bpf/off_cpu.bpf.c. Their records
 * arrive in the rings as samples of BPF_OUTPUT events (off_cpu_event_read).
 *
 * Recording has a window: between off_cpu_open and off_cpu_stop, the time of every thread is
 * accounted for, including threads that exist before it opens or still wait when it closes.
 */
#ifndef SAMPLING_OFF_CPU_H
#define SAMPLING_OFF_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "bpf/chosen_wire.h"
#include "bpf/off_cpu_wire.h"

/* A record (bpf/off_cpu_wire.h). */
union off_cpu_event {
	__u32 kind; /* enum off_cpu_kind */
	struct off_cpu_left_record left;
	struct off_cpu_woke_record woke;
	struct off_cpu_wait_record wait;
	struct off_cpu_times_record times;
};

/* Copies one record from @size bytes, which may be unaligned and longer than the record. *ret_event
 * has at least `count` addresses. False if the bytes are no such record, or truncated. */
bool off_cpu_event_read(const void *bytes, size_t size, union off_cpu_event *ret_event);

struct off_cpu;

/* The descriptor of a CPU's PERF_COUNT_SW_BPF_OUTPUT event. */
struct off_cpu_output {
	int cpu;
	int fd;
};

/* Checks whether this user and kernel can record off-CPU time; takes some milliseconds. Negative
 * errno with the reason: no permission, or an unsuitable kernel. */
int off_cpu_check(struct err *err);

/* Loads the programs, some ten milliseconds; they do not run yet. @maps: the tables for walking
 * user stacks, borrowed for the life of the object; NULL: walk by frame pointers. */
struct stack_program_maps;
int off_cpu_new(const struct stack_program_maps *maps, struct off_cpu **ret_off_cpu,
		struct err *err);
void off_cpu_free(struct off_cpu *off_cpu); /* NULL is fine */

/* Attaches the programs, which then wait for the window to open; some ten milliseconds. Records go
 * to @outputs, whose descriptors must outlive the object. Records of a CPU without an output are
 * lost (counted). */
int off_cpu_attach(struct off_cpu *off_cpu, const struct off_cpu_output *outputs, size_t count,
		   struct err *err);

/* Before the window opens: chooses a process or a thread by its id. Its waits, and those of what it
 * starts, have a threshold of their own, which the rest of the machine does not influence. If none is
 * chosen, all are. @only: report nothing about others. At most OFF_CPU_MAX_CHOSEN. */
int off_cpu_choose(struct off_cpu *off_cpu, int32_t id, enum chosen how, bool only,
		   struct err *err);

/* Opens the window now. Returns the time of that (CLOCK_MONOTONIC). */
uint64_t off_cpu_open(struct off_cpu *off_cpu);
/* Has the window open at @opened_ns (0: as it is) and close at @closed_ns (0: when it is stopped);
 * both may be to come. */
void off_cpu_set_window(struct off_cpu *off_cpu, uint64_t opened_ns, uint64_t closed_ns);
/* Closes the window now, unless it has closed. Returns the time of that. */
uint64_t off_cpu_stop(struct off_cpu *off_cpu);

/* After off_cpu_stop, once: ends the open states. @take gets the times of each existing thread,
 * preceded by its wait if that is kept. */
void off_cpu_close(struct off_cpu *off_cpu,
		   void (*take)(void *context, const union off_cpu_event *event), void *context);

/* The sum over all CPUs. */
struct off_cpu_counts off_cpu_counts(const struct off_cpu *off_cpu);
/* The switch program's CPU time, estimated from the runs that were measured. */
uint64_t off_cpu_cost_ns(const struct off_cpu_counts *counts);

#endif
