/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves that an open file is the one in a mapping record, and that it has not changed since.
 */
#ifndef PLACE_FILES_FILE_IDENTITY_H
#define PLACE_FILES_FILE_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/elf_file.h"
#include "place/files/image_files.h"

/* An open file, as fstat(2) and its own build id describe it. */
struct file_identity {
	uint64_t dev, inode; /* st_dev, st_ino: may differ from the kernel's records on overlayfs
				and btrfs */
	uint64_t size;
	int64_t mtime_ns;
	struct elf_build_id build_id;
	bool elf;  /* an ELF executable or shared object */
	bool copy; /* the descriptor is a private copy, which cannot change */
};

/* Reads the identity of a regular file. @file, if not NULL, has its device and inode and says
 * whether @fd is a copy. Returns a negative errno if it is not a regular file or cannot be
 * examined. */
int file_identity_read(int fd, const struct door_file *file, struct file_identity *ret_identity);
struct stat;
/* True if @st is the same file, unchanged: device, inode, size and mtime. */
bool file_identity_is(const struct file_identity *identity, const struct stat *st);
/* The same for an open file; always true for a copy. */
bool file_identity_holds(const struct file_identity *identity, int fd);
/* True if the file is the one that was mapped. If the record has a build id, it decides. Otherwise
 * device and inode decide, either as fstat has them or as the kernel reports our own mapping of the
 * file. */
bool file_identity_proves(const struct file_identity *identity, int fd,
			  const struct mapped_file *mapped);

#endif
