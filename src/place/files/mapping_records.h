/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mapping records seen before, by the file they name: path, device and inode, build id. */
#ifndef PLACE_FILES_MAPPING_RECORDS_H
#define PLACE_FILES_MAPPING_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hashidx.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "place/files/image_files.h"

/* Zero-initialised is empty. */
struct mapping_records {
	VEC(struct mapping_record) list;
	struct hashidx index;
};

/* The value stored for records like this one, which may be written to; borrowed until the next
 * call. If there is none, it is made with @fresh (*ret_fresh). @path is mapped->path in the
 * profile. */
uint32_t *mapping_records_find(struct mapping_records *records, const struct mapped_file *mapped,
			       str_id path, uint32_t fresh, bool *ret_fresh);
void mapping_records_done(struct mapping_records *records);

#endif
