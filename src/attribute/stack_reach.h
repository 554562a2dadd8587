/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which ranges of memory the frames of a stack lie in: as long as none of them is mapped anew the
 * stack means what it meant, whatever else its process maps. Stacks of a process share few such
 * sets, so a set is kept once and has a number.
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

/* Makes *reach that of a stack as struct user_stack has it: the whole mapping of each frame, or
 * only the frame's address where nothing is mapped. */
void stack_reach_make(struct stack_reach *reach, const struct address_space *mappings,
		      const uint64_t *addresses, size_t count);
/* Has nothing in it got another meaning since that serial of the machine's? */
bool stack_reach_unchanged(const struct stack_reach *reach, const struct address_space *mappings,
			   uint64_t serial);

/* Where its ranges are. */
struct reach_set {
	uint32_t first, count;
};

/* Sets by number; 0 is the empty one. Zero-initialised has none. */
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
