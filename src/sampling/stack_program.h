/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF program that takes samples in the interrupt (bpf/stacks.bpf.c): loads it, sets its
 * outputs, and attaches it to events.
 */
#ifndef SAMPLING_STACK_PROGRAM_H
#define SAMPLING_STACK_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "bpf/stack_wire.h"
#include "sampling/stack_tables.h"

struct stack_program;

struct stack_program_options {
	size_t cpus;	     /* one more than the highest CPU number */
	uint32_t max_depth;  /* user frames, 1..STACK_MAX_USER */
	uint32_t dump_bytes; /* <= STACK_DUMP_MAX */
	bool verify;	     /* see sampler_options */
	bool calls;	     /* do without bpf_loop even if the kernel has it; for tests */
};

/* Loads the program, some 30 ms. Negative errno with the reason why this kernel or user cannot. */
int stack_program_load(const struct stack_program_options *options,
		       struct stack_program **ret_program, struct err *err);
/* Detaches it from all events. NULL is fine. */
void stack_program_free(struct stack_program *program);
DEFINE_CLEANUP(struct stack_program *, stack_program_free);

/* Sets where samples of a CPU go: an enabled PERF_COUNT_SW_BPF_OUTPUT event (borrowed). */
int stack_program_set_output(struct stack_program *program, int cpu, int fd, struct err *err);
/* From now on the program takes the samples of this event (borrowed) and labels them with @id. */
int stack_program_attach(struct stack_program *program, int fd, uint64_t id, struct err *err);

/* Its maps, for programs of other kinds that walk with the same tables. The descriptors are valid
 * as long as the program. */
struct stack_program_maps {
	int segments_fd, spaces_fd;
	int memory_fd;	       /* of the memory that contains the rules */
	uint64_t rules_offset; /* where in that memory they begin */
	uint32_t max_depth;
};
struct stack_program_maps stack_program_maps(const struct stack_program *program);

/* Call after emptying the rings: stack copies may now fill @bytes of each ring. */
void stack_program_allow_copies(struct stack_program *program, size_t bytes);

/* Its tables; they live as long as the program. */
struct stack_tables *stack_program_tables(const struct stack_program *program);
/* The sum over all CPUs. */
uint64_t stack_program_counter(const struct stack_program *program, enum stack_counter counter);
/* Calls @add for each event that lost samples because the ring was full, with its PERF_EVENT_IOC_ID
 * and their number; once per CPU. The total may be less than STACK_COUNTER_LOST, because a CPU
 * counts at most STACK_LOSSES events separately. */
void stack_program_losses(const struct stack_program *program,
			  void (*add)(void *context, uint64_t event, uint64_t count),
			  void *context);
/* The lost samples of one event, as far as they were counted per event. Makes no system call. */
uint64_t stack_program_lost(const struct stack_program *program, uint64_t event);

#endif
