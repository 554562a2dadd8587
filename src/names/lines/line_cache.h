/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line index of one file, kept on disk by its build id: which unit an address belongs to, and
 * the units needed so far. Damaged parts count as missing.
 */
#ifndef NAMES_LINES_LINE_CACHE_H
#define NAMES_LINES_LINE_CACHE_H

#include "base/cache_folder.h"
#include "base/cleanup.h"
#include "dwarf/interval_map.h"
#include "dwarf/line_unit.h"
#include "elf/elf_file.h"

struct line_cache;

/* Opens the index of the file; NULL: there is none, or the file has no build id. */
struct line_cache *line_cache_open(struct cache_folder *folder,
				   const struct elf_build_id *build_id);
void line_cache_free(struct line_cache *cache); /* NULL is fine */
DEFINE_CLEANUP(struct line_cache *, line_cache_free);

/* Number of units of the file, kept or not. */
uint32_t line_cache_unit_count(const struct line_cache *cache);
/* Copies the map; the caller owns the copy. */
void line_cache_map(const struct line_cache *cache, struct interval_map *ret_map);
/* The unit, owned by the caller; NULL: not kept. */
struct line_unit *line_cache_unit(const struct line_cache *cache, uint32_t unit);

/* Writes the map and the units (NULL: not known), and retains units that are already kept. */
void line_cache_write(struct cache_folder *folder, const struct elf_build_id *build_id,
		      const struct interval_map *map, struct line_unit *const *units,
		      uint32_t unit_count);

#endif
