/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stack as elfutils' libdwfl unwinds it, from registers and a copy of the stack: the second
 * opinion of `check --stacks`. A hundred times slower than our own walk, and nothing else of
 * prospect relies on it.
 */
#ifndef CHECK_DWFL_WALK_H
#define CHECK_DWFL_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"

struct dwfl_walk;

/* A process with nothing mapped yet. */
int dwfl_walk_new(struct dwfl_walk **ret_walk, struct err *err);
void dwfl_walk_free(struct dwfl_walk *walk); /* NULL is fine */
DEFINE_CLEANUP(struct dwfl_walk *, dwfl_walk_free);

/* An ELF file is mapped: an address in memory is @bias above that in the file. @fd is borrowed for
 * the call, @name (any text that is unique) too. What libdwfl cannot use is left out: -EINVAL. */
int dwfl_walk_add(struct dwfl_walk *walk, const char *name, int fd, uint64_t bias, struct err *err);

/* x86-64: DWARF numbers 0..16; 16 is the return address, of the innermost frame its pc. */
enum { DWFL_WALK_REGISTERS = 17, DWFL_WALK_PC = 16 };

struct dwfl_walk_input {
	uint64_t pc;
	const uint64_t *registers; /* by DWARF number; borrowed */
	size_t register_count;
	uint64_t stack_address;
	const void *stack; /* borrowed */
	size_t stack_size;
};

/* Writes the program counters of at most @max frames, innermost first, and returns how many.
 * *ret_read_beyond: a value was asked for that the copy does not hold. */
size_t dwfl_walk_run(struct dwfl_walk *walk, const struct dwfl_walk_input *input,
		     uint64_t *addresses, size_t max, bool *ret_read_beyond);
/* Has libdwfl an unwind table for an address? Without one it takes rbp for a frame pointer, which
 * in most code it is not. */
bool dwfl_walk_describes(const struct dwfl_walk *walk, uint64_t address);

#endif
