/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files annotate*.c share. Private to them. */
#ifndef PIPELINE_ANNOTATE_PARTS_H
#define PIPELINE_ANNOTATE_PARTS_H

#include "base/vec.h"
#include "pipeline/annotate.h"
#include "pipeline/instructions.h"
#include "pipeline/line_service.h"
#include "pipeline/opened.h"
#include "pipeline/source_files.h"
#include "present/annotation.h"

/* What was hit itself. */
struct hit {
	uint64_t samples, weight;
};

/* A frame that was hit. */
struct hit_frame {
	uint32_t frame;
	struct hit hit;
};

struct annotate {
	const struct annotate_options *options;
	struct opened opened;
	uint8_t event;	  /* the one that is counted */
	struct hit *hits; /* by frame */
	struct hit whole;
	struct line_service lines;
	struct source_files *sources;
	VEC(const char *) source_paths; /* those of the options, and of an archive */
	struct strpool files;		/* names of source files */
	struct instructions *instructions;
};

/* A function: its frames that were hit, in order of address. */
struct hit_function {
	uint32_t symbol;
	struct hit hit;
	VEC(struct hit_frame) frames;
};

/* Fills an empty annotation with a function. */
void annotate_function(struct annotate *annotate, const struct hit_function *function,
		       struct annotation *annotation);

/* May this source file be shown (--include, --exclude)? */
bool annotate_wants_file(const struct annotate *annotate, const char *file);

/* The glob fits the whole name of a file, or one of its folders, or its last part. */
bool annotate_glob(const char *glob, const char *file);

/* Writes a file for each source file that was hit to options->folder, and tells of each on @out. */
int annotate_write_files(struct annotate *annotate, FILE *out, struct err *err);

#endif
