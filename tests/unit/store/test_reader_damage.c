/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Thousands of damaged copies of a profile: an error or a sound profile each time, never a crash, a
 * hang or memory without bound. The sanitizers and the limit below watch. */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "store/fixture.h"

enum {
	ROUNDS = 1000,
	SAMPLES = 600,
	MOST_KB = 100 * 1024, /* far more than reading this file takes, under sanitizers too */
};

/* Freed memory that AddressSanitizer holds back would look like ours. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "quarantine_size_mb=8";
}

struct bytes {
	uint8_t *at;
	size_t size;
};

static struct bytes read_file(const char *path)
{
	struct bytes bytes;
	struct stat status;
	int fd = open(path, O_RDONLY);

	assert_int_equal(fstat(fd, &status), 0);
	bytes.size = (size_t)status.st_size;
	bytes.at = malloc(bytes.size);
	assert_int_equal(read(fd, bytes.at, bytes.size), bytes.size);
	close(fd);
	return bytes;
}

static void write_file(const char *path, struct bytes bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, bytes.at, bytes.size), bytes.size);
	close(fd);
}

/* A sample may name anything that the profile has, and nothing else. */
struct visit {
	const struct profile *profile;
	uint64_t count;
};

static int check_sample(void *context, const struct sample *sample)
{
	struct visit *visit = context;

	assert_true(sample->task < visit->profile->tasks.count);
	assert_true(sample->stack < visit->profile->stacks.count);
	assert_true(sample->event < visit->profile->event_count);
	assert_true(sample->mode < MODE_COUNT && sample->context < CONTEXT_COUNT);
	visit->count++;
	return 0;
}

static void check_profile(const struct profile *profile)
{
	for (size_t i = 0; i < profile->frames.count; i++) {
		assert_true(profile->frames.items[i].image < profile->images.count);
		assert_true(profile->frames.items[i].symbol < profile->symbols.count);
		assert_true(profile->frames.items[i].kind < FRAME_KIND_COUNT);
	}
	for (size_t i = 1; i < profile->stacks.count; i++) {
		assert_true(profile->stacks.items[i].parent < i);
		assert_true(profile->stacks.items[i].frame < profile->frames.count);
	}
	for (size_t i = 0; i < profile->images.count; i++) {
		assert_true(profile->images.items[i].kind < IMAGE_KIND_COUNT);
		assert_true(profile->images.items[i].state < IMAGE_STATE_COUNT);
		assert_true(profile->images.items[i].build_id_size <= BUILD_ID_MAX);
	}
	for (size_t i = 0; i < profile->tasks.count; i++)
		assert_true(profile->tasks.items[i].process < profile->processes.count);
}

static int read_everything(struct store_reader *reader, struct err *err)
{
	struct profile *profile = NULL;
	struct totals totals = { 0 };
	struct visit visit = { 0 };
	int rc = store_load_profile(reader, &profile, err);

	if (rc == 0) {
		check_profile(profile);
		rc = store_load_totals(reader, &totals, err);
	}
	for (size_t i = 0; i < totals.rows.count; i++)
		assert_true(totals.rows.items[i].stack < profile->stacks.count);
	visit.profile = profile;
	if (rc == 0)
		rc = fixture_each_sample(reader, 0, UINT64_MAX, check_sample, &visit, err);
	if (rc == 0)
		assert_int_equal(visit.count, SAMPLES);
	vec_free(&totals.rows);
	profile_free(profile);
	return rc;
}

/* Returns true if the file was read to the end. An error has a sentence with the file's name. */
static bool try_file(const char *path)
{
	struct store_reader *reader = NULL;
	struct err err = { "" };
	int rc = store_open(path, &reader, &err);

	if (rc == 0)
		rc = read_everything(reader, &err);
	store_close(reader);
	if (rc < 0 && !strstr(err.text, path))
		fail_msg("%d: %s", rc, err.text);
	return rc == 0;
}

static long resident_kb(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

typedef void (*damage_copy)(struct bytes *copy, uint64_t *random);

static void damage_many(const struct folder *folder, damage_copy damage)
{
	int rounds = ROUNDS / (int)fixture_damage_step(), whole = 0;
	struct bytes original, copy;
	uint64_t random = 7;

	fixture_write(folder->path, SAMPLES);
	original = read_file(folder->path);
	copy.at = malloc(original.size);
	for (int round = 0; round < rounds; round++) {
		copy.size = original.size;
		memcpy(copy.at, original.at, original.size);
		damage(&copy, &random);
		write_file(folder->path, copy);
		whole += try_file(folder->path);
	}
	print_message("%d of %d copies were read to the end\n", whole, rounds);
	assert_true(whole < rounds);
	assert_true(resident_kb() < MOST_KB);
	free(original.at);
	free(copy.at);
}

static void flip_bytes(struct bytes *copy, uint64_t *random)
{
	uint64_t count = 1 + fixture_random(random) % 8;

	for (uint64_t i = 0; i < count; i++)
		copy->at[fixture_random(random) % copy->size] = (uint8_t)fixture_random(random);
}

/* The headers of pages steer SQLite, those of rows steer us. */
static void flip_page_headers(struct bytes *copy, uint64_t *random)
{
	uint64_t count = 1 + fixture_random(random) % 4;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t page = 1 + fixture_random(random) % (copy->size / 4096 - 1);

		copy->at[page * 4096 + fixture_random(random) % 40] =
			(uint8_t)fixture_random(random);
	}
}

/* One page in place of another: rows that are well formed and wrong. */
static void swap_pages(struct bytes *copy, uint64_t *random)
{
	uint64_t pages = copy->size / 4096;
	uint64_t from = fixture_random(random) % pages, to = fixture_random(random) % pages;

	memcpy(copy->at + to * 4096, copy->at + from * 4096, 4096);
}

static void cut(struct bytes *copy, uint64_t *random)
{
	copy->size = fixture_random(random) % copy->size;
}

static void flipped_bytes(void **state)
{
	damage_many(*state, flip_bytes);
}

static void flipped_page_headers(void **state)
{
	damage_many(*state, flip_page_headers);
}

static void swapped_pages(void **state)
{
	damage_many(*state, swap_pages);
}

static void cut_short(void **state)
{
	damage_many(*state, cut);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(flipped_bytes),
		TEST(flipped_page_headers),
		TEST(swapped_pages),
		TEST(cut_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
