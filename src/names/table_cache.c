/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/table_cache.h"

#include <stdlib.h>

#include "base/vec.h"
#include "base/xalloc.h"
#include "elf/eh_ranges.h"
#include "elf/elf_file.h"
#include "elf/vdso.h"
#include "names/debug_files/symbol_files.h"
#include "place/files/image_files.h"

struct cached_table {
	uint32_t image;
	uint64_t used;
	size_t bytes;
	struct elf_segments segments;
	struct symtab *symtab;
	struct eh_ranges *ranges; /* NULL: none, or not needed yet */
	bool ranges_read;
};

struct table_cache {
	struct profile *profile;
	struct image_files *files;
	size_t bytes, most_bytes;
	uint64_t uses;
	VEC(struct cached_table *) tables;
	uint8_t *vdso; /* our copy, once needed */
	size_t vdso_size;
	struct debug_files *debug_files; /* borrowed, or own_debug_files */
	struct debug_files *own_debug_files;
};

struct table_cache *table_cache_new(struct profile *profile, struct image_files *files,
				    size_t most_bytes)
{
	struct table_cache *cache = xcalloc(1, sizeof(*cache));

	cache->profile = profile;
	cache->files = files;
	cache->most_bytes = most_bytes;
	cache->own_debug_files = debug_files_new(NULL);
	cache->debug_files = cache->own_debug_files;
	return cache;
}

void table_cache_set_debug_files(struct table_cache *cache, struct debug_files *debug_files)
{
	cache->debug_files = debug_files;
}

static void free_table(struct cached_table *table)
{
	symtab_free(table->symtab);
	eh_ranges_free(table->ranges);
	vec_free(&table->segments.list);
	free(table);
}

void table_cache_free(struct table_cache *cache)
{
	if (!cache)
		return;
	for (size_t i = 0; i < cache->tables.count; i++)
		free_table(cache->tables.items[i]);
	vec_free(&cache->tables);
	free(cache->vdso);
	debug_files_free(cache->own_debug_files);
	free(cache);
}

size_t table_cache_bytes(const struct table_cache *cache)
{
	return cache->bytes;
}

static void set_state(struct table_cache *cache, uint32_t id, enum image_state state)
{
	struct image *image = &cache->profile->images.items[id];

	if (image->state == state)
		return;
	image->state = state;
	image->dirty = true;
}

static int open_vdso(struct table_cache *cache, struct elf_file **ret_file)
{
	int rc = cache->vdso ? 0 : vdso_copy(&cache->vdso, &cache->vdso_size, NULL);

	return rc < 0 ? rc : elf_file_open_memory(cache->vdso, cache->vdso_size, ret_file, NULL);
}

/* The image's file; NULL: the image's state says why not. */
static struct elf_file *open_image(struct table_cache *cache, uint32_t id)
{
	const struct image *image = &cache->profile->images.items[id];
	_cleanup_(elf_file_freep) struct elf_file *file = NULL;
	int fd;

	if (image->kind == IMAGE_VDSO) {
		if (open_vdso(cache, &file) < 0)
			set_state(cache, id, IMAGE_STATE_GONE);
		return steal_ptr(file);
	}
	if (image->state == IMAGE_STATE_NOT_ELF)
		return NULL;
	fd = image_files_open(cache->files, id);
	if (fd < 0)
		return NULL;
	if (elf_file_open(fd, &file, NULL) < 0)
		set_state(cache, id, IMAGE_STATE_NOT_ELF);
	else if (elf_file_build_id_is(elf_file_build_id(file), image->build_id,
				      image->build_id_size))
		return steal_ptr(file);
	else /* rewritten without a change of its mtime */
		set_state(cache, id, IMAGE_STATE_REPLACED);
	return NULL;
}

/* A file may be written while it is read: the result counts only if the file is unchanged
 * afterwards. */
static bool is_unchanged(struct table_cache *cache, uint32_t id)
{
	return cache->profile->images.items[id].kind == IMAGE_VDSO ||
	       image_files_open(cache->files, id) >= 0;
}

/* The vdso has all its symbols, whatever sections it has. */
static int read_symtab(struct table_cache *cache, uint32_t id, struct elf_file *file,
		       struct symtab **ret_symtab)
{
	const struct image *image = &cache->profile->images.items[id];
	struct symbol_files sources;
	int rc;

	if (image->kind == IMAGE_VDSO)
		return symtab_new(file, NULL, ret_symtab, NULL);
	rc = elf_file_read_sections(file, NULL);
	if (rc < 0)
		return rc;
	symbol_files_find(cache->debug_files, file, profile_text(cache->profile, image->path), NULL,
			  image_files_process(cache->files, id), &sources);
	rc = symtab_new(file, &sources, ret_symtab, NULL);
	symbol_files_done(&sources);
	return rc;
}

static struct cached_table *read_table(struct table_cache *cache, uint32_t id)
{
	_cleanup_(elf_file_freep) struct elf_file *file = open_image(cache, id);
	bool vdso = cache->profile->images.items[id].kind == IMAGE_VDSO;
	struct cached_table *table;
	struct symtab *symtab;

	if (!file)
		return NULL;
	if (read_symtab(cache, id, file, &symtab) < 0) {
		set_state(cache, id, IMAGE_STATE_NOT_ELF);
		return NULL;
	}
	table = xcalloc(1, sizeof(*table));
	table->image = id;
	table->symtab = symtab;
	table->bytes = symtab_bytes(symtab);
	for (size_t i = 0; i < elf_file_segments(file)->list.count; i++)
		*vec_push(&table->segments.list) = elf_file_segments(file)->list.items[i];
	if (!is_unchanged(cache, id)) {
		free_table(table);
		return NULL;
	}
	set_state(cache, id,
		  vdso || symtab_is_complete(symtab) ? IMAGE_STATE_READ : IMAGE_STATE_STRIPPED);
	return table;
}

/* Frees the least recently used tables, except the one about to be used. */
static void make_room(struct table_cache *cache, const struct cached_table *keep)
{
	while (cache->bytes > cache->most_bytes && cache->tables.count > 1) {
		size_t oldest = cache->tables.items[0] == keep;

		for (size_t i = 0; i < cache->tables.count; i++) {
			if (cache->tables.items[i] != keep &&
			    cache->tables.items[i]->used < cache->tables.items[oldest]->used)
				oldest = i;
		}
		cache->bytes -= cache->tables.items[oldest]->bytes;
		free_table(cache->tables.items[oldest]);
		cache->tables.items[oldest] = cache->tables.items[--cache->tables.count];
	}
}

struct cached_table *table_cache_get(struct table_cache *cache, uint32_t image)
{
	struct cached_table *table = NULL;

	for (size_t i = 0; i < cache->tables.count && !table; i++) {
		if (cache->tables.items[i]->image == image)
			table = cache->tables.items[i];
	}
	if (!table) {
		table = read_table(cache, image);
		if (!table)
			return NULL;
		*vec_push(&cache->tables) = table;
		cache->bytes += table->bytes;
		make_room(cache, table);
	}
	table->used = ++cache->uses;
	return table;
}

bool table_cache_address(const struct cached_table *table, uint64_t offset, uint64_t *ret_address)
{
	return elf_file_address(&table->segments, offset, ret_address);
}

static void read_ranges(struct table_cache *cache, struct cached_table *table)
{
	_cleanup_(elf_file_freep) struct elf_file *file = open_image(cache, table->image);

	table->ranges_read = true;
	if (!file || elf_file_read_sections(file, NULL) < 0 ||
	    eh_ranges_read(file, &table->ranges, NULL) < 0)
		return;
	if (!is_unchanged(cache, table->image)) {
		eh_ranges_free(table->ranges);
		table->ranges = NULL;
		return;
	}
	table->bytes += eh_ranges_bytes(table->ranges);
	cache->bytes += eh_ranges_bytes(table->ranges);
	make_room(cache, table);
}

void table_cache_lookup(struct table_cache *cache, struct cached_table *table, uint64_t address,
			struct buf *name, struct symtab_hit *ret_hit)
{
	symtab_lookup(table->symtab, table->ranges, address, name, ret_hit);
	if (ret_hit->kind != SYMBOL_BRACKET && ret_hit->kind != SYMBOL_NONE)
		return;
	if (table->ranges_read)
		return;
	read_ranges(cache, table);
	symtab_lookup(table->symtab, table->ranges, address, name, ret_hit);
}
