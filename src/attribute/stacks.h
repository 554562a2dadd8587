/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stack of a sample: the kernel part, and the user part in whatever form it arrived. A stack
 * that the kernel side walked with our tables is used only if no mapping of its frames changed
 * since those tables were made. Otherwise the stack is cut, and the cut says so.
 */
#ifndef ATTRIBUTE_STACKS_H
#define ATTRIBUTE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attribute/frames.h"
#include "attribute/image_code.h"
#include "base/pause.h"
#include "model/profile.h"
#include "perf/perf_record.h"

struct stacks;
struct image_files;
struct process_code;
struct stack_tables;

/* A user stack as walked; addresses as in struct user_stack. */
struct observed_stack {
	const struct machine_space *space; /* of its process, current; borrowed */
	const uint64_t *addresses;	   /* borrowed */
	size_t count;
	enum stack_end end;
};

/* Observes user stacks during a recording. The recorder knows nothing else about the observer:
 * `check --stacks` compares each stack with libdwfl's (check/stack_check.h). */
struct stack_observer {
	/* Called for each sample with a copy of its user stack, with the walked stack. Everything
	 * is borrowed for the call. */
	void (*see)(void *context, const struct frames *frames, struct image_codes *codes,
		    struct image_files *files, const struct perf_record *record,
		    const struct observed_stack *walked);
	/* True: the recording may end. */
	bool (*has_enough)(const void *context);
	void *context;
};

/* All borrowed. */
struct stacks_parts {
	const struct frames *frames;
	const struct machine *machine;
	struct image_files *files;
	struct stack_tables *tables; /* of the kernel side; NULL: it does not unwind */
	size_t max_depth;	     /* user frames of one stack, at most STACK_MAX_USER */
	const struct stack_observer *observer; /* NULL: none */
	struct pause pause;		       /* while rows are compiled */
	struct process_code *jit_memory;       /* JIT code of live processes; NULL: none are live */
};

struct stacks *stacks_new(const struct stacks_parts *parts);
void stacks_free(struct stacks *stacks); /* NULL is fine */

/* What is stored for a stack under the hash from the kernel side. */
struct known_stack {
	uint32_t stack; /* in profile.stacks */
	uint8_t context;
	bool idle;  /* it contains the idle task's loop */
	bool waits; /* nothing but that: the processor has no work. Only of pid 0 */
};

/* The known stack of a sample that comes only with a hash. NULL: the record with the stack was
 * lost, or the stack is no longer valid; use stacks_unknown. Here and below @space is that of the
 * record's process. */
const struct known_stack *stacks_known(const struct stacks *stacks,
				       const struct machine_space *space,
				       const struct perf_record *record);
/* Makes the stack of a sample; returns a row of profile.stacks. @kernel: the kernel part, innermost
 * first. */
uint32_t stacks_make(struct stacks *stacks, const struct machine_space *space,
		     const struct perf_record *record, const uint64_t *kernel, size_t kernel_count);
/* Makes a stack from nothing but the place where the sample was taken. */
uint32_t stacks_unknown(struct stacks *stacks, const struct machine_space *space,
			const struct perf_record *record);
/* Stores what stacks_make made, for later samples with the same hash. @record has the hash. */
void stacks_remember(struct stacks *stacks, const struct machine_space *space,
		     const struct perf_record *record, const struct known_stack *known);

/* Call after a drain: publishes missing tables to the kernel side. True if some were missing: until
 * then stacks come as copies, and rings fill fast. */
bool stacks_settle(struct stacks *stacks);

#endif
