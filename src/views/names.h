/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds names to a profile that the recording could not get. */
#ifndef VIEWS_NAMES_H
#define VIEWS_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "names/lines/line_service.h"

/* Texts are borrowed. */
struct names_options {
	const char *output;   /* the new profile; NULL: replace the old one */
	const char *demangle; /* for listed functions; NULL: normal */
	bool force;	      /* as in struct late_options; the profile notes it */
	bool list;	      /* list the functions found */
	struct line_options lines;
};

struct names_result {
	struct buf text; /* for a person: the result for each image; the caller frees it */
	uint64_t named;	 /* frames that got a name */
	bool written;	 /* a file was written; false: nothing to write */
};

/* Names frames of the profile @input that have no name yet, from files with the same build id, and
 * notes that in its facts. Stacks, samples and totals do not change. The new file is complete
 * before it replaces the old one, whose owner and mode it keeps. With nothing to add, writes only
 * @options->output, if given. -EBUSY: being recorded; -EINVAL: wrong options, or not a profile;
 * else as store_open, store_write_copy and output_file_commit. */
int names_run(const char *input, const struct names_options *options,
	      struct names_result *ret_result, struct err *err);
/* Checks the options. -EINVAL and one line. */
int names_check(const struct names_options *options, struct err *err);

#endif
