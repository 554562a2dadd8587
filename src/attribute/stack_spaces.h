/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The address spaces the kernel side unwinds in. A process's memory is published when a stack of it
 * had to be copied, with the rows of the images its stacks lead through; again when its mappings
 * changed or a stack leads through another image; and withdrawn when the process ends or runs
 * another program.
 */
#ifndef ATTRIBUTE_STACK_SPACES_H
#define ATTRIBUTE_STACK_SPACES_H

#include <stdbool.h>
#include <stdint.h>

#include "attribute/image_code.h"
#include "model/machine.h"
#include "perf/user_stack.h"

struct stack_spaces;
struct stack_tables;

/* All borrowed. @tables NULL: there is no kernel side, nothing is published. */
struct stack_spaces *stack_spaces_new(const struct machine *machine, struct image_codes *codes,
				      struct stack_tables *tables);
void stack_spaces_free(struct stack_spaces *spaces); /* NULL is fine */

/* A stack was copied for want of tables, or found with tables that are too old. Here and below @now
 * is what its process has mapped. */
void stack_spaces_want(struct stack_spaces *spaces, const struct machine_space *now,
		       const struct user_stack *user);
/* What the tables that a stack was found with were made from. */
struct stack_origin {
	bool known; /* false: of another program, or given away too long ago */
	/* Mappings that changed after this serial of the machine's were not in them; UINT64_MAX:
	 * the stack was found without tables. */
	uint64_t serial;
	const struct address_space *mappings; /* as of now; borrowed until the machine changes */
};
struct stack_origin stack_spaces_origin(const struct stack_spaces *spaces,
					const struct machine_space *now,
					const struct user_stack *user);
/* May samples still come with this generation of tables? */
bool stack_spaces_alive(const struct stack_spaces *spaces, uint64_t space, uint64_t generation);

/* After a drain: publishes, and withdraws what is gone. */
void stack_spaces_update(struct stack_spaces *spaces);

#endif
