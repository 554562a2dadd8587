/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files behind mappings, opened when they are mapped and held, so that a program that has
 * exited, been deleted or replaced still has names. A file counts only when it proves to be the one
 * that was mapped: same build id where both are known, else same (dev, inode); anything else is
 * left to an honest state (enum image_state), never to a wrong name. Only in a folder that a user
 * named (image_files_set_root) the path is enough where no build id was told: device and inode are
 * those of another machine then.
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
#include "model/profile.h"

struct image_files;

/* What a mapping record tells. Texts and bytes are borrowed for the call. */
struct mapped_file {
	int32_t pid;	     /* whose /proc/PID/root and map_files may be tried; 0: none */
	const char *path;    /* as recorded; a trailing " (deleted)" is understood and dropped */
	uint64_t start, end; /* the mapping, for map_files */
	uint64_t dev, inode; /* 0, 0: not told */
	const uint8_t *build_id;
	uint8_t build_id_size;	       /* 0: not told */
	bool by_build_id_only;	       /* the record had no dev and inode */
	const struct readers *readers; /* who must be allowed to read the file; NULL: ourselves */
	bool by_name; /* without a build id the name is proof enough: in the folder a user named */
};

/* @profile receives the images; borrowed. At most @max_open (at least 4) descriptors are held, a
 * quarter of them for offered files; beyond it the longest unused is closed (and reopened by path,
 * identity checked, if it is needed again). */
struct image_files *image_files_new(struct profile *profile, size_t max_open);
void image_files_free(struct image_files *files);
/* Files are looked for in this folder first, under their paths, as on the machine they were mapped
 * on (borrowed; NULL: nowhere else). */
void image_files_set_root(struct image_files *files, const char *root);
/* The paths were chosen by others: files are opened through foreign/door.h for these readers
 * (borrowed; NULL: as ourselves, for mappings that the kernel of this machine told of). */
void image_files_set_readers(struct image_files *files, const struct readers *readers);

/* The image (id in the profile) that was mapped, opened now if it is new. Special names ("[vdso]",
 * "//anon", "[heap]", "[vsyscall]", "/SYSV...", "anon_inode:...") become IMAGE_VDSO, IMAGE_ANON or
 * a BUCKET; "/memfd:..." is a file where it can be opened and is ELF, else IMAGE_ANON. A known file
 * is checked for having been rewritten in place (size, mtime): then it is a new image. */
uint32_t image_files_mapped(struct image_files *files, const struct mapped_file *mapped);

/* Takes a descriptor of a file that was just executed, kept for a while in case a mapping needs it.
 */
void image_files_offer(struct image_files *files, int fd);

/* A descriptor to read the image from; borrowed until the next call into this module; -1 when there
 * is none (the image's state says why). The file is the unchanged one: build id, size and mtime are
 * those of the image. */
int image_files_open(struct image_files *files, uint32_t image);

/* The end of a flush, when names have been taken from what is held: descriptors of files that their
 * path leads to and that were not used for some flushes are closed, so that file systems can be
 * unmounted, and so are offers nobody needed. */
void image_files_rest(struct image_files *files);

/* Is `comm` the name of a link to this image, next to it or in a directory of PATH? See
 * machine_is_link; context is the struct image_files. */
bool image_files_is_link(void *context, const char *comm, uint32_t image);

#endif
