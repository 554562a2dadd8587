/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a profile file to another tool's format: load, select, add up, name, write. */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "export/formats.h"
#include "load/opened.h"

/* Texts are borrowed. */
struct export_options {
	const char *format;
	struct selection selection;
	struct opened_names names; /* .inlines stays false: see no_inlines */
	const char *by;	   /* keys at the root of collapsed stacks, or "none"; NULL: the thread */
	const char *value; /* "weight", "samples"; NULL: weight */
	bool no_lines;	   /* open no file: neither lines nor inlined functions */
	bool no_inlines;   /* lines, but no frames for inlined functions */
};

/* Checks all that does not need a profile. -EINVAL and one line; else *ret_format is the format to
 * write. */
int export_check(const struct export_options *options, const struct export_format **ret_format,
		 struct err *err);

/* Writes the selection of the profile at @path. @ret_note: what the format omits. Errors as
 * report_print. */
int export_write(const char *path, const struct export_options *options, FILE *out,
		 struct export_note *ret_note, struct err *err);

#endif
