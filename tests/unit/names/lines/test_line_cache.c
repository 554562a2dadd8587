/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dwarf/line_unit.h"
#include "names/lines/line_cache.h"

static const struct elf_build_id build_id = { { 0xab, 0xcd, 0x01 }, 3 };

enum { UNITS = 3 };

struct place {
	char path[32];
	struct cache_folder *folder;
};

static int make_place(void **state)
{
	struct place *place = test_malloc(sizeof(*place));

	strcpy(place->path, "/tmp/test_lines.XXXXXX");
	*state = place;
	if (!mkdtemp(place->path))
		return -1;
	place->folder = cache_folder_new(place->path, 1 << 20);
	return 0;
}

static int remove_place(void **state)
{
	struct place *place = *state;
	char command[64];
	int rc;

	cache_folder_free(place->folder);
	snprintf(command, sizeof(command), "rm -r %s", place->path);
	rc = system(command);
	test_free(place);
	return rc;
}

/* A unit of one line: its number is at @address. */
static struct line_unit *make_unit(uint64_t address, uint32_t line)
{
	struct line_unit_builder builder;
	struct line_unit *unit;
	struct line_unit_built_row row = { .address = address, .line = line };

	line_unit_builder_init(&builder);
	row.file = strpool_intern(&builder.texts, "file.c");
	line_unit_add_row(&builder, &row);
	row = (struct line_unit_built_row){ .address = address + 16, .end = true };
	line_unit_add_row(&builder, &row);
	unit = line_unit_finish(&builder);
	line_unit_builder_done(&builder);
	return unit;
}

/* Keeps unit number @which, which has the line 100 + @which. */
static void keep(struct cache_folder *folder, uint32_t which)
{
	struct line_unit *units[UNITS] = { NULL };
	struct interval_map map = { 0 };

	for (uint32_t i = 0; i < UNITS; i++)
		interval_map_add(&map, 0x1000 + 0x100 * i, 0x1000 + 0x100 * i + 16, i);
	interval_map_flatten(&map);
	units[which] = make_unit(0x1000 + 0x100 * which, 100 + which);
	line_cache_write(folder, &build_id, &map, units, UNITS);
	line_unit_free(units[which]);
	interval_map_done(&map);
}

static void assert_unit(const struct line_cache *cache, uint32_t which)
{
	_cleanup_(line_unit_freep) struct line_unit *unit = line_cache_unit(cache, which);
	struct line_place places[2];

	assert_non_null(unit);
	assert_int_equal(line_unit_find(unit, 0x1000 + 0x100 * which, places, 2), 1);
	assert_int_equal(places[0].line, 100 + which);
	assert_string_equal(places[0].file, "file.c");
}

static void what_was_kept_is_found_again(void **state)
{
	const struct place *place = *state;
	_cleanup_(line_cache_freep) struct line_cache *cache = NULL;
	struct interval_map map;

	assert_null(line_cache_open(place->folder, &build_id));
	keep(place->folder, 1);
	cache = line_cache_open(place->folder, &build_id);
	assert_non_null(cache);
	assert_int_equal(line_cache_unit_count(cache), UNITS);
	line_cache_map(cache, &map);
	assert_int_equal(interval_map_find(&map, 0x1105), 1);
	assert_int_equal(interval_map_find(&map, 0x1110), INTERVAL_NONE);
	interval_map_done(&map);
	assert_unit(cache, 1);
	assert_null(line_cache_unit(cache, 0));
	assert_null(line_cache_unit(cache, UNITS));
}

/* Two that found different units out at once. */
static void a_second_writer_adds_to_the_first(void **state)
{
	const struct place *place = *state;
	_cleanup_(line_cache_freep) struct line_cache *before = NULL;
	_cleanup_(line_cache_freep) struct line_cache *after = NULL;

	keep(place->folder, 0);
	before = line_cache_open(place->folder, &build_id);
	keep(place->folder, 2);
	after = line_cache_open(place->folder, &build_id);
	assert_unit(before, 0); /* of the file that was replaced */
	assert_null(line_cache_unit(before, 2));
	assert_unit(after, 0);
	assert_unit(after, 2);
	assert_null(line_cache_unit(after, 1));
}

/* Each byte wrong in turn: what is believed is right. */
static void a_damaged_file_is_not_believed(void **state)
{
	const struct place *place = *state;
	char path[64];
	off_t size;
	int fd, refused = 0, opened = 0;

	keep(place->folder, 1);
	snprintf(path, sizeof(path), "%s/abcd01", place->path);
	fd = open(path, O_RDONLY);
	size = lseek(fd, 0, SEEK_END);
	close(fd);
	assert_true(size > 100);
	for (off_t at = 0; at < size; at++) {
		struct line_cache *cache;
		uint8_t byte;

		keep(place->folder, 1);
		fd = open(path, O_RDWR);
		assert_int_equal(pread(fd, &byte, 1, at), 1);
		byte ^= 0x41;
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
		close(fd);
		cache = line_cache_open(place->folder, &build_id);
		opened += cache != NULL;
		if (cache) {
			struct line_unit *unit = line_cache_unit(cache, 1);

			refused += !unit;
			line_unit_free(unit);
			if (unit)
				assert_unit(cache, 1);
		}
		line_cache_free(cache);
	}
	assert_true(refused > 20);
	assert_true(opened < size - 50);
	/* and it is made anew */
	keep(place->folder, 1);
	struct line_cache *cache = line_cache_open(place->folder, &build_id);

	assert_unit(cache, 1);
	line_cache_free(cache);
}

static void a_file_cut_short_is_not_believed(void **state)
{
	const struct place *place = *state;
	char path[64];

	snprintf(path, sizeof(path), "%s/abcd01", place->path);
	for (off_t size = 0; size < 120; size++) {
		struct line_cache *cache;

		keep(place->folder, 1);
		assert_int_equal(truncate(path, size), 0);
		cache = line_cache_open(place->folder, &build_id);
		if (cache)
			assert_null(line_cache_unit(cache, 1));
		line_cache_free(cache);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_was_kept_is_found_again, make_place,
						remove_place),
		cmocka_unit_test_setup_teardown(a_second_writer_adds_to_the_first, make_place,
						remove_place),
		cmocka_unit_test_setup_teardown(a_damaged_file_is_not_believed, make_place,
						remove_place),
		cmocka_unit_test_setup_teardown(a_file_cut_short_is_not_believed, make_place,
						remove_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
