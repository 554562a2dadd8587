/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files annotate*.c. Private to them. */
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

/* A frame with samples. */
struct hit_frame {
	uint32_t frame;
	hit_set hits;
};

struct annotate {
	const struct annotate_options *options;
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

/* True if the glob matches a file's whole name, one of its folders, or its last part. */
bool annotate_glob(const char *glob, const char *file);

/* Writes a file to options->folder for each source file with samples, and prints a line for each to
 * @out. */
int annotate_write_files(struct annotate *annotate, FILE *out, struct err *err);

#endif
