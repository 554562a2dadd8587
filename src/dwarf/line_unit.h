/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines and functions of a compile unit, flattened: rows of source lines, sorted, and pieces
 * of code, each with its function and the functions that one was inlined into. One block of memory
 * without pointers; the cache on disk stores this block.
 */
#ifndef DWARF_LINE_UNIT_H
#define DWARF_LINE_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "dwarf/interval_map.h"

struct line_unit;

/* One level at an address. Texts are borrowed from the unit. */
struct line_place {
	const char *function; /* the linkage name if there is one; "": unknown */
	const char *file;     /* "": unknown */
	uint32_t line;	      /* 0: unknown */
	uint32_t declared;    /* the line the function begins at; 0: unknown */
};

enum { LINE_UNIT_NO_TEXT = 0 }; /* the empty text is always at 0 */

struct line_unit_node {
	uint32_t parent; /* index it was inlined into, lower than its own; UINT32_MAX: none */
	uint32_t name;	 /* text */
	uint32_t declared;
	uint32_t call_file, call_line; /* text; where it was called */
};

/* ---- how a unit is made ---- */

/* A row of source lines. */
struct line_unit_built_row {
	uint64_t address;
	str_id file;
	uint32_t line;
	bool end;
	uint32_t order; /* private */
};

/* Collects rows, functions and ranges of a unit in the order they come. */
struct line_unit_builder {
	struct strpool texts;
	VEC(struct line_unit_node) nodes; /* texts are still str_id */
	VEC(struct line_unit_built_row) rows;
	struct interval_map map;
	bool is_sorted; /* rows came in ascending order */
};

void line_unit_builder_init(struct line_unit_builder *builder);
void line_unit_builder_done(struct line_unit_builder *builder);
/* Returns the index of the node; its texts are ids of builder->texts. */
uint32_t line_unit_add_node(struct line_unit_builder *builder, const struct line_unit_node *node);
/* False: more than any valid unit has; stop adding. */
bool line_unit_add_range(struct line_unit_builder *builder, uint32_t node, uint64_t start,
			 uint64_t end);
bool line_unit_add_row(struct line_unit_builder *builder, const struct line_unit_built_row *row);
/* Makes a unit of everything collected. Addresses 4 GiB or more after the first are left out. The
 * builder cannot be used again. */
struct line_unit *line_unit_finish(struct line_unit_builder *builder);

/* ---- a unit ---- */

/* Makes a unit of a block that line_unit_block returned, possibly in another process. Takes
 * ownership of @block (malloc'd) if it is sound, otherwise returns NULL. */
struct line_unit *line_unit_adopt(void *block, size_t size);
void line_unit_free(struct line_unit *unit); /* NULL is fine */
DEFINE_CLEANUP(struct line_unit *, line_unit_free);

/* The block, borrowed from the unit. */
const void *line_unit_block(const struct line_unit *unit, size_t *ret_size);

/* Writes the levels at an ELF virtual address, innermost first, at most @most of them, and returns
 * their number; 0: nothing is known. The outermost level's function may be "". */
size_t line_unit_find(const struct line_unit *unit, uint64_t address, struct line_place *places,
		      size_t most);

/* An inlined function, at the first address of one instance. Texts are borrowed. */
struct line_unit_inlined {
	uint64_t address;
	const char *function; /* the linkage name if there is one */
	const char *around;   /* the out-of-line function that contains it */
	const char *call_file;
	uint32_t call_line;
};

/* Passes every inlined instance to the callback, by address. */
void line_unit_each_inlined(const struct line_unit *unit,
			    void (*give)(void *context, const struct line_unit_inlined *inlined),
			    void *context);

/* Passes every row to the callback, in ascending order: code from @start to @end has that line. */
void line_unit_each_line(const struct line_unit *unit,
			 void (*give)(void *context, uint64_t start, uint64_t end, const char *file,
				      uint32_t line),
			 void *context);

#endif
