/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that a recording could not have, added to its profile later. */
#ifndef VIEWS_NAMES_H
#define VIEWS_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "names/lines/line_service.h"

/* Texts are borrowed. */
struct names_options {
	const char *output;   /* the new profile; NULL: the old one is replaced */
	const char *demangle; /* how listed functions are called; NULL: normal */
	bool force;	      /* as in struct late_options; the profile says so ever after */
	bool list;	      /* the functions that were found */
	struct line_options lines;
};

struct names_result {
	struct buf text; /* lines for a person: what came of each image; the caller's */
	uint64_t named;	 /* frames that got a name */
	bool written;	 /* there is a new file; else there was nothing to write */
};

/* Gives frames of the profile @input that have no name those of files with the same build id, and
 * notes that in its facts. Stacks, samples and totals stay as they are. The new file is whole
 * before it takes the place of the old one, whose owner and mode it keeps; with nothing to add,
 * nothing is written but @options->output. -EBUSY: it is being recorded; -EINVAL: the options are
 * wrong, or it is no profile; else as store_open, store_write_copy and output_file_commit. */
int names_run(const char *input, const struct names_options *options,
	      struct names_result *ret_result, struct err *err);
/* Are the options right? -EINVAL and one line. */
int names_check(const struct names_options *options, struct err *err);

#endif
