/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables with which the kernel side unwinds: rows of images, and the mappings of each address
 * space. Writing takes one system call per space only. The program never sees a partial change, and
 * the memory of replaced data is reused only when no program can still read it.
 *
 * The tables are filled on demand. A space number (user_stack.space) identifies one memory of one
 * process: exec and fork give a new number, so no table outlives its program. A sample is a DUMP if
 * its space has no table, or if a frame is in a WAITING range or in none. The code that walks the
 * DUMP in user space then adds what was missing.
 */
#ifndef SAMPLING_STACK_TABLES_H
#define SAMPLING_STACK_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/stack_wire.h"
#include "bpf/unwind_rows.h"

struct stack_tables;

enum { STACK_TABLES_MAX_IMAGES = 1 << 24 };

/* The maps of the kernel side, by descriptor or mapped; private to stack_program. All are borrowed
 * and must outlive the tables. */
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
 * STACK_TABLES_MAX_IMAGES. 0; -EEXIST: already added; -ENOSPC: the tables are full (counted). */
int stack_tables_add_image(struct stack_tables *tables, uint32_t image,
			   const struct unwind_table *rows);
bool stack_tables_has_image(const struct stack_tables *tables, uint32_t image);

/* ---- address spaces ---- */

/* A range of executable memory. A ROWS range whose image was not added is treated as WAITING. */
struct stack_range {
	uint64_t start, end; /* [start, end) */
	uint64_t bias;	     /* address - bias is the image's ELF virtual address */
	uint32_t image;
	enum stack_map_kind kind;
};

/* Code where a program starts: frames there are outermost. 0, 0: unknown. */
struct stack_entry {
	uint64_t start, end;
};

struct stack_space_table {
	uint64_t generation;		  /* never 0, never reused: part of every hash */
	const struct stack_range *ranges; /* by start, not overlapping; borrowed for the call */
	size_t range_count;
	struct stack_entry entries[STACK_ENTRIES]; /* of the executable and its interpreter */
};

/* Sets or replaces the table of a space. 0; -ENOSPC: no room, or more than STACK_MAX_MAPPINGS
 * ranges (counted); the space then has no table. */
int stack_tables_set_space(struct stack_tables *tables, uint64_t space,
			   const struct stack_space_table *table);
/* Call when the process of a space has ended or called exec. Ignores unknown spaces. */
void stack_tables_drop_space(struct stack_tables *tables, uint64_t space);
/* The generation of a space's table; 0 if it has none. */
uint64_t stack_tables_generation(const struct stack_tables *tables, uint64_t space);

/* ---- stacks that need not be sent again ---- */

/* Call when walking a DUMP with this hash ended exactly where the interrupt stopped (the same
 * addresses), and always will: from now on such samples are KNOWN. For stacks that are cut
 * permanently. */
void stack_tables_learn(struct stack_tables *tables, uint64_t hash);

/* Call once per drain: frees memory that no program can still be reading. */
void stack_tables_settle(struct stack_tables *tables);

struct stack_tables_counts {
	size_t images, spaces;
	size_t bytes;		/* of kernel memory, all tables */
	uint64_t no_room_rows;	/* images left out because the tables are full */
	uint64_t no_room_rules; /* rules left out: rows that need them have none */
	uint64_t no_room_spaces;
	uint64_t too_many_mappings;
};
struct stack_tables_counts stack_tables_counts(const struct stack_tables *tables);

#endif
