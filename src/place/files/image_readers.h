/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The users who must be allowed to read the files that a profile names: for each image, the users
 * whose processes ran its code, and the readers common to all. line_file.h adds the owner of a file
 * whose debug information names other files, when it opens those.
 */
#ifndef PLACE_FILES_IMAGE_READERS_H
#define PLACE_FILES_IMAGE_READERS_H

#include "foreign/door.h"
#include "model/profile.h"

struct image_readers {
	struct readers all;	/* common to all images, and for files of no image; its `foreign` is
			       owned, and shared by all */
	struct readers *images; /* by image, including those of `all`; NULL: `all` holds for each */
	size_t count;
};

/* Adds to each image the users whose processes have it in a stack. If no process is known for an
 * image of a file or of JIT code, everybody must be allowed to read the files that it names. The
 * kernel's own code belongs to no user. Needs the rows of @profile and all of its totals. */
void image_readers_add_users(struct image_readers *readers, const struct profile *profile,
			     const struct total *totals, size_t count);
void image_readers_done(struct image_readers *readers);

/* @readers NULL: only ourselves. Borrowed. */
const struct readers *image_readers_of(const struct image_readers *readers, uint32_t image);

#endif
