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
	int64_t mtime_ns, ctime_ns;
	struct elf_build_id build_id;
	uint32_t generation; /* of the inode number, where the file system tells it */
	bool has_generation;
	bool unlinked;		  /* no name leads to it any more */
	struct mapping_name name; /* only of a copy */
	bool elf;		  /* an ELF executable or shared object */
	bool copy;		  /* the descriptor is a private copy, which cannot change */
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
/* The same, and nothing else about the file changed either, such as its name. */
bool file_identity_untouched(const struct file_identity *identity, const struct stat *st);
/* True if @fd is the same file, unchanged: untouched, or it still has the same build id. @file: as
 * for file_identity_read. */
bool file_identity_again(const struct file_identity *identity, int fd,
			 const struct door_file *file);

enum file_proof {
	FILE_OTHER,   /* not the file that was mapped */
	FILE_CHANGED, /* that file, but it may have been rewritten since */
	FILE_PROVEN,
};

/* What an open file is to a mapping. If the record has a build id, it decides. Otherwise the file
 * must have the device, inode and generation of the record, either as fstat has them or as the
 * kernel reports our own mapping of the file, and must not have changed since it was mapped. */
enum file_proof file_identity_prove(const struct file_identity *identity, int fd,
				    const struct mapped_file *mapped);

#endif
