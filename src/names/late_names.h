/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names frames of a profile whose files had no names when they were recorded: from the files as
 * they are here, and from their debug files. Frames with a name keep it. Stacks, samples and totals
 * do not change.
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
	const struct image_readers *readers; /* who must be allowed to read an image's files;
						borrowed, NULL: ourselves */
	/* A file counts only if it has the image's build id. Otherwise the proof required for lines
	 * is enough: device, inode, size and mtime, or the checksum of a link. */
	bool by_build_id_only;
	/* If nothing is found for an image that way, it gets the names of a file of the same name
	 * in one of these folders (borrowed), whatever its build id. */
	bool force;
	const char *const *folders;
	size_t folder_count;
};

/* The result for one image that has frames without a name. */
struct late_image {
	uint32_t image;
	uint64_t nameless; /* frames without a name, before */
	uint64_t named;	   /* of these, how many have one now */
	char *source;	   /* file of the new names, owned; NULL: none was named */
	bool forced;	   /* nothing proves that it belongs to the image */
	struct err why;	   /* why none was named; "" also if the symbols just do not cover them */
};

struct late_names {
	VEC(struct late_image) images; /* in the order of the profile */
	uint64_t nameless, named;      /* sums */
};

/* Names frames in images of files where possible: those without a name, with a text in brackets or
 * in the gap between two functions. Marks changed rows dirty. An image whose symbols
 * were all read gets the state READ, and is not examined again. The caller frees *ret_names with
 * late_names_done. @profile may be a loaded one. */
void late_names_add(struct profile *profile, const struct late_options *options,
		    struct late_names *ret_names);
void late_names_done(struct late_names *names);

#endif
