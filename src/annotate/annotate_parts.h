/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files annotate*.c share. Private to them. */
#ifndef ANNOTATE_ANNOTATE_PARTS_H
#define ANNOTATE_ANNOTATE_PARTS_H

#include "aggregate/account/event_choice.h"
#include "aggregate/hit_sets.h"
#include "annotate/annotate.h"
#include "annotate/annotation.h"
#include "base/vec.h"
#include "code/instructions.h"
#include "load/opened.h"
#include "names/lines/line_service.h"
#include "names/lines/source_files.h"

/* A frame that was hit. */
struct hit_frame {
	uint32_t frame;
	hit_set hits;
};

struct annotate {
	const struct annotate_options *options;
	struct opened opened;
	struct event_choice choice; /* what is counted, side by side */
	struct hit_sets sets;
	hit_set *hits; /* by frame */
	hit_set whole;
	struct line_service lines;
	struct source_files *sources;
	struct strpool files; /* names of source files */
	struct instructions *instructions;
};

/* A function: its frames that were hit, in order of address. */
struct hit_function {
	uint32_t symbol;
	hit_set hits;
	VEC(struct hit_frame) frames;
};

/* One with what annotate has chosen; to be ended with annotation_done. */
struct annotation annotate_annotation(const struct annotate *annotate);

/* Fills an empty annotation with a function. */
void annotate_function(struct annotate *annotate, const struct hit_function *function,
		       struct annotation *annotation);

/* Is any share of these hits, of what was selected of an event, the least one (--threshold)? */
bool annotate_lists(const struct annotate *annotate, hit_set set);

/* May this source file be shown (--include, --exclude)? */
bool annotate_wants_file(const struct annotate *annotate, const char *file);

/* The glob fits the whole name of a file, or one of its folders, or its last part. */
bool annotate_glob(const char *glob, const char *file);

/* Writes a file for each source file that was hit to options->folder, and tells of each on @out. */
int annotate_write_files(struct annotate *annotate, FILE *out, struct err *err);

#endif
