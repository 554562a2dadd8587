/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stack of a sample: the kernel's part, and the user part in whatever form it arrived. Stacks
 * that the kernel side found with tables of ours are only believed where every frame lies in a
 * mapping that still means what it meant when those tables were made; the others end in a cut that
 * says so.
 */
#ifndef ATTRIBUTE_STACKS_H
#define ATTRIBUTE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attribute/frames.h"
#include "base/pause.h"
#include "model/profile.h"
#include "perf/perf_record.h"

struct stacks;
struct image_files;
struct process_code;
struct stack_observer;
struct stack_tables;

/* All borrowed. */
struct stacks_parts {
	const struct frames *frames;
	const struct machine *machine;
	struct image_files *files;
	struct stack_tables *tables; /* of the kernel side; NULL: it does not unwind */
	size_t max_depth;	     /* user frames of one stack, at most STACK_MAX_USER */
	const struct stack_observer *observer; /* NULL: none */
	struct pause pause;		       /* while rows are compiled */
	struct process_code *made; /* processes run as their samples come; NULL: they do not */
};

struct stacks *stacks_new(const struct stacks_parts *parts);
void stacks_free(struct stacks *stacks); /* NULL is fine */

/* What is remembered of a stack under the hash the kernel side gave it. */
struct known_stack {
	uint32_t stack; /* in profile.stacks */
	uint8_t context;
	bool idle; /* the idle routine is in it */
};

/* A sample that only tells the hash of its stack: what was told before. NULL: that record was lost,
 * or must not be believed any more; stacks_unknown makes the best of it. Here and below @space is
 * that of the record's process. */
const struct known_stack *stacks_known(const struct stacks *stacks,
				       const struct machine_space *space,
				       const struct perf_record *record);
/* The stack of a sample: profile.stacks. @kernel: the kernel's part, innermost first. */
uint32_t stacks_make(struct stacks *stacks, const struct machine_space *space,
		     const struct perf_record *record, const uint64_t *kernel, size_t kernel_count);
/* Only where the sample was taken is known of it. */
uint32_t stacks_unknown(struct stacks *stacks, const struct machine_space *space,
			const struct perf_record *record);
/* Keeps what stacks_make made for samples to come with the same hash; @record tells the hash. */
void stacks_remember(struct stacks *stacks, const struct machine_space *space,
		     const struct perf_record *record, const struct known_stack *known);

/* After a drain: the kernel side gets the tables it lacked. True when it lacked some: while that is
 * so stacks come as copies, and rings fill fast. */
bool stacks_settle(struct stacks *stacks);

#endif
