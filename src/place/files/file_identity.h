/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proof that an open file is the one a mapping record tells of, and that it still is what it was.
 */
#ifndef PLACE_FILES_FILE_IDENTITY_H
#define PLACE_FILES_FILE_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/elf_file.h"
#include "place/files/image_files.h"

/* An open file as fstat(2) and its own build id tell it. */
struct file_identity {
	uint64_t dev, inode; /* st_dev, st_ino: may differ from the kernel's records on overlayfs
				and btrfs */
	uint64_t size;
	int64_t mtime_ns;
	struct elf_build_id build_id;
	bool elf;  /* an ELF executable or shared object */
	bool copy; /* what is open is a copy of the file: it stays as it is */
};

/* Reads the identity of a regular file, which @file tells more of (NULL: it was opened by nothing but
 * its name). Negative errno when it is none or cannot be asked. */
int file_identity_read(int fd, const struct door_file *file, struct file_identity *ret_identity);
struct stat;
/* Does @st tell of the same file, unchanged: place, size and time of change? */
bool file_identity_is(const struct file_identity *identity, const struct stat *st);
/* The same for an open file; a copy always holds. */
bool file_identity_holds(const struct file_identity *identity, int fd);
/* Is the file the one that was mapped? Equal build ids decide where both have one; else device and
 * inode, as fstat has them or as the kernel names our own mapping of the file. */
bool file_identity_proves(const struct file_identity *identity, int fd,
			  const struct mapped_file *mapped);

#endif
