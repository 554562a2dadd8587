/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The index of lines of one file, kept on disk by its build id: which unit an address belongs to,
 * and those units that were needed so far. Whatever in it is damaged is as if it were not there.
 */
#ifndef NAMES_LINES_LINE_CACHE_H
#define NAMES_LINES_LINE_CACHE_H

#include "base/cache_folder.h"
#include "base/cleanup.h"
#include "dwarf/interval_map.h"
#include "dwarf/line_unit.h"
#include "elf/elf_file.h"

struct line_cache;

/* What is kept of the file; NULL: nothing, or it has no build id. */
struct line_cache *line_cache_open(struct cache_folder *folder,
				   const struct elf_build_id *build_id);
void line_cache_free(struct line_cache *cache); /* NULL is fine */
DEFINE_CLEANUP(struct line_cache *, line_cache_free);

/* Units of the file, kept or not. */
uint32_t line_cache_unit_count(const struct line_cache *cache);
/* A copy of the map, the caller's. */
void line_cache_map(const struct line_cache *cache, struct interval_map *ret_map);
/* The unit, the caller's; NULL: it is not kept. */
struct line_unit *line_cache_unit(const struct line_cache *cache, uint32_t unit);

/* Keeps the map and the units (NULL: not known) beside those that are kept already. */
void line_cache_write(struct cache_folder *folder, const struct elf_build_id *build_id,
		      const struct interval_map *map, struct line_unit *const *units,
		      uint32_t unit_count);

#endif
