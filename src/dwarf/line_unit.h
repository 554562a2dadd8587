/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a compile unit tells of addresses, laid flat: sorted rows of source lines, and pieces of
 * code with the function each is in and those that one was inlined into. One block of memory
 * without pointers, which is also what the cache on disk has.
 */
#ifndef DWARF_LINE_UNIT_H
#define DWARF_LINE_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct line_unit;

/* One level of what is at an address. Texts are borrowed from the unit. */
struct line_place {
	const char *function; /* as a linker knows it where it has such a name; "": not known */
	const char *file;     /* "": not known */
	uint32_t line;	      /* 0: not known */
	uint32_t declared;    /* the line the function begins at; 0: not known */
};

enum { LINE_UNIT_NO_TEXT = 0 }; /* the empty text is everywhere at 0 */

struct line_unit_row {
	uint32_t offset; /* from the unit's base */
	uint32_t file;	 /* text; UINT32_MAX: behind a sequence, nothing is known */
	uint32_t line;
};

struct line_unit_node {
	uint32_t parent; /* where it was inlined, lesser than its own index; UINT32_MAX: nowhere */
	uint32_t name;	 /* text */
	uint32_t declared;
	uint32_t call_file, call_line; /* text; where it was called */
};

struct line_unit_piece {
	uint32_t offset;
	uint32_t node; /* UINT32_MAX: none */
};

/* What a unit is made of; nothing is kept of it. Pieces as interval_map_flatten has them; rows by
 * address; addresses 4 GiB or more behind the first are left out. Texts end with a NUL. */
struct line_unit_parts {
	uint64_t base;
	const struct line_unit_row *rows;
	size_t row_count;
	const struct line_unit_node *nodes;
	size_t node_count;
	const struct line_unit_piece *pieces;
	size_t piece_count;
	const char *text;
	size_t text_size;
};

struct line_unit *line_unit_new(const struct line_unit_parts *parts);
/* From what line_unit_block gave, in another process perhaps: takes @block (malloc'd) if it is
 * sound, else returns NULL. */
struct line_unit *line_unit_adopt(void *block, size_t size);
void line_unit_free(struct line_unit *unit); /* NULL is fine */
DEFINE_CLEANUP(struct line_unit *, line_unit_free);

/* The block, borrowed. */
const void *line_unit_block(const struct line_unit *unit, size_t *ret_size);

/* What is at an ELF virtual address, innermost level first, the outermost last: at most @most
 * levels are written, and how many is returned; 0: nothing is known. The function of the outermost
 * level may be "". */
size_t line_unit_find(const struct line_unit *unit, uint64_t address, struct line_place *places,
		      size_t most);

/* A function that was inlined, at the first address of one instance. Texts are borrowed. */
struct line_unit_inlined {
	uint64_t address;
	const char *function; /* as a linker knows it where it has such a name */
	const char *around;   /* the function with code of its own that it is part of */
	const char *call_file;
	uint32_t call_line;
};

/* Gives every inlined instance, by address. */
void line_unit_each_inlined(const struct line_unit *unit,
			    void (*give)(void *context, const struct line_unit_inlined *inlined),
			    void *context);

/* Gives every row to the callback, ascending: the code from @start to @end is of that line. */
void line_unit_each_line(const struct line_unit *unit,
			 void (*give)(void *context, uint64_t start, uint64_t end, const char *file,
				      uint32_t line),
			 void *context);

#endif
