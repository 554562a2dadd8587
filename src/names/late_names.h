/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for frames of a profile that was recorded where their files had none: from the files as
 * they are here, and from their debug files. Frames that have a name keep it; stacks, samples and
 * totals are not touched.
 */
#ifndef NAMES_LATE_NAMES_H
#define NAMES_LATE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "model/profile.h"
#include "names/debug_files/debug_files.h"
#include "place/files/image_readers.h"

struct late_options {
	struct debug_files *debug_files;     /* borrowed */
	const struct image_readers *readers; /* who must be allowed to read the files of an image;
						borrowed, NULL: ourselves */
	/* A file counts only if it has the image's build id. Else what proves a file to be the
	 * right one when lines are wanted is enough: its place and time, the checksum of a link. */
	bool by_build_id_only;
	/* Images that nothing was found for that way get the names of a file of the same name in
	 * one of these folders (borrowed), whatever its build id. */
	bool force;
	const char *const *folders;
	size_t folder_count;
};

/* What came of one image that has frames without a name. */
struct late_image {
	uint32_t image;
	uint64_t nameless; /* frames, before */
	uint64_t named;	   /* of these, now */
	char *source;	   /* the file they come from, owned; NULL: none was named */
	bool forced;	   /* nothing proves that it belongs to the image */
	struct err why;	   /* none was named; "" also where the symbols just do not cover them */
};

struct late_names {
	VEC(struct late_image) images; /* in the order of the profile */
	uint64_t nameless, named;      /* sums */
};

/* Does a frame lack the name of a function: has it none, a text in brackets, or the gap between two
 * functions? */
bool late_names_lacks(const struct profile *profile, const struct frame *frame);

/* Names what can be named in images of files. Rows that change are marked dirty; an image all of
 * whose symbols were read gets the state READ, and is not looked at again. The caller ends
 * *ret_names with late_names_done. @profile may be one that was loaded. */
void late_names_add(struct profile *profile, const struct late_options *options,
		    struct late_names *ret_names);
void late_names_done(struct late_names *names);

#endif
