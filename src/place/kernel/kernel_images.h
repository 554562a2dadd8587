/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of everything that was kernel code during the run: a table of functions for each image,
 * kept when the code is gone. Private to kernel_symbols.c.
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

/* What kernel_images_get needs to know a piece of code again. */
struct kernel_identity {
	enum image_kind kind;
	const char *name; /* with its brackets */
	uint64_t size;	  /* 0: not told */
	struct elf_build_id build_id;
};

/* The image with this identity, made if it was not there (its table is empty then). Borrowed until
 * the next one is made. */
struct kernel_image *kernel_images_get(struct kernel_images *images,
				       const struct kernel_identity *identity);
/* By its id in the profile; NULL: none of ours. */
struct kernel_image *kernel_images_find(const struct kernel_images *images, uint32_t image);
/* The symbol at an offset; see kernel_symbols_lookup. */
void kernel_images_lookup(const struct kernel_images *images, uint32_t image, uint64_t offset,
			  struct symbol *ret_symbol);
void kernel_images_done(struct kernel_images *images);

#endif
