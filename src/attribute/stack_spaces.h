/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The address spaces that the kernel side unwinds in. A process is published after one of its
 * stacks had to be copied, with the rows of the images that its stacks lead through. It is
 * published again when its mappings change or a stack leads through another image, and withdrawn
 * when the process ends or runs another program.
 */
#ifndef ATTRIBUTE_STACK_SPACES_H
#define ATTRIBUTE_STACK_SPACES_H

#include <stdbool.h>
#include <stdint.h>

#include "attribute/image_code.h"
#include "model/machine.h"
#include "perf/perf_sample.h"

/* Samples taken before a publication are read after it; when prospect lags, after several. Samples
 * with older tables than these count as stale. */
enum { STACK_SPACES_GENERATIONS = 8 };

struct stack_spaces;
struct stack_tables;

/* All borrowed. @tables NULL: no kernel side, nothing is published. */
struct stack_spaces *stack_spaces_new(const struct machine *machine, struct image_codes *codes,
				      struct stack_tables *tables);
void stack_spaces_free(struct stack_spaces *spaces); /* NULL is fine */

/* Notes that a stack was copied because tables are missing, or was walked with tables that are too
 * old. Here and below @now is the current state of its process. */
void stack_spaces_want(struct stack_spaces *spaces, const struct machine_space *now,
		       const struct user_stack *user);
/* The state of the tables that a stack was walked with. */
struct stack_origin {
	bool known; /* false: of another program, or from too old a publication */
	/* Mappings that changed after this serial of the machine were not in the tables.
	 * UINT64_MAX: the stack was walked without tables. */
	uint64_t serial;
	const struct address_space *mappings; /* current; borrowed until the machine changes */
};
struct stack_origin stack_spaces_origin(const struct stack_spaces *spaces,
					const struct machine_space *now,
					const struct user_stack *user);
/* True if samples may still come with this generation of tables. */
bool stack_spaces_alive(const struct stack_spaces *spaces, uint64_t space, uint64_t generation);

/* Call after a drain: publishes spaces, and withdraws those that are gone. */
void stack_spaces_update(struct stack_spaces *spaces);

#endif
