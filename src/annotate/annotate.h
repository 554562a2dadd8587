/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a profile file to source lines and instructions with what was hit in them. */
#ifndef ANNOTATE_ANNOTATE_H
#define ANNOTATE_ANNOTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/err.h"
#include "load/selection.h"
#include "names/lines/line_service.h"

enum annotate_mode {
	ANNOTATE_BEST, /* mixed where the source is here, else what there is */
	ANNOTATE_ASM,
	ANNOTATE_SOURCE,
	ANNOTATE_MIXED,
};

/* Texts are borrowed. */
struct annotate_options {
	const char *symbol; /* a function's name, or a glob; NULL: all of them */
	enum annotate_mode mode;
	struct selection selection;
	const char *event;    /* as event_choice_parse has it */
	const char *demangle; /* as in struct opened_names */
	double threshold;     /* least share (%) of a function, or of a file, of any event */
	const char *const *source_paths; /* see source_files.h */
	size_t source_path_count;
	const char *const *include, *const *exclude; /* globs of source files */
	size_t include_count, exclude_count;
	const char *folder; /* source files are written to it; NULL: functions are printed */
	mode_t file_mode;   /* of these files; their folders may be searched by who may read them */
	struct line_options lines;
	const char *kallsyms; /* as in struct opened_names */
	const char *vmlinux;  /* as in struct instructions_options */
	bool intel;	      /* the same */
	size_t columns;
	bool colour;
};

/* Everything that can be wrong without looking at a profile. -EINVAL and one line. */
int annotate_check(const struct annotate_options *options, struct err *err);

/* Prints to @out; with a folder, writes the files and prints what was written. Errors as
 * report_print; -ENODATA also when nothing that was hit is called so. */
int annotate_print(const char *path, const struct annotate_options *options, FILE *out,
		   struct err *err);

#endif
