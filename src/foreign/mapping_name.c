/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "foreign/mapping_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"

/* The line of /proc/self/maps for our mapping at @start. */
static bool find_line(uint64_t start, struct mapping_name *ret_name)
{
	_cleanup_fclose_ FILE *maps = fopen("/proc/self/maps", "re");
	_cleanup_free_ char *line = NULL;
	size_t room = 0;

	while (maps && getline(&line, &room, maps) > 0) {
		uint64_t from;
		unsigned major, minor;

		if (sscanf(line, "%" SCNx64 "-%*x %*s %*x %x:%x %" SCNu64, &from, &major, &minor,
			   &ret_name->inode) != 4 ||
		    from != start)
			continue;
		ret_name->device = makedev(major, minor);
		return true;
	}
	return false;
}

bool mapping_name_read(int fd, struct mapping_name *ret_name)
{
	void *page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	bool found;

	if (page == MAP_FAILED)
		return false;
	found = find_line((uint64_t)(uintptr_t)page, ret_name);
	munmap(page, 1);
	return found;
}
