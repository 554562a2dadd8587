/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a profile file to source lines and instructions with their samples. */
#ifndef ANNOTATE_ANNOTATE_H
#define ANNOTATE_ANNOTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/err.h"
#include "load/selection.h"
#include "names/lines/line_service.h"
#include "present/screen.h"

enum annotate_mode {
	ANNOTATE_BEST, /* mixed if the source is here, else what is available */
	ANNOTATE_ASM,
	ANNOTATE_SOURCE,
	ANNOTATE_MIXED,
};

/* Texts are borrowed. */
struct annotate_options {
	const char *symbol; /* a function's name, or a glob; NULL: all functions */
	enum annotate_mode mode;
	struct selection selection;
	const char *event;		 /* as for event_choice_parse */
	const char *demangle;		 /* as in struct opened_names */
	double threshold;		 /* least share (%) of a function or file, in any event */
	const char *const *source_paths; /* see source_files.h */
	size_t source_path_count;
	const char *const *include, *const *exclude; /* globs of source files */
	size_t include_count, exclude_count;
	const char *folder; /* write source files to it; NULL: print functions */
	mode_t file_mode;   /* of these files; their folders may be searched by users who may read
			     * them */
	struct line_options lines;
	const char *kallsyms; /* as in struct opened_names */
	const char *vmlinux;  /* as in struct instructions_options */
	bool intel;	      /* as in struct instructions_options */
	struct screen screen;
};

/* Checks all that does not need a profile. -EINVAL and one line. */
int annotate_check(const struct annotate_options *options, struct err *err);

/* Prints to @out; with a folder, writes the files and prints a list of them. Errors as
 * report_print; -ENODATA also if no function of that name has samples. */
int annotate_print(const char *path, const struct annotate_options *options, FILE *out,
		   struct err *err);

#endif
