/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/files/file_identity.h"

#include <errno.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "perf/own_mapping.h"

enum {
	COARSE_TIMES_NS = 2 * 1000 * 1000 * 1000 - 1,
	LATE_TICKS = 8,
};

static int64_t ns_of(struct timespec time)
{
	return (int64_t)time.tv_sec * (int64_t)NS_PER_S + time.tv_nsec;
}

static void set_stat(struct file_identity *identity, const struct stat *st)
{
	identity->dev = st->st_dev;
	identity->inode = st->st_ino;
	identity->size = (uint64_t)st->st_size;
	identity->mtime_ns = ns_of(st->st_mtim);
	identity->ctime_ns = ns_of(st->st_ctim);
	identity->unlinked = st->st_nlink == 0;
}

static void set_place(struct file_identity *identity, const struct door_file *place)
{
	identity->dev = place->device;
	identity->inode = place->inode;
	identity->copy = place->copy;
	if (place->copy) {
		identity->ctime_ns = place->ctime_ns;
		identity->unlinked = place->unlinked;
		identity->name = place->name;
	}
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
	if (place)
		set_place(&identity, place);
	/* the file system's request, which knows only ints, whatever its number says */
	identity.has_generation =
		!identity.copy && ioctl(fd, FS_IOC_GETVERSION, &identity.generation) == 0;
	identity.elf = elf_file_open(fd, &file, NULL) == 0;
	if (identity.elf)
		identity.build_id = *elf_file_build_id(file);
	*ret_identity = identity;
	return 0;
}

bool file_identity_is(const struct file_identity *identity, const struct stat *st)
{
	return st->st_dev == identity->dev && st->st_ino == identity->inode &&
	       (uint64_t)st->st_size == identity->size && ns_of(st->st_mtim) == identity->mtime_ns;
}

bool file_identity_untouched(const struct file_identity *identity, const struct stat *st)
{
	return file_identity_is(identity, st) && ns_of(st->st_ctim) == identity->ctime_ns;
}

bool file_identity_again(const struct file_identity *identity, int fd, const struct door_file *file)
{
	const struct elf_build_id *id = &identity->build_id;
	struct file_identity now = { 0 };

	if (file_identity_read(fd, file, &now) < 0 || now.dev != identity->dev ||
	    now.inode != identity->inode || now.size != identity->size ||
	    now.mtime_ns != identity->mtime_ns)
		return false;
	return now.ctime_ns == identity->ctime_ns ||
	       (id->size > 0 && elf_file_build_id_is(&now.build_id, id->bytes, id->size));
}

bool file_identity_holds(const struct file_identity *identity, int fd)
{
	struct stat st;

	return identity->copy || (fstat(fd, &st) == 0 && file_identity_is(identity, &st));
}

/* As /proc/PID/maps names the file. */
static bool mapped_as(const struct file_identity *identity, int fd,
		      const struct mapped_file *mapped)
{
	struct mapping_name name = identity->name;

	if (!identity->copy && !mapping_name_read(fd, &name))
		return false;
	return name.device == mapped->dev && name.inode == mapped->inode;
}

/* As perf's records name it: on overlayfs, Linux 6.8 to 6.17 tell its own device to /proc, but that
 * of the layer to perf. */
static bool recorded_as(int fd, const struct mapped_file *mapped)
{
	struct perf_mmap own;

	return own_mapping_record(fd, &own) && own.dev == mapped->dev &&
	       own.inode == mapped->inode && own.generation == mapped->generation;
}

/* On stacked and sub-volume file systems fstat returns another device than the kernel's records.
 * Mapping the file ourselves shows what the kernel calls it. */
static bool is_inode(const struct file_identity *identity, int fd, const struct mapped_file *mapped)
{
	if (mapped->inode == 0)
		return false;
	if (identity->has_generation && mapped->has_generation &&
	    identity->generation != (uint32_t)mapped->generation)
		return false;
	if (identity->dev == mapped->dev)
		return identity->inode == mapped->inode;
	return mapped_as(identity, fd, mapped) ||
	       (!identity->copy && mapped->has_generation && recorded_as(fd, mapped));
}

/* How much later than its time of change a file may have changed. The kernel takes the time of its
 * last tick. One CPU counts these; if it stands still, as those of virtual machines do, another one
 * takes over when it has missed five (MAX_STALLED_JIFFIES of linux:kernel/time/tick-sched.c). Some
 * file systems keep whole seconds, or two. */
static int64_t slack_ns(int64_t change_ns)
{
	struct timespec tick = { 0 };

	if (change_ns % (int64_t)NS_PER_MS == 0)
		return COARSE_TIMES_NS;
	clock_getres(CLOCK_REALTIME_COARSE, &tick);
	return LATE_TICKS * ns_of(tick);
}

/* The slack is for what others may write to. Nobody writes to a program that runs, and no name
 * leads to a deleted file, whose removal was the last change. */
static bool is_unchanged(const struct file_identity *identity, const struct mapped_file *mapped)
{
	if (!mapped->mapped_ns)
		return true;
	if (identity->unlinked)
		return identity->mtime_ns <= mapped->mapped_ns;
	if (mapped->by_exec)
		return identity->ctime_ns <= mapped->mapped_ns;
	return identity->ctime_ns + slack_ns(identity->ctime_ns) <= mapped->mapped_ns;
}

enum file_proof file_identity_prove(const struct file_identity *identity, int fd,
				    const struct mapped_file *mapped)
{
	/* a file without a build id is not the one that was mapped with it */
	if (mapped->build_id_size > 0)
		return elf_file_build_id_is(&identity->build_id, mapped->build_id,
					    mapped->build_id_size)
			       ? FILE_PROVEN
			       : FILE_OTHER;
	if (mapped->by_name)
		return FILE_PROVEN;
	if (!is_inode(identity, fd, mapped))
		return FILE_OTHER;
	return is_unchanged(identity, mapped) ? FILE_PROVEN : FILE_CHANGED;
}
