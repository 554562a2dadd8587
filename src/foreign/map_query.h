/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks the kernel about a mapping of a process: PROCMAP_QUERY (Linux 6.11), which needs no right to
 * open the file. */
#ifndef FOREIGN_MAP_QUERY_H
#define FOREIGN_MAP_QUERY_H

#include <stdint.h>

enum { MAP_QUERY_BUILD_ID = 20 }; /* bytes */

struct map_query {
	uint64_t device, inode; /* as in /proc/PID/maps */
	uint32_t build_id_size; /* 0: the file has none */
	uint8_t build_id[MAP_QUERY_BUILD_ID];
};

/* @maps: path of a /proc/PID/maps. May wait for the file system of the mapped file. 0, or negative
 * errno: -ENOENT (nothing is mapped there), -ENOTTY (an older kernel). */
int map_query(const char *maps, uint64_t address, struct map_query *ret_query);

#endif
