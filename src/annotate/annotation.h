/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function, or a source file, with what was hit in it, of one event or of several side by side:
 * rows of source and of instructions. */
#ifndef ANNOTATE_ANNOTATION_H
#define ANNOTATE_ANNOTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aggregate/hit_sets.h"
#include "base/buf.h"
#include "base/vec.h"

enum annotation_kind {
	ANNOTATION_SOURCE, /* number: a line of the file */
	ANNOTATION_CODE,   /* number: an address */
	ANNOTATION_PART,   /* the text alone: what follows is of another file, or lines are left out
			    */
};

struct annotation_row {
	enum annotation_kind kind;
	uint64_t number;
	hit_set hits;	 /* source rows between code: of the code that follows */
	size_t text;	 /* offset in annotation.texts */
	uint64_t target; /* CODE: address of a row it may jump to; 0: none */
};

struct annotation {
	const uint8_t *events;	     /* of each set of hits; borrowed */
	const struct hit_sets *sets; /* borrowed */
	VEC(struct annotation_row) rows;
	struct buf texts;   /* NUL-terminated ones */
	VEC(size_t) notes;  /* sentences, in texts */
	size_t name, place; /* in texts: the function; the image it is in, or the source file */
	hit_set hits;	    /* of the function or file */
	hit_set whole;	    /* all that was selected */
	size_t file;	    /* in texts: the file of the source rows; 0: none */
	hit_set file_hits;  /* all that hit that file */
};

/* Appends a text, or a row with its text. */
size_t annotation_text(struct annotation *annotation, const char *text);
struct annotation_row *annotation_add(struct annotation *annotation, enum annotation_kind kind,
				      uint64_t number, const char *text);
void annotation_note(struct annotation *annotation, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void annotation_done(struct annotation *annotation);

/* The hits of a set, one of each event. */
static inline const struct hits *annotation_hits(const struct annotation *annotation, hit_set set)
{
	return hit_sets_get(annotation->sets, set);
}

static inline const char *annotation_at(const struct annotation *annotation, size_t text)
{
	return annotation->texts.bytes + text;
}

#endif
