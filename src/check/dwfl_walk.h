/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks a stack with elfutils' libdwfl, from registers and a copy of the stack: the second opinion
 * of `check --stacks`. It is a hundred times slower than our own walk, and nothing else in prospect
 * relies on it.
 */
#ifndef CHECK_DWFL_WALK_H
#define CHECK_DWFL_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"

struct dwfl_walk;

/* A process without mappings. -ENOENT: libdw is not installed; -ENOSYS: it is too old. */
int dwfl_walk_new(struct dwfl_walk **ret_walk, struct err *err);
void dwfl_walk_free(struct dwfl_walk *walk); /* NULL is fine */
DEFINE_CLEANUP(struct dwfl_walk *, dwfl_walk_free);

/* Adds a mapped ELF file: an address in memory is @bias above that in the file. @fd and @name (any
 * unique text) are borrowed for the call. -EINVAL: libdwfl cannot use the file, and skips it. */
int dwfl_walk_add(struct dwfl_walk *walk, const char *name, int fd, uint64_t bias, struct err *err);

/* x86-64: DWARF numbers 0..16. Number 16 is the return address; in the innermost frame, the pc. */
enum { DWFL_WALK_REGISTERS = 17, DWFL_WALK_PC = 16 };

struct dwfl_walk_input {
	uint64_t pc;
	const uint64_t *registers; /* by DWARF number; borrowed */
	size_t register_count;
	uint64_t stack_address;
	const void *stack; /* borrowed */
	size_t stack_size;
};

/* Writes the program counters of at most @max frames, innermost first, and returns their number.
 * *ret_read_beyond: the walk needed a value outside the stack copy. */
size_t dwfl_walk_run(struct dwfl_walk *walk, const struct dwfl_walk_input *input,
		     uint64_t *addresses, size_t max, bool *ret_read_beyond);
/* True if libdwfl has an unwind table for @address. Without one it takes rbp for a frame pointer,
 * which most code does not keep. */
bool dwfl_walk_describes(const struct dwfl_walk *walk, uint64_t address);

#endif
