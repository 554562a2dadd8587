/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every mapping is told of twice, by device and inode and by build id: what proved good in the one
 * is remembered for the other. A few of the last are kept. Zero-initialised is empty.
 */
#ifndef PLACE_FILES_PROVEN_FILES_H
#define PLACE_FILES_PROVEN_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "place/files/image_files.h"

enum { PROVEN_FILES_KEPT = 16 };

struct proven_files {
	struct proven_file {
		int32_t pid;
		uint64_t start, end;
		str_id path;
		uint32_t image;
	} ring[PROVEN_FILES_KEPT];
	size_t count; /* of all there were */
};

/* The file of this mapping, at @path, was found and is that of @image. */
void proven_files_add(struct proven_files *proven, const struct mapped_file *mapped, str_id path,
		      uint32_t image);
/* The image that a record of the same mapping and path proved to be; @otherwise when there is none,
 * or when @mapped has a build id and so must prove itself. */
uint32_t proven_files_find(const struct proven_files *proven, const struct mapped_file *mapped,
			   str_id path, uint32_t otherwise);

#endif
