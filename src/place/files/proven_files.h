/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every mapping is recorded twice, once with device and inode and once with the build id. Remembers
 * the image that one record proved, for the other record. Keeps the last few. Zero-initialised is
 * empty.
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
	size_t count; /* number ever added */
};

/* Adds a mapping at @path whose file was found and is that of @image. */
void proven_files_add(struct proven_files *proven, const struct mapped_file *mapped, str_id path,
		      uint32_t image);
/* The image that another record of the same mapping and path proved. Returns @otherwise if there is
 * none, or if @mapped has a build id and so must prove its own. */
uint32_t proven_files_find(const struct proven_files *proven, const struct mapped_file *mapped,
			   str_id path, uint32_t otherwise);

#endif
