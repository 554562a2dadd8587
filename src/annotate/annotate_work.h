/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function being annotated, as the files annotate_*.c that fill it share it. Private to them. */
#ifndef ANNOTATE_ANNOTATE_WORK_H
#define ANNOTATE_ANNOTATE_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/annotate_parts.h"
#include "base/err.h"
#include "base/vec.h"

/* An instruction. */
struct annotate_code {
	uint64_t address;
	uint32_t length;
	size_t text; /* in the annotation */
	uint64_t target;
	hit_set hits;
};

/* A source line's part of the function. */
struct annotate_line {
	const char *file; /* lives in annotate->files; equal texts may be different pointers */
	uint32_t line;
	hit_set hits;
};

/* Lines with hits, by file and line. */
typedef VEC(struct annotate_line) annotate_lines;

struct annotate_work {
	struct annotate *annotate;
	const struct hit_function *function;
	const struct symbol *symbol;
	uint32_t image;
	uint64_t place_shift; /* from an address to the place for lines_of */
	struct annotation *annotation;
	VEC(struct annotate_code) code;
	const char *no_code; /* why there is no code; in @why */
	struct err why;
	hit_set inlined;
};

/* The frame of the function's hit @index. */
static inline const struct frame *annotate_work_frame(const struct annotate_work *work,
						      size_t index)
{
	const struct profile *profile = work->annotate->opened.profile;

	return &profile->frames.items[work->function->frames.items[index].frame];
}

static inline void annotate_work_add(const struct annotate_work *work, hit_set *sum, hit_set hits)
{
	hit_sets_join(&work->annotate->sets, sum, hits);
}

/* ---- annotate_code.c: its instructions ---- */

/* The function's range. Code between two symbols is one function only as far as it has samples. */
struct instructions_range annotate_code_range(const struct annotate_work *work);
/* Fills work->code, each instruction with its hits, or work->no_code. */
void annotate_code_list(struct annotate_work *work);
/* Adds a row for an instruction, or for each, to the annotation. */
void annotate_code_add(struct annotate_work *work, const struct annotate_code *code);
void annotate_code_add_all(struct annotate_work *work);

/* ---- annotate_lines.c: source lines with hits ---- */

/* The levels at an address of a frame; NULL: unknown. */
const struct line_place *annotate_lines_at(struct annotate_work *work, uint64_t address,
					   size_t *ret_count);
/* Fills an empty list with the function's own line at each hit. *ret_declared: the line the
 * function begins at, if known. Sums up work->inlined. */
void annotate_lines_find(struct annotate_work *work, annotate_lines *list, uint32_t *ret_declared);
/* The index after the last line of the file of the one at @begin. */
size_t annotate_lines_end_of_file(const annotate_lines *list, size_t begin);
/* The first line of the function's own file, the one with most of the hits. */
size_t annotate_lines_main_file(const struct annotate_work *work, const annotate_lines *list);

/* ---- annotate_source.c: source alone ---- */

/* The text of a source file that the image names; NULL: not wanted, or missing. */
const struct source_file *annotate_source_file(struct annotate *annotate, uint32_t image,
					       const char *file);
/* Adds the rows of all files with hits. @declared: the line the function begins at; 0: unknown. */
void annotate_source_add(struct annotate_work *work, const annotate_lines *list, uint32_t declared);

/* ---- annotate_mixed.c: source and instructions, in order of address ---- */

void annotate_mixed_add(struct annotate_work *work);

#endif
