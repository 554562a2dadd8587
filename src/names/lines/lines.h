/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines and inlined functions for the frames of a profile, from the files of its images or
 * from their debug files, if they are here and proved to be the right ones. For files, the kernel,
 * its modules and the vdso. Lines of JIT code are in the profile.
 */
#ifndef NAMES_LINES_LINES_H
#define NAMES_LINES_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cache_folder.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "dwarf/line_unit.h"
#include "model/profile.h"
#include "names/debug_files/debug_files.h"
#include "place/files/image_readers.h"

struct lines;

struct lines_options {
	struct debug_files *debug_files; /* borrowed */
	struct cache_folder *cache;	 /* borrowed; NULL: nothing is kept on disk */
	/* Who must be allowed to read the files that images name; borrowed, NULL: ourselves and the
	 * owners of the files. */
	const struct image_readers *readers;
	/* Returns a descriptor of an image's file, owned by the caller; NULL: opens it by its path,
	 * as recorded_files_open does. */
	int (*open_image)(void *context, uint32_t image, struct err *err);
	void *context;
};

struct lines *lines_new(const struct profile *profile, const struct lines_options *options);
/* Writes new units to the cache. NULL is fine. */
void lines_free(struct lines *lines);
DEFINE_CLEANUP(struct lines *, lines_free);

/* What is at an address of an image: *ret_count levels, innermost first, borrowed until the next
 * call. 0: not known. The address is:
 *   kernel: the offset from _text
 *   module: the offset from .text
 *   JIT code: frame.offset
 *   other images: frame.address, the ELF virtual address */
const struct line_place *lines_of(struct lines *lines, uint32_t image, uint64_t address,
				  size_t *ret_count);
/* The address of a frame for lines_of. */
uint64_t lines_place(const struct lines *lines, const struct frame *frame);
/* What is at a frame of the profile: a return address belongs to the call before it. */
const struct line_place *lines_of_frame(struct lines *lines, uint32_t frame, size_t *ret_count);
/* Gives all lines of the unit that holds @start, an address of an image, ascending; for JIT code
 * only those that overlap [start, end). Addresses as for lines_of. False: nothing is known
 * there. */
bool lines_each(struct lines *lines, uint32_t image, uint64_t start, uint64_t end,
		void (*give)(void *context, uint64_t start, uint64_t end, const char *file,
			     uint32_t line),
		void *context);

/* Who must be allowed to read the source files that the lines of an image name: its profile's
 * readers, and the owners of the files that the names come from. A cache may contain names that
 * another file of the same build id put there, so open source files only if no cache is used.
 * Borrowed until the next call. */
const struct readers *lines_readers(struct lines *lines, uint32_t image);

/* Why nothing is known of an image that was looked up: a sentence, borrowed; NULL: something is. */
const char *lines_problem(const struct lines *lines, uint32_t image);

#endif
