/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbol tables of the images in use, read when first needed. Beyond a number of bytes, the
 * least recently used ones are freed. Image states are updated on the way.
 */
#ifndef NAMES_TABLE_CACHE_H
#define NAMES_TABLE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "model/profile.h"
#include "names/symtab.h"

struct debug_files;
struct table_cache;
struct image_files;

/* The tables of one image's file. */
struct cached_table;

/* Everything is borrowed and must outlive the cache. */
struct table_cache *table_cache_new(struct profile *profile, struct image_files *files,
				    size_t most_bytes);
/* Where to look for symbols of stripped files, instead of the usual places here; borrowed, must
 * outlive the cache. */
void table_cache_set_debug_files(struct table_cache *cache, struct debug_files *debug_files);
void table_cache_free(struct table_cache *cache);

/* The table of an image (a file, or the vdso), borrowed until the next call of this function. NULL:
 * there is none, the image's state says why. */
struct cached_table *table_cache_get(struct table_cache *cache, uint32_t image);
/* The ELF virtual address of an offset into the image's file. False: no segment holds it. */
bool table_cache_address(const struct cached_table *table, uint64_t offset, uint64_t *ret_address);
/* symtab_lookup; uses the ranges of unwind tables if no symbol covers the address. */
void table_cache_lookup(struct table_cache *cache, struct cached_table *table, uint64_t address,
			struct buf *name, struct symtab_hit *ret_hit);
/* Memory held by all tables, in bytes. */
size_t table_cache_bytes(const struct table_cache *cache);

#endif
