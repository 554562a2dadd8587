/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ends with 0 if this kernel tells the build ids of mappings: asks for its own, by PROCMAP_QUERY, which
 * headers may lack. */
#include <fcntl.h>
#include <linux/types.h>
#include <stdio.h>
#include <sys/ioctl.h>

struct query {
	__u64 size, flags, address;
	__u64 start, end, mapping_flags, page_size, offset, inode;
	__u32 major, minor, name_size, id_size;
	__u64 name, id;
};

int main(void)
{
	char id[20];
	struct query query = { .size = sizeof(query),
			       .address = (__u64)(unsigned long)main,
			       .id_size = sizeof(id),
			       .id = (__u64)(unsigned long)id };
	int maps = open("/proc/self/maps", O_RDONLY);

	if (ioctl(maps, _IOWR('f', 17, struct query), &query) < 0 || query.id_size == 0) {
		perror("PROCMAP_QUERY");
		return 1;
	}
	return 0;
}
