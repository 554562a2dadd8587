/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of one piece of kernel code (the kernel proper, a module, all BPF programs) by
 * offset. Kept small: 16 bytes and a name each; "__pfx_f", the padding before f, shares its name
 * with f. First add all functions, then settle, then look up.
 */
#ifndef PLACE_KERNEL_KERNEL_TABLE_H
#define PLACE_KERNEL_KERNEL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "elf/elf_file.h"
#include "model/profile.h"

/* How good a symbol is as the name of its address: smaller is better. */
enum kernel_rank {
	KERNEL_RANK_GLOBAL,
	KERNEL_RANK_WEAK,
	KERNEL_RANK_LOCAL,
	KERNEL_RANK_GUESSED, /* its end is not known, other code may follow it */
};

struct kernel_function {
	uint32_t start; /* offset */
	uint32_t size;	/* bytes; 0 before settling: up to the next function */
	uint32_t name;	/* offset into names */
	uint8_t rank;	/* enum kernel_rank */
};

/* Zero-initialised is empty. */
struct kernel_table {
	VEC(struct kernel_function) list;
	struct buf names; /* NUL-terminated, one after the other */
	uint32_t last_name;
};

/* Code in [start, end), ascending; no function reaches across the ends. */
struct kernel_segment {
	uint32_t start, end;
};

/* Limit for all names in bytes; a kernel has 3 MB of them. */
enum { KERNEL_TABLE_NAMES_MAX = 256 << 20 };

/* The rank of a symbol of nm's type. */
enum kernel_rank kernel_table_rank(char type);
/* False: the table is full. */
bool kernel_table_add(struct kernel_table *table, uint32_t start, uint32_t size, const char *name,
		      enum kernel_rank rank);
/* Settles the table:
 *   sorts, and drops functions outside of the segments
 *   keeps the best of several names for an address (sized, global over weak over local, no
 *     section's boundary, fewer leading underscores, shorter)
 *   drops unsized labels inside sized functions
 *   extends unsized functions to the next one or to the end of the segment */
void kernel_table_settle(struct kernel_table *table, const struct kernel_segment *segments,
			 size_t count);
/* Appends a function of @size > 0 bytes to a settled table, after all others, and returns it. If an
 * equal one (name and size) is there, returns that. NULL: the table is full. Borrowed until the
 * next call. */
const struct kernel_function *kernel_table_append(struct kernel_table *table, const char *name,
						  uint32_t size, enum kernel_rank rank);
/* The last function that starts at or before the offset, even if it does not cover it; NULL:
 * none. */
const struct kernel_function *kernel_table_before(const struct kernel_table *table,
						  uint32_t offset);
/* The name of a function; borrowed until the next add. */
const char *kernel_table_name(const struct kernel_table *table,
			      const struct kernel_function *function);
/* For two tables that are not settled: the number of functions of @wanted that have no equal (start
 * and name) in @other. Sorts both. */
size_t kernel_table_missing(struct kernel_table *wanted, struct kernel_table *other);
void kernel_table_done(struct kernel_table *table);

struct kernel_image {
	uint32_t image; /* in the profile */
	struct kernel_table table;
};

/* A table of functions for each image of kernel code that existed during the run, kept after the
 * code is gone. */
struct kernel_tables {
	struct profile *profile; /* borrowed */
	VEC(struct kernel_image) list;
};

/* Identifies a piece of code for kernel_tables_get. */
struct kernel_identity {
	enum image_kind kind;
	const char *name; /* with its brackets */
	uint64_t size;	  /* 0: not known */
	struct elf_build_id build_id;
};

/* The image with this identity, appended with an empty table if there is none. Borrowed until the
 * next one is made. */
struct kernel_image *kernel_tables_get(struct kernel_tables *tables,
				       const struct kernel_identity *identity);
/* Finds an image by its id in the profile; NULL: not one of these. */
struct kernel_image *kernel_tables_find(const struct kernel_tables *tables, uint32_t image);
/* The symbol at an offset; see kernel_symbols_lookup. */
void kernel_tables_lookup(const struct kernel_tables *tables, uint32_t image, uint64_t offset,
			  struct symbol *ret_symbol);
void kernel_tables_done(struct kernel_tables *tables);

#endif
