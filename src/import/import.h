/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Imports what another tool recorded: a perf.data of any version, the output of perf script, a
 * pprof profile or collapsed stacks. The import invents nothing: weights are the recorded periods,
 * a file is used only if it proves to be the mapped one, and there is no account of all time.
 */
#ifndef IMPORT_IMPORT_H
#define IMPORT_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Texts are borrowed. */
struct import_options {
	const char *input;    /* file, or "-": standard input */
	const char *output;   /* file to write; NULL: last.prof in the state folder */
	const char *symfs;    /* folder with the files of the recorded machine; NULL: none */
	const char *kallsyms; /* of the recorded kernel, or its System.map; NULL: none */
	const char *vmlinux;  /* the recorded kernel with its symbols; NULL: none */
	const char *const *debug_folders; /* as in struct debug_options */
	size_t debug_folder_count;
	const char *value; /* what counts of collapsed stacks are: "samples" or "weight"; NULL:
			    * import_profile.h decides */
	bool inlines;	   /* keep inlined functions as frames where the input has them */
};

struct import_result {
	char path[4096]; /* of the profile */
	bool kept;	 /* false: no state folder; the file was temporary and is removed */
	uint64_t samples;
	char note[640];	    /* a remark about a good import; "" none */
	char left_out[256]; /* what was omitted on purpose; "" nothing */
	char damage[640];   /* what of the recording could not be read; "" nothing */
};

/* Checks the options alone, without looking at any file. Negative errno and one line. */
int import_check(const struct import_options *options, struct err *err);

/* @options must have passed import_check. Negative errno and one line, and no file is left:
 * -EINVAL: not a recording; -ENODATA: no samples; else as record_output_open, or as opening the
 * input. */
int import_run(const struct import_options *options, struct import_result *ret_result,
	       struct err *err);

#endif
