/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of mappings. They are opened when they are mapped and kept open, so that a program that
 * exits, is deleted or is replaced still has names. A file counts only if it proves to be the one
 * that was mapped: same build id if the record has one, else same device, inode and generation, and
 * unchanged since. Otherwise the image gets a state that says why (enum image_state), never a wrong
 * name (docs/recording.md has the reasons). The exception is a folder that a user named
 * (image_files_set_root): there the path is enough if the record has no build id, because device
 * and inode are those of another machine.
 *
 * Tried in order: the path as we see it; /proc/PID/root/path (other mount namespaces); the mapping
 * itself, /proc/PID/map_files; a descriptor offered by exec_watch (files deleted at once).
 */
#ifndef PLACE_FILES_IMAGE_FILES_H
#define PLACE_FILES_IMAGE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "foreign/door.h"
#include "model/address_space.h"
#include "model/profile.h"

struct image_files;

/* The contents of a mapping record. Texts and bytes are borrowed for the call. */
struct mapped_file {
	int32_t pid;	     /* whose /proc/PID/root and map_files may be tried; 0: none */
	const char *path;    /* as recorded; a trailing " (deleted)" is dropped */
	uint64_t start, end; /* the mapping, for map_files */
	uint64_t offset;     /* in the file, of the mapping's first byte */
	uint64_t dev, inode; /* 0, 0: not recorded */
	uint64_t generation; /* of the inode number; only if has_generation */
	bool has_generation;
	/* CLOCK_REALTIME when the file was seen mapped: what changed later is not believed. 0: not
	 * known, and not compared. */
	int64_t mapped_ns;
	bool by_exec; /* mapped by exec, which forbids writing to a program */
	const uint8_t *build_id;
	uint8_t build_id_size; /* 0: not recorded */
	bool by_name; /* without a build id the name is proof enough: in a folder that a user
			 named */
};

/* @profile gets the images; borrowed. At most @max_open (at least 4) descriptors are held, a
 * quarter of them for offered files. Beyond that, the least recently used one is closed. If needed
 * again, it is reopened by path and its identity is checked. */
struct image_files *image_files_new(struct profile *profile, size_t max_open);
void image_files_free(struct image_files *files);
/* Looks for files in this folder first, under their paths on the machine where they were mapped
 * (borrowed; NULL: no such folder). */
void image_files_set_root(struct image_files *files, const char *root);
/* For paths that others chose: opens files through foreign/door.h for these readers (borrowed;
 * NULL: as ourselves, for mappings that this machine's kernel reported). */
void image_files_set_readers(struct image_files *files, const struct readers *readers);

/* The image (id in the profile) that was mapped; a new one is opened now. Special names ("[vdso]",
 * "//anon", "[heap]", "[vsyscall]", "/SYSV...", "anon_inode:...") become IMAGE_VDSO, IMAGE_ANON or
 * a BUCKET. "/memfd:..." is a file if it can be opened and is ELF, else IMAGE_ANON. A known file
 * that was rewritten in place (size, mtime) becomes a new image. */
uint32_t image_files_mapped(struct image_files *files, const struct mapped_file *mapped);
/* The same as a mapping. Code of an ELF file that is embedded in another file
 * (place/files/embedded_file.h) is of an image of its own, and the offset is one within it. */
struct mapping image_files_map(struct image_files *files, const struct mapped_file *mapped);

/* Takes over a descriptor of a file that was just executed, and keeps it for a while in case a
 * mapping needs it. */
void image_files_offer(struct image_files *files, int fd);

/* A descriptor to read the image from, borrowed until the next call into this module; -1 if there
 * is none (the image's state says why). The file is unchanged: it has the image's build id, size
 * and mtime. */
int image_files_open(struct image_files *files, uint32_t image);

/* The process that mapped the image last; 0: unknown. It may have ended. */
int32_t image_files_process(const struct image_files *files, uint32_t image);

/* To be called at the end of a flush, when frames have their names. Closes descriptors that were
 * not used for some flushes and whose path still leads to the file, so that file systems can be
 * unmounted. Closes unused offers too. */
void image_files_rest(struct image_files *files);

/* The whole name of a link to this image, next to it or in a directory of PATH. See
 * machine_complete; context is the struct image_files. */
const char *image_files_link(void *context, const char *comm, uint32_t image);

#endif
