/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How /proc/PID/maps names a file: on stacked and sub-volume file systems fstat(2) has another
 * device. */
#ifndef FOREIGN_MAPPING_NAME_H
#define FOREIGN_MAPPING_NAME_H

#include <stdbool.h>
#include <stdint.h>

struct mapping_name {
	uint64_t device, inode;
};

/* Maps the file for a moment to see it. False: it cannot be mapped, or not be seen. */
bool mapping_name_read(int fd, struct mapping_name *ret_name);

#endif
