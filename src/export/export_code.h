/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames of a profile as other tools want them: functions in a table of their own, and for each
 * frame the function it is in and those that were inlined there, each with its line.
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

/* Texts are ids of export_code.texts, as they are in the profile: not escaped. */
struct export_function {
	str_id name;	   /* as people read it */
	str_id linkage;	   /* as a linker knows it */
	str_id file;	   /* of its source; 0: not known */
	uint32_t declared; /* the line it begins at; 0: not known */
	uint32_t image;	   /* row of the profile */
	uint64_t start;	   /* as symbol.start; UINT64_MAX: it was only ever inlined */
};

/* A function at a line; 0: the line is not known. */
struct export_level {
	uint32_t function;
	uint32_t line;
};

/* Where the levels of a frame are, the innermost first; the last one is the function that has the
 * code, the others were inlined. Count 0: nobody asked for the frame. */
struct export_place {
	uint32_t first, count;
};

/* What is told of a level, for export_code_add. Texts are borrowed. */
struct export_line {
	const char *function; /* as a linker knows it */
	const char *file;     /* "": not known */
	uint32_t line, declared;
};

struct export_code {
	const struct labels *labels;
	struct strpool texts;
	VEC(struct export_function) functions; /* 0: none */
	VEC(struct export_level) levels;
	struct export_place *places; /* by frame */
	/* private */
	struct hashidx by_start, by_name;
	struct buf text;
};

/* @labels is borrowed. */
void export_code_init(struct export_code *code, const struct labels *labels);
void export_code_done(struct export_code *code);

/* Makes known a function that has code, so that where it was inlined it is the same one. */
uint32_t export_code_symbol(struct export_code *code, uint32_t symbol);
/* A frame and what is at it, innermost first, @count may be 0. The symbol knows better than the
 * outermost level what that function is called. */
void export_code_add(struct export_code *code, uint32_t frame, const struct export_line *lines,
		     size_t count);

/* The levels of a frame that was added, innermost first. */
static inline const struct export_level *export_code_levels(const struct export_code *code,
							    uint32_t frame, size_t *ret_count)
{
	*ret_count = code->places[frame].count;
	return &code->levels.items[code->places[frame].first];
}

/* Borrowed texts. */
const char *export_code_name(const struct export_code *code, uint32_t function);
const char *export_code_linkage(const struct export_code *code, uint32_t function);
const char *export_code_file(const struct export_code *code, uint32_t function);

#endif
