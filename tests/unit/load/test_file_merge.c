/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files become one profile, in their order, and those that a window covers are known. */
#include "store/fixture.h"

#include <errno.h>

#include "load/file_merge.h"

#define HISTORY_S 1795226400ULL /* 2026-11-21 02:00:00 UTC */

/* Samples of a second and a half. */
enum { FILES = 5, SAMPLES = 1500 * FIXTURE_CPUS };

/* A minute from one to the next. */
static uint64_t start_real_ns(size_t number)
{
	return (HISTORY_S + number * 60) * NS_PER_S;
}

/* Each has its own start of the machine, and so its own clock. */
static void write_files(const struct folder *folder, char paths[FILES][128])
{
	for (size_t i = 0; i < FILES; i++) {
		struct profile *profile = fixture_profile();
		struct store_writer *writer;

		snprintf(paths[i], sizeof(paths[i]), "%s/%zu.prof", folder->name, i);
		profile->run.start_realtime_ns = start_real_ns(i);
		profile->run.end_ns = (FIXTURE_START_S + 10) * NS_PER_S;
		profile_set_text(&profile->run.boot_id, paths[i]);
		writer = fixture_create(paths[i], profile);
		fixture_add(writer, 0, SAMPLES);
		fixture_flush(writer);
		store_writer_free(writer);
		profile_free(profile);
	}
}

static void open_files(char paths[FILES][128], struct merged_file files[FILES])
{
	for (size_t i = 0; i < FILES; i++)
		files[i] = (struct merged_file){ .path = paths[i],
						 .store = fixture_open(paths[i]),
						 .start_ns = FIXTURE_START_S * NS_PER_S };
}

static void close_files(struct merged_file files[FILES], struct merged_totals *totals)
{
	for (size_t i = 0; i < FILES; i++) {
		merged_file_done(&files[i]);
		store_close(files[i].store);
	}
	total_sums_done(&totals->all);
	total_sums_done(&totals->whole);
}

static uint64_t sum(struct total_sums *sums)
{
	struct totals totals = total_sums_take(sums);
	uint64_t samples = 0;

	for (size_t i = 0; i < totals.rows.count; i++)
		samples += totals.rows.items[i].samples;
	vec_free(&totals.rows);
	return samples;
}

/* Merges with a window in CLOCK_REALTIME; @whole: one letter for each file, '+' if it is whole. */
static void expect(char paths[FILES][128], uint64_t from_ns, uint64_t to_ns, const char *whole)
{
	const struct selection_window window = { .since_text = "",
						 .from_ns = from_ns,
						 .to_ns = to_ns };
	struct merged_file files[FILES];
	struct merged_totals totals = { .all = { .index = { 0 } } };
	struct profile *profile = profile_new();
	uint64_t expected = 0;
	struct err err = { "" };

	open_files(paths, files);
	if (file_merge_run(files, FILES, &window, profile, &totals, &err) < 0)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < FILES; i++) {
		assert_int_equal(files[i].is_whole, whole[i] == '+');
		assert_int_equal(
			merged_file_time(&files[i], profile->run.start_ns + i * 60 * NS_PER_S),
			FIXTURE_START_S * NS_PER_S);
		assert_int_equal(files[i].end_ns, (FIXTURE_START_S + 10) * NS_PER_S);
		expected += whole[i] == '+' ? SAMPLES : 0;
	}
	assert_int_equal(profile->run.start_realtime_ns, start_real_ns(0));
	assert_int_equal(sum(&totals.all), FILES * SAMPLES);
	assert_int_equal(sum(&totals.whole), expected);
	close_files(files, &totals);
	profile_free(profile);
}

static void windows(void **state)
{
	const struct folder *folder = *state;
	char paths[FILES][128];

	write_files(folder, paths);
	/* The samples of each are in the first two seconds of ten. */
	expect(paths, 0, UINT64_MAX, "+++++");
	expect(paths, start_real_ns(1), UINT64_MAX, "-++++");
	expect(paths, start_real_ns(1) + 1, UINT64_MAX, "--+++");
	expect(paths, 0, start_real_ns(3) + 2 * NS_PER_S, "++++-");
	expect(paths, 0, start_real_ns(3) + 2 * NS_PER_S - 1, "+++--");
	expect(paths, start_real_ns(0) + NS_PER_S, start_real_ns(4), "-+++-");
	expect(paths, start_real_ns(2) + 5 * NS_PER_S, start_real_ns(2) + 6 * NS_PER_S, "-----");
}

/* The first one in their order is named, whatever was read first. */
static void damaged_files(void **state)
{
	const struct folder *folder = *state;
	const struct selection_window all = { .to_ns = UINT64_MAX };
	struct merged_totals totals = { .all = { .index = { 0 } } };
	struct merged_file files[FILES];
	char paths[FILES][128];
	struct profile *profile = profile_new();
	struct err err = { "" };

	write_files(folder, paths);
	for (size_t i = 1; i < FILES; i++)
		fixture_sql(paths[i], "UPDATE frame SET image = 999 WHERE id = 1");
	open_files(paths, files);
	assert_int_equal(file_merge_run(files, FILES, &all, profile, &totals, &err), -EBADMSG);
	if (strncmp(err.text, paths[1], strlen(paths[1])) != 0 ||
	    !strstr(err.text, "refers to a missing row"))
		fail_msg("%s", err.text);
	close_files(files, &totals);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(windows, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(damaged_files, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
