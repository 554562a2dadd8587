/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the views share of printing. */
#ifndef LOAD_OUTPUT_H
#define LOAD_OUTPUT_H

#include <stdio.h>

#include "base/err.h"
#include "model/profile.h"

/* --format: the forms in which tables and trees are printed. */
enum format {
	FORMAT_TEXT,
	FORMAT_CSV,
	FORMAT_JSON,
	FORMAT_COUNT,
};

/* NULL is text. -EINVAL: unknown name. */
int output_format(const char *name, enum format *ret_format, struct err *err);

/* The title of a page or an exported profile: @wanted or, if that is NULL, the profiled command. */
const char *output_title(const char *wanted, const struct profile *profile);

/* Call it after printing everything. Returns errors of writing. A reader that closed its end is no
 * error, for it wants no more output. */
int output_end(FILE *out, struct err *err);

#endif
