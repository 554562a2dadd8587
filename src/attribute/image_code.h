/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What unwinding needs to know about each image: its rows, the place of its addresses in the file,
 * and its entry point. Read when a stack first leads through the image.
 */
#ifndef ATTRIBUTE_IMAGE_CODE_H
#define ATTRIBUTE_IMAGE_CODE_H

#include <stdint.h>

#include "base/pause.h"
#include "model/address_space.h"
#include "model/profile.h"
#include "unwind/unwinder.h"

struct image_codes;
struct image_files;

enum image_code_state {
	IMAGE_CODE_UNREAD,
	IMAGE_CODE_ROWS,
	IMAGE_CODE_JIT,	 /* JIT code, or a file without unwind tables: frame pointers */
	IMAGE_CODE_NONE, /* unreadable file, or code of an unknown kind */
};

/* @profile and @files are borrowed. @cache_folder: cache of rows; NULL: none. */
struct image_codes *image_codes_new(const struct profile *profile, struct image_files *files,
				    const char *cache_folder);
/* Takes this pause while compiling rows. */
void image_codes_set_pause(struct image_codes *codes, const struct pause *pause);
void image_codes_free(struct image_codes *codes); /* NULL is fine */

/* The current state; reads nothing. */
enum image_code_state image_codes_state(const struct image_codes *codes, uint32_t image);

/* The code at an address in a mapping, read now if necessary. .mapped is true. */
struct unwind_code image_codes_at(struct image_codes *codes, const struct mapping *mapping,
				  uint64_t address);
/* The image's rows were copied to the kernel side; their memory may be freed. */
void image_codes_rest(const struct image_codes *codes, uint32_t image);

/* A range of addresses. */
struct image_entry {
	uint64_t start, end; /* equal: none */
};

/* Code of a whole mapping: fills in table and bias. *ret_entry is the image's entry code in this
 * mapping, if no unwind row says that it has no caller (ld.so's _start). */
struct unwind_code image_codes_of(struct image_codes *codes, const struct mapping *mapping,
				  struct image_entry *ret_entry);

#endif
