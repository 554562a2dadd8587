/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/row_cache.h"

#include <stdio.h>

#include "base/cache_folder.h"
#include "base/xalloc.h"
#include "elf/elf_file.h"
#include "elf/vdso.h"
#include "unwind/row_file.h"

enum {
	MOST_BYTES = 256 * 1024 * 1024, /* all libraries of a machine take about 40 MB */
	NAME_SIZE = 2 * BUILD_ID_MAX + 8,
};

struct row_cache {
	struct cache_folder *folder;
	struct pause pause;
};

struct row_cache *row_cache_new(const char *folder)
{
	struct row_cache *cache = xcalloc(1, sizeof(*cache));

	cache->folder = cache_folder_new(folder, MOST_BYTES);
	return cache;
}

void row_cache_set_pause(struct row_cache *cache, const struct pause *pause)
{
	cache->pause = *pause;
}

void row_cache_free(struct row_cache *cache)
{
	if (!cache)
		return;
	cache_folder_free(cache->folder);
	free(cache);
}

/* The file name: the build id in hexadecimal, and a suffix. */
static void make_name(const struct elf_build_id *id, char name[NAME_SIZE])
{
	size_t used = 0;

	for (size_t i = 0; i < id->size; i++)
		used += (size_t)snprintf(name + used, NAME_SIZE - used, "%02x", id->bytes[i]);
	snprintf(name + used, NAME_SIZE - used, ".rows");
}

static int compile(const struct row_cache *cache, struct elf_file *file,
		   struct row_table **ret_table, struct err *err)
{
	int rc = elf_file_read_sections(file, err);

	return rc < 0 ? rc : row_table_compile(file, &cache->pause, ret_table, err);
}

/* False: not cached, or unusable; the caller then writes it anew. */
static bool find_kept(struct row_cache *cache, const char *name, uint16_t machine,
		      struct row_table **ret_table)
{
	_cleanup_(row_table_freep) struct row_table *table = NULL;
	uint64_t size;
	_cleanup_close_ int fd = cache_folder_open(cache->folder, name, &size);

	if (fd < 0 || row_file_map(fd, size, &table, NULL) < 0 ||
	    row_table_rows(table)->machine != machine)
		return false;
	*ret_table = steal_ptr(table);
	return true;
}

static int compile_and_keep(struct row_cache *cache, const char *name, struct elf_file *file,
			    struct row_table **ret_table, struct err *err)
{
	int rc = compile(cache, file, ret_table, err);
	const void *bytes;
	size_t size;

	if (rc < 0)
		return rc;
	bytes = row_file_bytes(*ret_table, &size);
	cache_folder_write(cache->folder, name, bytes, size);
	return 0;
}

int row_cache_get(struct row_cache *cache, int fd, struct row_table **ret_table, struct err *err)
{
	_cleanup_(elf_file_freep) struct elf_file *file = NULL;
	const struct elf_build_id *id;
	char name[NAME_SIZE];
	int rc = elf_file_open(fd, &file, err);

	if (rc < 0)
		return rc;
	id = elf_file_build_id(file);
	if (id->size == 0 || !cache_folder_works(cache->folder))
		return compile(cache, file, ret_table, err);
	make_name(id, name);
	if (find_kept(cache, name, elf_file_machine(file), ret_table))
		return 0;
	return compile_and_keep(cache, name, file, ret_table, err);
}

int row_cache_get_vdso(struct row_cache *cache, struct row_table **ret_table, struct err *err)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	_cleanup_(elf_file_freep) struct elf_file *file = NULL;
	size_t size;
	int rc = vdso_copy(&bytes, &size, err);

	/* Not cached: compiling it takes as long as reading it. */
	if (rc == 0)
		rc = elf_file_open_memory(bytes, size, &file, err);
	return rc < 0 ? rc : compile(cache, file, ret_table, err);
}
