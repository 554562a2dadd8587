/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distinguishes the file that a recording on this machine wrote from copies of it. The recording
 * notes the inode of the file and the inode's birth time in ns (statx(2)). A copy, or a profile
 * from elsewhere, has another inode with another birth time, which its author cannot choose.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "store/store.h"

static bool ask(int fd, uint64_t *ret_inode, uint64_t *ret_birth_ns)
{
	struct statx stx;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_INO | STATX_BTIME, &stx) < 0 ||
	    !S_ISREG(stx.stx_mode))
		return false;
	*ret_inode = stx.stx_ino;
	*ret_birth_ns = 0;
	if (stx.stx_mask & STATX_BTIME)
		*ret_birth_ns = (uint64_t)stx.stx_btime.tv_sec * NS_PER_S + stx.stx_btime.tv_nsec;
	return true;
}

void store_note_origin_of(struct profile *profile, int fd)
{
	struct run_facts *run = &profile->run;

	if (!ask(fd, &run->file_inode, &run->file_birth_ns))
		run->file_inode = run->file_birth_ns = 0;
}

static bool is_noted(const void *context, int fd)
{
	const struct run_facts *run = context;
	uint64_t inode, birth_ns;

	return ask(fd, &inode, &birth_ns) && inode == run->file_inode &&
	       birth_ns == run->file_birth_ns;
}

/* The first descriptor of this process that @fits accepts; -1: none. */
static int find(bool (*fits)(const void *context, int fd), const void *context)
{
	_cleanup_closedir_ DIR *folder = opendir("/proc/self/fd");
	const struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		int fd = entry->d_name[0] == '.' ? -1 : atoi(entry->d_name);

		if (fd >= 0 && fd != dirfd(folder) && fits(context, fd))
			return fd;
	}
	return -1;
}

int store_find_origin(const struct profile *profile)
{
	return profile->run.file_inode ? find(is_noted, &profile->run) : -1;
}

static bool is_another_of(const void *context, int fd)
{
	const int *one = context;
	struct stat a, b;

	return fd != *one && fstat(*one, &a) == 0 && fstat(fd, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

bool store_has_open(int fd)
{
	return find(is_another_of, &fd) >= 0;
}
