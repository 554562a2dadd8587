/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program that takes samples in the interrupt (bpf/stacks.bpf.c): loaded into the kernel, given
 * its outputs, attached to events.
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
	bool calls; /* do without bpf_loop also where the kernel has it: tests of old kernels' way
		     */
};

/* Loads it, some 30 ms. Negative errno with the reason why this kernel or this user cannot. */
int stack_program_load(const struct stack_program_options *options,
		       struct stack_program **ret_program, struct err *err);
/* Detaches it everywhere. NULL is fine. */
void stack_program_free(struct stack_program *program);
DEFINE_CLEANUP(struct stack_program *, stack_program_free);

/* Where samples of a CPU go: an enabled PERF_COUNT_SW_BPF_OUTPUT event (borrowed). */
int stack_program_set_output(struct stack_program *program, int cpu, int fd, struct err *err);
/* From now on the program takes the samples of this event (borrowed), and names it by @id. */
int stack_program_attach(struct stack_program *program, int fd, uint64_t id, struct err *err);

/* Its maps, for programs of other kinds that walk with the same tables; the descriptors are
 * borrowed for the program's life. */
struct stack_program_maps {
	int segments_fd, spaces_fd;
	int memory_fd;	       /* of the memory that has the rules, */
	uint64_t rules_offset; /* from here on */
	uint32_t max_depth;
};
struct stack_program_maps stack_program_maps(const struct stack_program *program);

/* Rings have just been emptied: from now on copies of stacks may fill so many bytes of each. */
void stack_program_allow_copies(struct stack_program *program, size_t bytes);

/* The tables it works with; they live as long as the program. */
struct stack_tables *stack_program_tables(const struct stack_program *program);
/* Sum over all CPUs. */
uint64_t stack_program_counter(const struct stack_program *program, enum stack_counter counter);
/* Hands @add every event, by its PERF_EVENT_IOC_ID, of which samples had no room, and how many;
 * more than once where it is on several CPUs. Less than STACK_COUNTER_LOST in all where a CPU has
 * more events than places to count them. */
void stack_program_losses(const struct stack_program *program,
			  void (*add)(void *context, uint64_t event, uint64_t count),
			  void *context);
/* How many samples of one event had no room, as far as they were counted by event. No call of the
 * kernel. */
uint64_t stack_program_lost(const struct stack_program *program, uint64_t event);

#endif
