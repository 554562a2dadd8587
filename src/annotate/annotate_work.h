/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function that is being annotated: what the files annotate_*.c that fill it share. Private to
 * them. */
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

/* What a line of source has of the function. */
struct annotate_line {
	const char *file; /* lives in annotate->files; equal texts may be different pointers */
	uint32_t line;
	hit_set hits;
};

/* Those that were hit, by file and line. */
typedef VEC(struct annotate_line) annotate_lines;

struct annotate_work {
	struct annotate *annotate;
	const struct hit_function *function;
	const struct symbol *symbol;
	uint32_t image;
	uint64_t place_shift; /* from an address to what lines_of is asked for */
	struct annotation *annotation;
	VEC(struct annotate_code) code;
	const char *no_code; /* why not; in @why */
	struct err why;
	hit_set inlined;
};

/* The frame of a hit of the function, by its index. */
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

/* Where the function lies. Of what lies between two symbols only as much as was hit is known to be
 * one function. */
struct instructions_range annotate_code_range(const struct annotate_work *work);
/* Fills work->code, each with its hits, or work->no_code. */
void annotate_code_list(struct annotate_work *work);
/* Add a row of an instruction, or of each, to the annotation. */
void annotate_code_add(struct annotate_work *work, const struct annotate_code *code);
void annotate_code_add_all(struct annotate_work *work);

/* ---- annotate_lines.c: which lines of source were hit ---- */

/* The levels at an address of a frame; NULL: nothing is known. */
const struct line_place *annotate_lines_at(struct annotate_work *work, uint64_t address,
					   size_t *ret_count);
/* The function's own line at each hit, into an empty list; *ret_declared, where that is told, is
 * the line the function begins at. Sums up work->inlined. */
void annotate_lines_find(struct annotate_work *work, annotate_lines *list, uint32_t *ret_declared);
/* Behind the last line of the file that the one at @begin is of. */
size_t annotate_lines_end_of_file(const annotate_lines *list, size_t begin);
/* The first line of the function's own file, which is the one with most of the hits. */
size_t annotate_lines_main_file(const struct annotate_work *work, const annotate_lines *list);

/* ---- annotate_source.c: source alone ---- */

/* The text of a source file that the image names; NULL: not wanted, or not here. */
const struct source_file *annotate_source_file(struct annotate *annotate, uint32_t image,
					       const char *file);
/* Adds the rows of all files that were hit. @declared: where the function begins; 0: not known. */
void annotate_source_add(struct annotate_work *work, const annotate_lines *list, uint32_t declared);

/* ---- annotate_mixed.c: source and instructions, in order of address ---- */

void annotate_mixed_add(struct annotate_work *work);

#endif
