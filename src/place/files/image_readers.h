/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who must be allowed to read the files that a profile names: for each image the users whose
 * processes ran its code, and what holds for all of them. The owners of the files whose debug
 * information names others are added where those are opened (line_file.h).
 */
#ifndef PLACE_FILES_IMAGE_READERS_H
#define PLACE_FILES_IMAGE_READERS_H

#include "base/cleanup.h"
#include "foreign/door.h"
#include "model/profile.h"

struct image_readers {
	struct readers all; /* of every image, and of what is no image's; its `foreign` is owned,
			       and everybody's */
	struct readers *images; /* by image, with those of `all`; NULL: `all` holds for each */
	size_t count;
};

/* Adds to each image the users of the processes that have it in a stack. Of an image of files or of
 * code made at run time that no process is known of, everybody must be allowed to read what it
 * names; the kernel's own code is nobody's. Needs the rows of @profile and all of its totals. */
void image_readers_add_users(struct image_readers *readers, const struct profile *profile,
			     const struct total *totals, size_t count);
void image_readers_done(struct image_readers *readers);

/* @readers NULL: ourselves alone. Borrowed. */
const struct readers *image_readers_of(const struct image_readers *readers, uint32_t image);

#endif
