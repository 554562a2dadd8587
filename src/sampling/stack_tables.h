/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables the kernel side unwinds with: rows of images, and for each address space what is
 * mapped where. Writing takes no system call but for one per space; the program never sees half of
 * a change, and room of what was replaced is used again only when no program can still read it.
 *
 * Filled on demand. A space has a number (user_stack.space) that stands for one memory of one
 * process: exec and fork give a new one, so that no table outlives its program. A sample of a space
 * without a table, or with a frame in a range that is WAITING or in no range at all, comes with a
 * DUMP: whoever walks that in user space then gives the kernel side what was missing.
 */
#ifndef SAMPLING_STACK_TABLES_H
#define SAMPLING_STACK_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "bpf/stack_wire.h"
#include "bpf/unwind_rows.h"

struct stack_tables;

enum { STACK_TABLES_MAX_IMAGES = 1 << 24 };

/* The kernel side's maps, by descriptor or mapped; private to stack_program. All are borrowed and
 * outlive the tables. */
struct stack_maps {
	int segments_fd, spaces_fd;
	struct unwind_rule *rules; /* STACK_MAX_RULES, zeroes */
	uint64_t *known_hashes;	   /* STACK_KNOWN_HASHES */
	const struct stack_cpu *cpus;
	size_t cpu_count;
};
struct stack_tables *stack_tables_new(const struct stack_maps *maps);
void stack_tables_free(struct stack_tables *tables); /* NULL is fine */

/* ---- images ---- */

/* Copies an image's rows to the kernel side. @image is the caller's number for it, below
 * STACK_TABLES_MAX_IMAGES. 0; -EEXIST: it is there already; -ENOSPC: the tables are full (counted).
 */
int stack_tables_add_image(struct stack_tables *tables, uint32_t image,
			   const struct unwind_table *rows);
bool stack_tables_has_image(const struct stack_tables *tables, uint32_t image);

/* ---- address spaces ---- */

/* A range of executable memory. Of kind ROWS where the image is not there: taken as WAITING. */
struct stack_range {
	uint64_t start, end; /* [start, end) */
	uint64_t bias;	     /* address - bias is the image's ELF virtual address */
	uint32_t image;
	enum stack_map_kind kind;
};

/* Code at which a program starts: frames there are outermost. 0, 0: unknown. */
struct stack_entry {
	uint64_t start, end;
};

struct stack_space_table {
	uint64_t generation;		  /* never 0, never used before: part of every hash */
	const struct stack_range *ranges; /* by start, not overlapping; borrowed for the call */
	size_t range_count;
	struct stack_entry entries[STACK_ENTRIES]; /* of the executable, of its interpreter */
};

/* Gives a space its table, or a new one. 0; -ENOSPC: no room, or more than STACK_MAX_MAPPINGS
 * ranges (counted): the space is then without. */
int stack_tables_set_space(struct stack_tables *tables, uint64_t space,
			   const struct stack_space_table *table);
/* Its process has ended, or has made another program of itself. Unknown spaces are ignored. */
void stack_tables_drop_space(struct stack_tables *tables, uint64_t space);
/* The generation of the table a space has; 0: none. */
uint64_t stack_tables_generation(const struct stack_tables *tables, uint64_t space);

/* ---- stacks that need not be sent again ---- */

/* What the consumer walked of a DUMP with this hash ended just where the interrupt had stopped (the
 * same addresses), and would so every time: from now on such samples are KNOWN. For stacks that are
 * broken for good. */
void stack_tables_learn(struct stack_tables *tables, uint64_t hash);

/* Once per drain: room that no program can still be reading is free again. */
void stack_tables_settle(struct stack_tables *tables);

struct stack_tables_counts {
	size_t images, spaces;
	size_t bytes;		/* of kernel memory, all tables */
	uint64_t no_room_rows;	/* images left out because the tables are full */
	uint64_t no_room_rules; /* rules left out: their rows have none */
	uint64_t no_room_spaces;
	uint64_t too_many_mappings;
};
struct stack_tables_counts stack_tables_counts(const struct stack_tables *tables);

#endif
