/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/lines/line_cache.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/checksum.h"
#include "base/vec.h"
#include "base/xalloc.h"

/* The last letter is the version of the format. */
static const char MAGIC[8] = "PROSLIN1";

enum {
	MOST_UNITS = 1 << 20,
	MOST_PIECES = 1 << 24,
	/* Limit for one file's index; units in memory are written first. */
	MOST_BYTES = 64 << 20,
	ALIGNMENT = 8,
};

/* The file has this header, the pieces, an entry for each unit, the units' blocks. */
struct header {
	char magic[sizeof(MAGIC)];
	uint32_t unit_count, piece_count;
	uint32_t checksum; /* of pieces and entries */
	uint32_t reserved;
};

struct kept_piece {
	uint64_t start;
	uint32_t unit, reserved;
};

struct kept_unit {
	uint64_t offset;
	uint32_t size; /* 0: not kept */
	uint32_t checksum;
};

_Static_assert(sizeof(struct header) == 24, "a file's format");
_Static_assert(sizeof(struct kept_piece) == 16, "a file's format");
_Static_assert(sizeof(struct kept_unit) == 16, "a file's format");

struct line_cache {
	int fd;
	struct header header;
	uint8_t *directory; /* owned: pieces, then units */
};

static void name_of(const struct elf_build_id *build_id, char name[2 * BUILD_ID_MAX + 1])
{
	name[0] = '\0';
	for (int i = 0; i < build_id->size; i++)
		snprintf(name + 2 * i, 3, "%02x", build_id->bytes[i]);
}

static bool read_at(int fd, uint64_t offset, void *bytes, size_t size)
{
	return pread(fd, bytes, size, (off_t)offset) == (ssize_t)size;
}

static size_t directory_size(const struct header *header)
{
	return header->piece_count * sizeof(struct kept_piece) +
	       header->unit_count * sizeof(struct kept_unit);
}

static const struct kept_piece *pieces_of(const struct line_cache *cache)
{
	return (const struct kept_piece *)cache->directory;
}

static const struct kept_unit *unit_of(const struct line_cache *cache, uint32_t unit)
{
	return (const struct kept_unit *)(pieces_of(cache) + cache->header.piece_count) + unit;
}

static bool are_pieces_sound(const struct line_cache *cache)
{
	const struct kept_piece *pieces = pieces_of(cache);

	for (uint32_t i = 0; i < cache->header.piece_count; i++) {
		if (pieces[i].unit != INTERVAL_NONE && pieces[i].unit >= cache->header.unit_count)
			return false;
	}
	return true;
}

/* The header and the directory. */
static bool read_directory(struct line_cache *cache, uint64_t size)
{
	struct header *header = &cache->header;
	size_t bytes;

	if (!read_at(cache->fd, 0, header, sizeof(*header)) ||
	    memcmp(header->magic, MAGIC, sizeof(MAGIC)) != 0 || header->unit_count > MOST_UNITS ||
	    header->piece_count > MOST_PIECES)
		return false;
	bytes = directory_size(header);
	if (bytes > size)
		return false;
	cache->directory = xmalloc(bytes + 1);
	return read_at(cache->fd, sizeof(*header), cache->directory, bytes) &&
	       checksum_add(0, cache->directory, bytes) == header->checksum &&
	       are_pieces_sound(cache);
}

struct line_cache *line_cache_open(struct cache_folder *folder, const struct elf_build_id *build_id)
{
	_cleanup_(line_cache_freep) struct line_cache *cache = NULL;
	char name[2 * BUILD_ID_MAX + 1];
	uint64_t size;
	int fd;

	name_of(build_id, name);
	fd = cache_folder_open(folder, name, &size);
	if (fd < 0)
		return NULL;
	cache = xcalloc(1, sizeof(*cache));
	cache->fd = fd;
	if (!read_directory(cache, size)) {
		cache_folder_drop(folder, name);
		return NULL;
	}
	return steal_ptr(cache);
}

void line_cache_free(struct line_cache *cache)
{
	if (!cache)
		return;
	cleanup_closep(&cache->fd);
	free(cache->directory);
	free(cache);
}

uint32_t line_cache_unit_count(const struct line_cache *cache)
{
	return cache->header.unit_count;
}

void line_cache_map(const struct line_cache *cache, struct interval_map *ret_map)
{
	const struct kept_piece *pieces = pieces_of(cache);

	*ret_map = (struct interval_map){ 0 };
	vec_reserve(&ret_map->pieces, cache->header.piece_count);
	for (uint32_t i = 0; i < cache->header.piece_count; i++)
		*vec_push(&ret_map->pieces) =
			(struct interval_piece){ pieces[i].start, pieces[i].unit };
}

struct line_unit *line_cache_unit(const struct line_cache *cache, uint32_t unit)
{
	const struct kept_unit *kept = unit_of(cache, unit);
	_cleanup_free_ void *block = NULL;
	struct line_unit *made;

	if (unit >= cache->header.unit_count || kept->size == 0 || kept->size > MOST_BYTES)
		return NULL;
	block = xmalloc(kept->size);
	if (!read_at(cache->fd, kept->offset, block, kept->size) ||
	    checksum_add(0, block, kept->size) != kept->checksum)
		return NULL;
	made = line_unit_adopt(block, kept->size);
	if (made)
		block = NULL;
	return made;
}

/* The units to write: those in memory first, then those from the file. */
struct writing {
	VEC(struct kept_unit) units;
	struct buf blocks;
	uint64_t start; /* of the blocks in the file */
};

static void add_block(struct writing *writing, uint32_t unit, const void *block, size_t size)
{
	static const char padding[ALIGNMENT] = "";
	size_t more = -writing->blocks.size & (ALIGNMENT - 1);

	if (writing->blocks.size + more + size > MOST_BYTES)
		return;
	buf_add(&writing->blocks, padding, more);
	writing->units.items[unit] = (struct kept_unit){
		.offset = writing->start + writing->blocks.size,
		.size = (uint32_t)size,
		.checksum = checksum_add(0, block, size),
	};
	buf_add(&writing->blocks, block, size);
}

static void add_kept(struct writing *writing, const struct line_cache *cache)
{
	for (uint32_t i = 0; i < writing->units.count; i++) {
		_cleanup_(line_unit_freep) struct line_unit *unit = NULL;
		const void *block;
		size_t size;

		if (writing->units.items[i].size)
			continue;
		unit = line_cache_unit(cache, i);
		if (!unit)
			continue;
		block = line_unit_block(unit, &size);
		add_block(writing, i, block, size);
	}
}

static void add_all(struct writing *writing, struct line_unit *const *units)
{
	for (uint32_t i = 0; i < writing->units.count; i++) {
		const void *block;
		size_t size;

		if (!units[i])
			continue;
		block = line_unit_block(units[i], &size);
		add_block(writing, i, block, size);
	}
}

/* Adds the header and the directory, which precede the blocks. */
static void add_head(const struct writing *writing, const struct interval_map *map,
		     struct buf *file)
{
	struct header header = { .unit_count = (uint32_t)writing->units.count,
				 .piece_count = (uint32_t)map->pieces.count };
	struct header *place;

	memcpy(header.magic, MAGIC, sizeof(MAGIC));
	buf_add(file, &header, sizeof(header));
	for (size_t i = 0; i < map->pieces.count; i++) {
		struct kept_piece piece = { .start = map->pieces.items[i].start,
					    .unit = map->pieces.items[i].value };

		buf_add(file, &piece, sizeof(piece));
	}
	buf_add(file, writing->units.items, writing->units.count * sizeof(struct kept_unit));
	place = (struct header *)file->bytes;
	place->checksum =
		checksum_add(0, file->bytes + sizeof(header), file->size - sizeof(header));
}

void line_cache_write(struct cache_folder *folder, const struct elf_build_id *build_id,
		      const struct interval_map *map, struct line_unit *const *units,
		      uint32_t unit_count)
{
	/* another process may have written it since */
	_cleanup_(line_cache_freep) struct line_cache *kept = line_cache_open(folder, build_id);
	struct writing writing = { 0 };
	struct buf file = { 0 };
	char name[2 * BUILD_ID_MAX + 1];

	if (unit_count == 0)
		return;
	name_of(build_id, name);
	vec_reserve(&writing.units, unit_count);
	writing.units.count = unit_count;
	memset(writing.units.items, 0, unit_count * sizeof(struct kept_unit));
	writing.start = sizeof(struct header) + map->pieces.count * sizeof(struct kept_piece) +
			unit_count * sizeof(struct kept_unit);
	add_all(&writing, units);
	if (kept && line_cache_unit_count(kept) == unit_count)
		add_kept(&writing, kept);
	add_head(&writing, map, &file);
	buf_add(&file, writing.blocks.bytes, writing.blocks.size);
	cache_folder_write(folder, name, file.bytes, file.size);
	buf_done(&file);
	buf_done(&writing.blocks);
	vec_free(&writing.units);
}
