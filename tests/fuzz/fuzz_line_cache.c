/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The index of lines that is kept on disk. The first byte says whether checksums are corrected
 * (SEAL), as in a file forged with care; the rest is the file.
 */
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "fuzz_folder.h"
#include "names/lines/line_cache.h"
#include "target.h"

/* The layout of the file is defined in line_cache.c. */
enum {
	SEAL = 1,
	HEADER_BYTES = 24,
	AT_UNITS = 8,
	AT_PIECES = 12,
	AT_CHECKSUM = 16,
	ENTRY_BYTES = 16,
	MOST_ENTRIES = 4096,
	MOST_LEVELS = 16,
};

static volatile uint64_t sink;

static uint32_t word_at(const uint8_t *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* Of a unit: offset (8 bytes), size, checksum. */
static void seal_unit(uint8_t *file, size_t size, uint8_t *unit)
{
	uint64_t offset, length = word_at(unit + 8);
	uint32_t checksum;

	memcpy(&offset, unit, sizeof(offset));
	if (offset > size || length > size - offset)
		return;
	checksum = checksum_add(0, file + offset, length);
	memcpy(unit + 12, &checksum, sizeof(checksum));
}

static void seal(uint8_t *file, size_t size)
{
	uint32_t units, pieces, checksum;
	size_t directory;

	if (size < HEADER_BYTES)
		return;
	units = word_at(file + AT_UNITS);
	pieces = word_at(file + AT_PIECES);
	if (units > MOST_ENTRIES || pieces > MOST_ENTRIES)
		return;
	directory = ((size_t)units + pieces) * ENTRY_BYTES;
	if (directory > size - HEADER_BYTES)
		return;
	for (uint32_t i = pieces; i < pieces + units; i++)
		seal_unit(file, size, file + HEADER_BYTES + (size_t)i * ENTRY_BYTES);
	checksum = checksum_add(0, file + HEADER_BYTES, directory);
	memcpy(file + AT_CHECKSUM, &checksum, sizeof(checksum));
}

static void take_line(void *context, uint64_t start, uint64_t end, const char *file, uint32_t line)
{
	sink += start + end + line + strlen(file);
}

static void look_at_unit(struct line_unit *unit, const struct interval_map *map)
{
	struct line_place places[MOST_LEVELS];

	for (size_t i = 0; i < map->pieces.count && i < MOST_ENTRIES; i++) {
		uint64_t address = map->pieces.items[i].start;

		for (uint64_t at = address - 4; at != address + 16; at += 4) {
			size_t count = line_unit_find(unit, at, places, MOST_LEVELS);

			for (size_t j = 0; j < count; j++)
				sink += (places[j].function ? strlen(places[j].function) : 0) +
					(places[j].file ? strlen(places[j].file) : 0);
		}
	}
	line_unit_each_line(unit, take_line, NULL);
}

static void look_at(const struct line_cache *cache)
{
	struct interval_map map;

	line_cache_map(cache, &map);
	for (size_t i = 0; i < map.pieces.count && i < MOST_ENTRIES; i++)
		sink += interval_map_find(&map, map.pieces.items[i].start + 1);
	for (uint32_t i = 0; i < line_cache_unit_count(cache) && i < MOST_ENTRIES; i++) {
		struct line_unit *unit = line_cache_unit(cache, i);

		if (unit)
			look_at_unit(unit, &map);
		line_unit_free(unit);
	}
	interval_map_done(&map);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const struct elf_build_id build_id = { { 0xfe, 0xed }, 2 };
	static struct cache_folder *folder;
	struct line_cache *cache;
	uint8_t *file;

	if (size == 0)
		return 0;
	if (!folder)
		folder = cache_folder_new(fuzz_folder(), 64 << 20);
	file = malloc(size);
	if (!file)
		abort();
	memcpy(file, bytes + 1, size - 1);
	if (bytes[0] & SEAL)
		seal(file, size - 1);
	if (cache_folder_write(folder, "feed", file, size - 1) < 0)
		abort();
	free(file);
	cache = line_cache_open(folder, &build_id);
	if (cache)
		look_at(cache);
	line_cache_free(cache);
	return 0;
}
