/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines and inlined functions for the frames of a profile, from the files of its images or
 * their debug files, as far as they can be found here and are the very ones. Files, kernel, its
 * modules and vdso; what is known of code that was made at run time is in the profile.
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
	/* Who must be allowed to read what images name; borrowed, NULL: ourselves, and the owners
	 * of the files. */
	const struct image_readers *readers;
	/* A descriptor of the file of an image, the caller's; NULL: by its path, as
	 * recorded_files_open does. */
	int (*open_image)(void *context, uint32_t image, struct err *err);
	void *context;
};

struct lines *lines_new(const struct profile *profile, const struct lines_options *options);
/* What was learned goes to the cache. NULL is fine. */
void lines_free(struct lines *lines);
DEFINE_CLEANUP(struct lines *, lines_free);

/* What is at an address of an image (frame.address: the ELF virtual address; of the kernel: the
 * offset from _text, of a module that from .text; of code that was made at run time: frame.offset):
 * *ret_count levels, the innermost first, borrowed until the next call. 0: not known. */
const struct line_place *lines_of(struct lines *lines, uint32_t image, uint64_t address,
				  size_t *ret_count);
/* The address of a frame, as lines_of has it. */
uint64_t lines_place(const struct lines *lines, const struct frame *frame);
/* What a frame of the profile is at: a return address stands behind the call it belongs to. */
const struct line_place *lines_of_frame(struct lines *lines, uint32_t frame, size_t *ret_count);
/* All lines of the unit that @start belongs to, an address of an image, ascending; of code that was
 * made at run time only those that have something of [start, end). Addresses are as lines_of has
 * them. False: nothing is known there. */
bool lines_each(struct lines *lines, uint32_t image, uint64_t start, uint64_t end,
		void (*give)(void *context, uint64_t start, uint64_t end, const char *file,
			     uint32_t line),
		void *context);

/* Who must be allowed to read the source files that the lines of an image name: those of its
 * profile, and the owners of the files that the names come from. With a cache these may be names
 * that another file of the same build id put there: whoever opens source files goes without one.
 * Borrowed until the next call. */
const struct readers *lines_readers(struct lines *lines, uint32_t image);

/* Why nothing is known of an image that was asked for: a sentence, borrowed; NULL: something is. */
const char *lines_problem(const struct lines *lines, uint32_t image);

#endif
