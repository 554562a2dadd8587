/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What another tool recorded becomes a profile: a perf.data of any age, the text that perf script
 * printed of one, a profile of pprof, collapsed stacks. What the recording does not tell is not
 * made up: weights are the periods it has, files are named only when they prove to be those that
 * were mapped, there is no account.
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
	const char *output;   /* file to make; NULL: last.prof in the state folder */
	const char *symfs;    /* folder with the files of the recorded machine; NULL: none */
	const char *kallsyms; /* of the recorded kernel, or its System.map; NULL: none */
	const char *vmlinux;  /* the same, with symbols; NULL: none */
	const char *const *debug_folders; /* as in struct debug_options */
	size_t debug_folder_count;
	const char *value; /* what counts of collapsed stacks are: "samples", "weight"; NULL: as
				 import_counts.h has it */
	bool inlines;	   /* inlined functions are frames also where another file has them */
};

struct import_result {
	char path[4096]; /* of the profile */
	bool kept;	 /* false: there is no state folder; the file was temporary and is gone */
	uint64_t samples;
	char note[640];	    /* something the user should know although it went well; "" nothing */
	char left_out[256]; /* what of it was left out on purpose; "" nothing */
	char damage[640];   /* what of the recording could not be read; "" nothing */
};

/* What is wrong with the options themselves, before anything is looked at. Negative errno and one
 * line. */
int import_check(const struct import_options *options, struct err *err);

/* Options that import_check found right. Negative errno and one line: -EINVAL what is no recording,
 * -ENODATA one without any sample, or as record_output_open and opening the input. Nothing is left
 * behind then. */
int import_run(const struct import_options *options, struct import_result *ret_result,
	       struct err *err);

#endif
