/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function or source file with its samples, for one event or several side by side: rows of source
 * and of instructions. */
#ifndef ANNOTATE_ANNOTATION_H
#define ANNOTATE_ANNOTATION_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "aggregate/hit_sets.h"
#include "base/buf.h"
#include "base/vec.h"
#include "present/view.h"

enum annotation_kind {
	ANNOTATION_SOURCE, /* number: a line of the file */
	ANNOTATION_CODE,   /* number: an address */
	ANNOTATION_PART,   /* text only: another file begins, or lines are omitted */
};

struct annotation_row {
	enum annotation_kind kind;
	uint64_t number;
	hit_set hits;	 /* in source rows between code: of the code that follows */
	size_t text;	 /* offset in annotation.texts */
	uint64_t target; /* CODE: address of a row it may jump to; 0: none */
};

struct annotation {
	const uint8_t *events;	     /* of each set of hits; borrowed */
	const struct hit_sets *sets; /* borrowed */
	VEC(struct annotation_row) rows;
	struct buf texts;   /* NUL-terminated */
	VEC(size_t) notes;  /* sentences, as offsets in texts */
	size_t name, place; /* in texts: the function; its image, or the source file */
	hit_set hits;	    /* of the function or file */
	hit_set whole;	    /* the whole selection */
	size_t file;	    /* in texts: the file of the source rows; 0: none */
	hit_set file_hits;  /* all hits of that file */
};

/* Appends a text, or a row and its text. */
size_t annotation_text(struct annotation *annotation, const char *text);
struct annotation_row *annotation_add(struct annotation *annotation, enum annotation_kind kind,
				      uint64_t number, const char *text);
void annotation_note(struct annotation *annotation, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void annotation_done(struct annotation *annotation);

/* The hits of a set, one for each event. */
static inline const struct hits *annotation_hits(const struct annotation *annotation, hit_set set)
{
	return hit_sets_get(annotation->sets, set);
}

/* Prints a head (the total of the function), its hottest lines, the rows, a foot (the total of the file) and the
 * notes. For one event a row has share, hits and weight; for several, share and hits of each. */
void annotation_print(const struct view *view, const struct annotation *annotation, FILE *out);

/* Prints the rows with most hits of the first event, those of one line of source added up; nothing if
 * no row has any. */
void annotation_print_hottest(const struct view *view, const struct annotation *annotation,
			      FILE *out);

/* For a file of its own: each row is the line of its number, and all else follows the last row. */
void annotation_print_file(const struct view *view, const struct annotation *annotation, FILE *out);

#endif
