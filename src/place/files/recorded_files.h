/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reopens the files of an existing profile. Only the file that was mapped counts: by its build id,
 * else by device, inode, size and mtime.
 */
#ifndef PLACE_FILES_RECORDED_FILES_H
#define PLACE_FILES_RECORDED_FILES_H

#include <stdint.h>

#include "base/err.h"
#include "model/profile.h"
#include "place/files/image_readers.h"

/*
 * Returns a descriptor, owned by the caller, of the file of an image, opened for the image's
 * @readers (foreign/door.h; NULL: ourselves).
 *   IMAGE_FILE: the path is that of the recording, as we see it.
 *   IMAGE_VDSO, in memory: our own vdso, if the running kernel has the build id of the recorded
 *     one.
 *   with @root->path, a tree of files copied from elsewhere such as --symfs: PATH below it. The
 *     file must have the image's build id, or its size if the image has no build id. @root may be
 *     NULL.
 * On failure a negative errno and a few words that complete "no code: ...".
 */
int recorded_files_open(const struct profile *profile, const struct door_root *root, uint32_t image,
			const struct image_readers *readers, struct err *err);

/* The image (index) of a profile's kernel proper; 0: none. */
uint32_t recorded_files_kernel(const struct profile *profile);

#endif
