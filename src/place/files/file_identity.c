/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/files/file_identity.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/clock.h"

static void set_stat(struct file_identity *identity, const struct stat *st)
{
	identity->dev = st->st_dev;
	identity->inode = st->st_ino;
	identity->size = (uint64_t)st->st_size;
	identity->mtime_ns = (int64_t)st->st_mtim.tv_sec * (int64_t)NS_PER_S + st->st_mtim.tv_nsec;
}

int file_identity_read(int fd, const struct door_file *place, struct file_identity *ret_identity)
{
	_cleanup_(elf_file_freep) struct elf_file *file = NULL;
	struct file_identity identity = { 0 };
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	set_stat(&identity, &st);
	if (place) {
		identity.dev = place->device;
		identity.inode = place->inode;
		identity.copy = place->copy;
	}
	identity.elf = elf_file_open(fd, &file, NULL) == 0;
	if (identity.elf)
		identity.build_id = *elf_file_build_id(file);
	*ret_identity = identity;
	return 0;
}

bool file_identity_is(const struct file_identity *identity, const struct stat *st)
{
	struct file_identity now;

	set_stat(&now, st);
	return now.dev == identity->dev && now.inode == identity->inode &&
	       now.size == identity->size && now.mtime_ns == identity->mtime_ns;
}

bool file_identity_holds(const struct file_identity *identity, int fd)
{
	struct stat st;

	return identity->copy || (fstat(fd, &st) == 0 && file_identity_is(identity, &st));
}

/* The device and inode in the line of /proc/self/maps for our mapping at @start. */
static bool maps_line(uint64_t start, uint64_t *ret_dev, uint64_t *ret_inode)
{
	_cleanup_fclose_ FILE *maps = fopen("/proc/self/maps", "re");
	_cleanup_free_ char *line = NULL;
	size_t room = 0;

	while (maps && getline(&line, &room, maps) > 0) {
		uint64_t from;
		unsigned major, minor;

		if (sscanf(line, "%" SCNx64 "-%*x %*s %*x %x:%x %" SCNu64, &from, &major, &minor,
			   ret_inode) != 4 ||
		    from != start)
			continue;
		*ret_dev = makedev(major, minor);
		return true;
	}
	return false;
}

/* On stacked and sub-volume file systems fstat returns another device than the kernel's records.
 * Mapping the file ourselves shows what the kernel calls it. */
static bool maps_as(int fd, uint64_t dev, uint64_t inode)
{
	void *page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	uint64_t our_dev, our_inode;
	bool found;

	if (page == MAP_FAILED)
		return false;
	found = maps_line((uint64_t)(uintptr_t)page, &our_dev, &our_inode);
	munmap(page, 1);
	return found && our_dev == dev && our_inode == inode;
}

bool file_identity_proves(const struct file_identity *identity, int fd,
			  const struct mapped_file *mapped)
{
	const struct elf_build_id *build_id = &identity->build_id;

	/* a file without a build id is not the one that was mapped with it */
	if (mapped->build_id_size > 0)
		return build_id->size == mapped->build_id_size &&
		       memcmp(build_id->bytes, mapped->build_id, build_id->size) == 0;
	if (mapped->by_name)
		return true;
	if (mapped->inode == 0)
		return false;
	if (identity->dev == mapped->dev)
		return identity->inode == mapped->inode;
	return !identity->copy && maps_as(fd, mapped->dev, mapped->inode);
}
