/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What unwinding needs to know of each image: its rows, where its addresses lie in the file, where
 * it starts to run. Read when a stack first leads through the image.
 */
#ifndef ATTRIBUTE_IMAGE_CODE_H
#define ATTRIBUTE_IMAGE_CODE_H

#include <stdbool.h>
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
	IMAGE_CODE_JIT,	 /* made at run time, or a file without unwind tables: frame pointers */
	IMAGE_CODE_NONE, /* the file cannot be read, or nothing is known of such code */
};

/* @profile and @files are borrowed. @cache_folder: where rows are kept, NULL: nowhere. */
struct image_codes *image_codes_new(const struct profile *profile, struct image_files *files,
				    const char *cache_folder);
/* Rows are compiled with this pause. */
void image_codes_set_pause(struct image_codes *codes, const struct pause *pause);
void image_codes_free(struct image_codes *codes); /* NULL is fine */

/* As it is now, without reading anything. */
enum image_code_state image_codes_state(const struct image_codes *codes, uint32_t image);

/* What an address in a mapping is in, read now if need be. .mapped is true. */
struct unwind_code image_codes_at(struct image_codes *codes, const struct mapping *mapping,
				  uint64_t address);
/* Its rows were copied to where they are needed more. */
void image_codes_rest(const struct image_codes *codes, uint32_t image);

/* A range of addresses. */
struct image_entry {
	uint64_t start, end; /* equal: none */
};

/* Of a whole mapping: table and bias are filled in; *ret_entry is the code in this mapping with
 * which the image starts to run, if no unwind rows tell that nobody called it (ld.so's _start). */
struct unwind_code image_codes_of(struct image_codes *codes, const struct mapping *mapping,
				  struct image_entry *ret_entry);

#endif
