/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ranges of memory that the frames of a stack are in. The stack stays valid as long as none of
 * these is mapped anew, whatever else its process maps. Stacks of a process share few sets of
 * ranges, so each set is stored once, under a number.
 */
#ifndef ATTRIBUTE_STACK_REACH_H
#define ATTRIBUTE_STACK_REACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashidx.h"
#include "base/vec.h"
#include "model/address_space.h"

struct reach_range {
	uint64_t start, end; /* [start, end) */
};

/* The ranges of one stack. Zero-initialised is empty. */
struct stack_reach {
	VEC(struct reach_range) ranges;
};
void stack_reach_done(struct stack_reach *reach);

/* Sets *reach to that of a stack as in struct user_stack: for each frame the whole mapping, or only
 * the frame's address if nothing is mapped there. */
void stack_reach_make(struct stack_reach *reach, const struct address_space *mappings,
		      const uint64_t *addresses, size_t count);
/* True if nothing in the ranges changed after this serial of the machine. */
bool stack_reach_unchanged(const struct stack_reach *reach, const struct address_space *mappings,
			   uint64_t serial);

/* The place of a set's ranges. */
struct reach_set {
	uint32_t first, count;
};

/* Sets by number; 0 is the empty set. Zero-initialised has no others. */
struct stack_reaches {
	VEC(struct reach_range) ranges;
	VEC(struct reach_set) sets;
	struct hashidx index; /* of sets */
};
void stack_reaches_done(struct stack_reaches *reaches);
uint32_t stack_reaches_add(struct stack_reaches *reaches, const struct reach_range *ranges,
			   size_t count);
/* A set, borrowed until the next one is added. */
const struct reach_range *stack_reaches_get(const struct stack_reaches *reaches, uint32_t set,
					    size_t *ret_count);
bool stack_reaches_unchanged(const struct stack_reaches *reaches, uint32_t set,
			     const struct address_space *mappings, uint64_t serial);

#endif
