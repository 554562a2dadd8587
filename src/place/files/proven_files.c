/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/files/proven_files.h"

void proven_files_add(struct proven_files *proven, const struct mapped_file *mapped, str_id path,
		      uint32_t image)
{
	proven->ring[proven->count++ % PROVEN_FILES_KEPT] =
		(struct proven_file){ mapped->pid, mapped->start, mapped->end, path, image };
}

uint32_t proven_files_find(const struct proven_files *proven, const struct mapped_file *mapped,
			   str_id path, uint32_t otherwise)
{
	if (mapped->build_id_size > 0)
		return otherwise;
	for (size_t i = 0; i < PROVEN_FILES_KEPT && i < proven->count; i++) {
		const struct proven_file *file = &proven->ring[i];

		if (file->pid == mapped->pid && file->start == mapped->start &&
		    file->end == mapped->end && file->path == path)
			return file->image;
	}
	return otherwise;
}
