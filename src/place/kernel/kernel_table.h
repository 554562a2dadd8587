/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of one piece of kernel code (the kernel proper, a module, all BPF programs) by
 * offset, kept small: 16 bytes and a name each, and "__pfx_f", the padding in front of f, shares
 * its name with f. First everything is added, then settled, then looked up.
 */
#ifndef PLACE_KERNEL_KERNEL_TABLE_H
#define PLACE_KERNEL_KERNEL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"

/* How good a name for its address a symbol is: the smaller the better. */
enum kernel_rank {
	KERNEL_RANK_GLOBAL,
	KERNEL_RANK_WEAK,
	KERNEL_RANK_LOCAL,
	KERNEL_RANK_GUESSED, /* where it ends is not known, what follows may be something else */
};

struct kernel_function {
	uint32_t start; /* offset */
	uint32_t size;	/* bytes; 0 before settling: up to the next one */
	uint32_t name;	/* offset into names */
	uint8_t rank;	/* enum kernel_rank */
};

/* Zero-initialised is empty. */
struct kernel_table {
	VEC(struct kernel_function) list;
	struct buf names; /* NUL-terminated, one behind the other */
	uint32_t last_name;
};

/* Code lies in [start, end), ascending, and nothing reaches across the ends. */
struct kernel_segment {
	uint32_t start, end;
};

/* More than the names of this many bytes are not taken: a kernel has 3 MB of them. */
enum { KERNEL_TABLE_NAMES_MAX = 256 << 20 };

/* The rank of a symbol of nm's type. */
enum kernel_rank kernel_table_rank(char type);
/* False: the table is full. */
bool kernel_table_add(struct kernel_table *table, uint32_t start, uint32_t size, const char *name,
		      enum kernel_rank rank);
/* Sorts; keeps what lies in the segments; of several names for an address the best one (sized,
 * global over weak over local, no section's boundary, fewer leading underscores, shorter); drops
 * unsized labels inside sized functions; and lets unsized ones reach to the next or to the end of
 * the segment. */
void kernel_table_settle(struct kernel_table *table, const struct kernel_segment *segments,
			 size_t count);
/* Appends a function of @size > 0 bytes to a settled table, behind all others, and returns it; or
 * the equal one (name and size) that is there. NULL: the table is full. Borrowed until the next
 * one. */
const struct kernel_function *kernel_table_append(struct kernel_table *table, const char *name,
						  uint32_t size, enum kernel_rank rank);
/* The last function that starts at or before the offset, whether it covers it or not; NULL: none.
 */
const struct kernel_function *kernel_table_before(const struct kernel_table *table,
						  uint32_t offset);
/* Borrowed until something is added. */
const char *kernel_table_name(const struct kernel_table *table,
			      const struct kernel_function *function);
/* Of two tables that are not settled: how many functions of @wanted have no equal (start and name)
 * in @other. Sorts both. */
size_t kernel_table_missing(struct kernel_table *wanted, struct kernel_table *other);
void kernel_table_done(struct kernel_table *table);

#endif
