/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "foreign/map_query.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"

/* struct procmap_query of linux/fs.h, which older headers lack. */
struct question {
	uint64_t size, flags, address;
	uint64_t start, end, vma_flags, page_size, offset, inode;
	uint32_t major, minor;
	uint32_t name_size, build_id_size; /* in: room; out: used */
	uint64_t name, build_id;	   /* addresses */
};

#define QUERY _IOWR('f', 17, struct question)

int map_query(const char *maps, uint64_t address, struct map_query *ret_query)
{
	_cleanup_close_ int fd = open(maps, O_RDONLY | O_CLOEXEC);
	struct map_query query = { 0 };
	struct question question = { .size = sizeof(question),
				     .address = address,
				     .build_id_size = sizeof(query.build_id),
				     .build_id = (uint64_t)(uintptr_t)query.build_id };

	if (fd < 0 || ioctl(fd, QUERY, &question) < 0)
		return -errno;
	query.device = makedev(question.major, question.minor);
	query.inode = question.inode;
	query.build_id_size = question.build_id_size;
	*ret_query = query;
	return 0;
}
