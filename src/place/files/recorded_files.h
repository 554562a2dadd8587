/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of a profile that was recorded before, opened when they are needed again: only the very
 * file that was mapped counts, by its build id, else by its place, size and time of change.
 */
#ifndef PLACE_FILES_RECORDED_FILES_H
#define PLACE_FILES_RECORDED_FILES_H

#include <stdint.h>

#include "base/err.h"
#include "model/profile.h"
#include "place/files/image_readers.h"

/* A descriptor of the file behind an image of the kind IMAGE_FILE, the caller's. The path is that
 * of the recording, as we see it, opened for the image's @readers (foreign/door.h; NULL: ourselves).
 * Negative errno and a few words that complete "no code: ...". */
int recorded_files_open(const struct profile *profile, uint32_t image,
			const struct image_readers *readers, struct err *err);
/* The same for the kernel's shared object, IMAGE_VDSO, in memory: our own one, if the kernel of the
 * recording has the build id of the one that runs now. */
int recorded_files_open_vdso(const struct profile *profile, struct err *err);

/* The same of both kinds for a tree of files copied from elsewhere, such as --symfs: at PATH below
 * @root; it counts by its build id, or where the image has none by its size. */
int recorded_files_open_under(const struct profile *profile, const struct door_root *root,
			      uint32_t image, const struct image_readers *readers, struct err *err);

/* The kernel proper of a profile, an index into its images; 0: it has none. */
uint32_t recorded_files_kernel(const struct profile *profile);

#endif
