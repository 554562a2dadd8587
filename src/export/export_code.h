/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code of a profile as other tools want it: a table of functions, and for each frame its
 * function and the functions inlined there, each with its line.
 */
#ifndef EXPORT_EXPORT_CODE_H
#define EXPORT_EXPORT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aggregate/labels.h"
#include "base/hashidx.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "load/frame_lines.h"

/* Texts are ids of export_code.texts, not escaped, as in the profile. */
struct export_function {
	str_id name;	   /* for people */
	str_id linkage;	   /* for the linker */
	str_id file;	   /* of its source; 0: unknown */
	uint32_t declared; /* the line it begins at; 0: unknown */
	uint32_t image;	   /* row of the profile */
	uint64_t start;	   /* as symbol.start; UINT64_MAX: seen inlined only */
};

/* A function at a line; line 0: unknown. */
struct export_level {
	uint32_t function;
	uint32_t line;
};

/* The levels of a frame, innermost first: inlined functions, then the function that has the code.
 * Count 0: the frame was not added. */
struct export_place {
	uint32_t first, count;
};

struct export_code {
	const struct labels *labels;
	struct strpool texts;
	VEC(struct export_function) functions; /* 0: none */
	VEC(struct export_level) levels;
	struct export_place *places; /* by frame */
	/* private */
	struct hashidx by_start, by_name;
};

/* @labels is borrowed. */
void export_code_init(struct export_code *code, const struct labels *labels);
void export_code_done(struct export_code *code);

/* Adds the frames of the stacks of @rows. @lines: NULL: no lines. @inlines: inlined functions get
 * levels of their own. */
void export_code_fill(struct export_code *code, struct frame_lines *lines, bool inlines,
		      const struct total *rows, size_t count);

/* The levels of an added frame, innermost first. */
static inline const struct export_level *export_code_levels(const struct export_code *code,
							    uint32_t frame, size_t *ret_count)
{
	*ret_count = code->places[frame].count;
	return &code->levels.items[code->places[frame].first];
}

/* Texts are borrowed. */
const char *export_code_name(const struct export_code *code, uint32_t function);
const char *export_code_linkage(const struct export_code *code, uint32_t function);
const char *export_code_file(const struct export_code *code, uint32_t function);

#endif
