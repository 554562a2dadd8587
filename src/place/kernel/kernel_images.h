/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of all kernel code that existed during the run: a table of functions for each image, kept
 * after the code is gone. Private to kernel_symbols.c.
 */
#ifndef PLACE_KERNEL_KERNEL_IMAGES_H
#define PLACE_KERNEL_KERNEL_IMAGES_H

#include "elf/elf_file.h"
#include "model/profile.h"
#include "place/kernel/kernel_table.h"

struct kernel_image {
	uint32_t image; /* in the profile */
	struct kernel_table table;
};

struct kernel_images {
	struct profile *profile; /* borrowed */
	VEC(struct kernel_image) list;
};

/* Identifies a piece of code for kernel_images_get. */
struct kernel_identity {
	enum image_kind kind;
	const char *name; /* with its brackets */
	uint64_t size;	  /* 0: not known */
	struct elf_build_id build_id;
};

/* The image with this identity, appended with an empty table if there is none. Borrowed until the
 * next one is made. */
struct kernel_image *kernel_images_get(struct kernel_images *images,
				       const struct kernel_identity *identity);
/* Finds an image by its id in the profile; NULL: not one of these. */
struct kernel_image *kernel_images_find(const struct kernel_images *images, uint32_t image);
/* The symbol at an offset; see kernel_symbols_lookup. */
void kernel_images_lookup(const struct kernel_images *images, uint32_t image, uint64_t offset,
			  struct symbol *ret_symbol);
void kernel_images_done(struct kernel_images *images);

#endif
