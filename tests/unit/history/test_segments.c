/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "history/segments.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/folder.h"

/* 2026-11-29 10:40:00 UTC, as date(1) says. */
#define START_S 1795948800ULL

static void make(int folder, const char *name, size_t bytes)
{
	static const char zeros[65536];
	int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, zeros, bytes), bytes);
	close(fd);
}

static void test_names(void **state)
{
	int folder = open(*state, O_RDONLY | O_DIRECTORY);
	char name[SEGMENT_NAME_MAX];

	segment_name(folder, START_S, name);
	assert_string_equal(name, "20261129T104000Z.prof");
	make(folder, name, 1);
	segment_name(folder, START_S, name);
	assert_string_equal(name, "20261129T104000Z-2.prof");
	assert_int_equal(segment_start(name), START_S);
	assert_int_equal(segment_start("20261129T104000Z.prof"), START_S);
	assert_int_equal(segment_start("20261129T104000Z.prof-journal"), 0);
	assert_int_equal(segment_start("20261129T104000Z-x.prof"), 0);
	assert_int_equal(segment_start("20261129T104000Z-2.profx"), 0);
	assert_int_equal(segment_start("control"), 0);
	assert_int_equal(segment_start(""), 0);
	close(folder);
}

/* Four of 8 KiB, ten minutes apart, and other files. */
static void fill(int folder)
{
	char name[SEGMENT_NAME_MAX];

	for (uint64_t i = 0; i < 4; i++) {
		segment_name(folder, START_S + i * 600, name);
		make(folder, name, 8192);
	}
	make(folder, "mine.prof", 65536);
	assert_int_equal(mkdirat(folder, "20261129T104001Z.prof", 0700), 0);
}

/* What remains after pruning by age and size. */
static void expect(void *const *state, uint64_t oldest_s, uint64_t max_bytes, uint64_t current_s,
		   size_t left)
{
	int folder = open(*state, O_RDONLY | O_DIRECTORY);
	struct segments segments;
	struct stat st;

	fill(folder);
	assert_int_equal(segments_read(folder, &segments), 0);
	assert_int_equal(segments.list.count, 4);
	assert_int_equal(segments.list.items[3].start_s, START_S + 1800);
	assert_int_equal(segments_prune(folder, &segments, oldest_s, max_bytes, current_s),
			 4 - left);
	vec_free(&segments.list);
	assert_int_equal(segments_read(folder, &segments), 0);
	assert_int_equal(segments.list.count, left);
	if (left)
		assert_int_equal(segments.list.items[0].start_s, START_S + (4 - left) * 600);
	for (size_t i = 0; i < left; i++)
		assert_int_equal(unlinkat(folder, segments.list.items[i].name, 0), 0);
	vec_free(&segments.list);
	assert_int_equal(fstatat(folder, "mine.prof", &st, 0), 0);
	assert_int_equal(unlinkat(folder, "mine.prof", 0), 0);
	assert_int_equal(unlinkat(folder, "20261129T104001Z.prof", AT_REMOVEDIR), 0);
	close(folder);
}

static void test_prune(void **state)
{
	expect(state, 0, 0, UINT64_MAX, 4);
	/* The first ends when the second begins. */
	expect(state, START_S + 599, 0, UINT64_MAX, 4);
	expect(state, START_S + 600, 0, UINT64_MAX, 3);
	expect(state, START_S + 100000, 0, UINT64_MAX, 1);
	expect(state, START_S + 100000, 0, START_S + 600, 3);
	expect(state, 0, 4 * 8192, UINT64_MAX, 4);
	expect(state, 0, 4 * 8192 - 1, UINT64_MAX, 3);
	expect(state, 0, 1, UINT64_MAX, 1);
}

/* All but those that are being recorded, and nothing else. */
static void test_clear(void **state)
{
	static const char *const kept[] = { "20261129T110000Z.prof", "" };
	int folder = open(*state, O_RDONLY | O_DIRECTORY);
	struct segments segments;
	struct stat st;

	fill(folder);
	make(folder, "20261129T104000Z.prof-journal", 1);
	assert_int_equal(segments_read(folder, &segments), 0);
	assert_int_equal(segments_clear(folder, &segments, kept, 2), 3);
	vec_free(&segments.list);
	assert_int_equal(segments_read(folder, &segments), 0);
	assert_int_equal(segments.list.count, 1);
	assert_string_equal(segments.list.items[0].name, kept[0]);
	vec_free(&segments.list);
	assert_int_equal(fstatat(folder, "mine.prof", &st, 0), 0);
	assert_int_equal(fstatat(folder, "20261129T104000Z.prof-journal", &st, 0), -1);
	close(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FOLDER(test_names),
		WITH_FOLDER(test_prune),
		WITH_FOLDER(test_clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
