/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files annotate*.c. Private to them. */
#ifndef ANNOTATE_ANNOTATE_PARTS_H
#define ANNOTATE_ANNOTATE_PARTS_H

#include "aggregate/account/event_choice.h"
#include "aggregate/hit_sets.h"
#include "annotate/annotate.h"
#include "annotate/annotate_name.h"
#include "annotate/annotation.h"
#include "base/cleanup.h"
#include "base/vec.h"
#include "code/instructions.h"
#include "load/opened.h"
#include "names/lines/line_service.h"
#include "names/lines/source_files.h"

/* A frame with samples. */
struct hit_frame {
	uint32_t frame;
	hit_set hits;
};

struct annotate {
	const struct annotate_options *options;
	struct annotate_name name; /* of the functions that are wanted */
	struct opened opened;
	struct event_choice choice; /* the events shown side by side */
	struct hit_sets sets;
	hit_set *hits; /* by frame */
	hit_set whole;
	struct line_service lines;
	struct source_files *sources;
	struct strpool files; /* names of source files */
	struct instructions *instructions;
};

/* A function: its frames with samples, in order of address. */
struct hit_function {
	uint32_t symbol;
	hit_set hits;
	VEC(struct hit_frame) frames;
};

/* An annotation for the chosen events. Free it with annotation_done. */
struct annotation annotate_annotation(const struct annotate *annotate);

/* Fills an empty annotation with a function. */
void annotate_function(struct annotate *annotate, const struct hit_function *function,
		       struct annotation *annotation);

/* True if these hits reach the least share (--threshold) of the selection in any event. */
bool annotate_lists(const struct annotate *annotate, hit_set set);

/* True if --include and --exclude allow this source file. */
bool annotate_wants_file(const struct annotate *annotate, const char *file);

/* The text of a source file that the image names; NULL: not wanted, or missing. */
const struct source_file *annotate_source(struct annotate *annotate, uint32_t image,
					  const char *file);

/* Functions that were inlined, with the samples that they have inside all of their callers. */
struct annotate_inlined;

/* Finds those that the name fits at least that well, in these images (by number; NULL: in all). */
struct annotate_inlined *annotate_inlined_find(struct annotate *annotate, enum annotate_fit least,
					       const bool *images);
void annotate_inlined_free(struct annotate_inlined *inlined); /* NULL is fine */
DEFINE_CLEANUP(struct annotate_inlined *, annotate_inlined_free);
/* How many lines they have in all. */
size_t annotate_inlined_lines(const struct annotate_inlined *inlined);
/* Fills an empty annotation with the function of line number @at. Returns the number of lines that it
 * has. */
size_t annotate_inlined_fill(struct annotate *annotate, const struct annotate_inlined *inlined,
			     size_t at, struct annotation *annotation);

/* Writes a file to options->folder for each source file with samples, and prints a line for each to
 * @out. */
int annotate_write_files(struct annotate *annotate, FILE *out, struct err *err);

#endif
