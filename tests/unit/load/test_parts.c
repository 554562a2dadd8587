/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "load/parts.h"

enum { SAMPLES = 3000, OTHERS = 1000 };

static void write_in(const struct folder *folder, const char *name, uint64_t samples)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder->name, name);
	fixture_write(path, samples);
}

static int count_samples(void *context, const struct sample *samples, size_t count)
{
	(void)samples;
	*(uint64_t *)context += count;
	return 0;
}

static uint64_t sum_of_totals(struct parts *parts)
{
	struct totals totals, whole;
	struct err err;
	uint64_t sum = 0;

	assert_int_equal(parts_load_totals(parts, &totals, &whole, &err), 0);
	for (size_t i = 0; i < totals.rows.count; i++)
		sum += totals.rows.items[i].samples;
	vec_free(&totals.rows);
	return sum;
}

/* Opens @path and compares the number of its samples, of those in a window, and of its processes. */
static void expect(const char *path, uint64_t samples, uint64_t from_first_second, size_t processes)
{
	const uint64_t second_ns = (FIXTURE_START_S + 1) * NS_PER_S;
	const struct sample_wish all = { 0, UINT64_MAX, SAMPLE_ALL, { 0 } };
	const struct sample_wish first = { second_ns - NS_PER_S, second_ns, SAMPLE_ALL, { 0 } };
	struct selection_window window = { 0 };
	struct profile *profile;
	struct parts *parts;
	uint64_t seen = 0;
	struct err err;

	if (parts_open(path, &parts, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(parts_choose(parts, &window, &err), 0);
	assert_int_equal(parts_load_profile(parts, &window, &profile, &err), 0);
	assert_int_equal(profile->processes.count, processes);
	assert_int_equal(sum_of_totals(parts), samples);
	assert_int_equal(parts_each_batch(parts, &all, false, count_samples, &seen, &err), 0);
	assert_int_equal(seen, samples);
	seen = 0;
	assert_int_equal(parts_each_batch(parts, &first, false, count_samples, &seen, &err), 0);
	assert_int_equal(seen, from_first_second);
	assert_false(parts_is_live(parts));
	assert_int_equal(parts_end_ns(parts, profile), (FIXTURE_START_S + 10) * NS_PER_S);
	profile_free(profile);
	parts_close(parts);
}

static void test_file_and_folder(void **state)
{
	const struct folder *folder = *state;

	write_in(folder, "a.prof", SAMPLES);
	/* One is read as before. */
	expect(folder->path, SAMPLES, 1000 * FIXTURE_CPUS, 3);
	/* What has no boot is of another machine than all others: its processes are its own. */
	write_in(folder, "b.prof", OTHERS);
	expect(folder->name, SAMPLES + OTHERS, 1000 * FIXTURE_CPUS + OTHERS, 5);
}

static void test_folders(void **state)
{
	const struct folder *folder = *state;
	struct selection_window window = { 0 };
	struct profile *profile;
	struct parts *parts;
	char path[128];
	FILE *file;
	struct err err;

	assert_false(parts_is_folder(folder->name));
	assert_int_equal(parts_open(folder->name, &parts, &err), -ENOENT);
	assert_null(parts);
	snprintf(path, sizeof(path), "%s/broken.prof", folder->name);
	file = fopen(path, "w");
	fputs("no profile", file);
	fclose(file);
	assert_int_equal(parts_open(folder->name, &parts, &err), 0);
	assert_int_equal(parts_choose(parts, &window, &err), -ENOENT);
	parts_close(parts);
	write_in(folder, "a.prof", SAMPLES);
	assert_true(parts_is_folder(folder->name));
	/* What cannot be read is named. */
	assert_int_equal(parts_open(folder->name, &parts, &err), 0);
	assert_int_equal(parts_choose(parts, &window, &err), 0);
	assert_int_equal(parts_load_profile(parts, &window, &profile, &err), 0);
	assert_non_null(strstr(profile->run.not_visible, "broken.prof"));
	assert_int_equal(sum_of_totals(parts), SAMPLES);
	profile_free(profile);
	parts_close(parts);
	parts_close(NULL);
	assert_int_equal(parts_open("/nowhere", &parts, &err), -ENOENT);
}

/* ---- parts of the time ---- */

#define HISTORY_S 1795226400ULL /* 2026-11-21 02:00:00 UTC */

/* Ten seconds of a history, of which the first has 1000 samples; written when it ended. */
static void write_segment(const struct folder *folder, const char *name, uint64_t start_s,
			  const char *mark)
{
	const struct timespec written[] = { { .tv_sec = (time_t)(start_s + 10) },
					    { .tv_sec = (time_t)(start_s + 10) } };
	struct profile *profile = fixture_profile();
	struct store_writer *writer;
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder->name, name);
	profile->run.start_realtime_ns = start_s * NS_PER_S;
	profile->run.end_ns = (FIXTURE_START_S + 10) * NS_PER_S;
	profile_set_text(&profile->run.boot_id, name);
	profile_add_mark(profile, (FIXTURE_START_S + 3) * NS_PER_S, mark);
	writer = fixture_create(path, profile);
	fixture_add(writer, 0, OTHERS);
	fixture_flush(writer);
	store_writer_free(writer);
	profile_free(profile);
	assert_int_equal(utimensat(AT_FDCWD, path, written, 0), 0);
}

/* The number of samples from @since to @until, in that many files. @has_whole: all samples of one are in
 * the window. */
static void expect_window(const struct folder *folder, const char *since, const char *until,
			  size_t count_parts, uint64_t samples, bool has_whole)
{
	const struct selection selection = { .since = since, .until = until };
	struct selection_window window = { 0 };
	struct totals totals, whole;
	struct profile *profile;
	struct parts *parts;
	uint64_t seen = 0;
	struct err err = { "" };
	size_t count;

	assert_int_equal(parts_open(folder->name, &parts, &err), 0);
	if (selection_window_parse(&window, &selection, &err) < 0 ||
	    parts_choose(parts, &window, &err) < 0 ||
	    parts_load_profile(parts, &window, &profile, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(parts_folder(parts, &count), folder->name);
	assert_int_equal(count, count_parts);
	assert_int_equal(parts_each_batch(parts,
					  &(struct sample_wish){
						  window.from_ns, window.to_ns, SAMPLE_ALL, { 0 } },
					  false, count_samples, &seen, &err),
			 0);
	assert_int_equal(seen, samples);
	/* Totals of what lies in it as a whole, and samples of the rest, are the same. */
	assert_int_equal(parts_load_totals(parts, &totals, &whole, &err), 0);
	seen = 0;
	assert_int_equal(
		parts_each_batch(
			parts,
			&(struct sample_wish){ window.from_ns, window.to_ns, SAMPLE_STACK, { 0 } },
			true, count_samples, &seen, &err),
		0);
	for (size_t i = 0; i < whole.rows.count; i++)
		seen += whole.rows.items[i].samples;
	assert_int_equal(seen, samples);
	assert_int_equal(whole.rows.count != 0, has_whole);
	vec_free(&totals.rows);
	vec_free(&whole.rows);
	profile_free(profile);
	parts_close(parts);
}

static void expect_no_window(const struct folder *folder, const char *since, const char *until,
			     const char *why)
{
	const struct selection selection = { .since = since, .until = until };
	struct selection_window window = { 0 };
	struct parts *parts;
	struct err err = { "" };

	assert_int_equal(parts_open(folder->name, &parts, &err), 0);
	assert_int_equal(selection_window_parse(&window, &selection, &err), 0);
	assert_int_equal(parts_choose(parts, &window, &err), -ENODATA);
	if (!strstr(err.text, why))
		fail_msg("%s", err.text);
	parts_close(parts);
}

static void test_windows(void **state)
{
	const struct folder *folder = *state;

	setenv("TZ", "UTC", 1);
	tzset();
	write_segment(folder, "b.prof", HISTORY_S + 10, "second");
	write_segment(folder, "a.prof", HISTORY_S, "first");
	write_segment(folder, "c.prof", HISTORY_S + 600, "third");
	expect_window(folder, NULL, NULL, 3, 3 * OTHERS, false);
	expect_window(folder, "02:00:00", "02:00:10", 1, OTHERS, true);
	expect_window(folder, "02:00:10", NULL, 2, 2 * OTHERS, true);
	expect_window(folder, "2026-11-21T02:00:05Z", "2026-11-21T02:00:11Z", 2, OTHERS, true);
	expect_window(folder, "-10s", NULL, 1, OTHERS, true);
	expect_window(folder, "+5s", "+20s", 2, OTHERS, true);
	expect_window(folder, "2000d", NULL, 3, 3 * OTHERS, true);
	/* Marks are at the third second, after the samples. */
	expect_window(folder, NULL, "mark:second", 2, 2 * OTHERS, true);
	expect_window(folder, "mark:first", "mark:third", 3, 2 * OTHERS, true);
	expect_no_window(folder, "02:00:20", "02:05", "no samples in that time");
	expect_no_window(folder, "@1795227100", NULL,
			 "the history ends before, at 2026-11-21 02:10:10");
	expect_no_window(folder, "@1795220000", "@1795220010",
			 "the history begins later, at 2026-11-21 02:00:00");
	expect_no_window(folder, "mark:fourth", NULL, "has no mark 'fourth'");
}

/* So much earlier, with the end of the history, or now, if there is no other. */
static void test_earlier(void **state)
{
	const struct selection selection = { .since = "02:10:00", .until = "02:10:10" };
	const struct folder *folder = *state;
	struct selection_window window = { .earlier_ns = 600 * NS_PER_S };
	struct profile *profile;
	struct parts *parts;
	struct err err;
	size_t count;

	setenv("TZ", "UTC", 1);
	tzset();
	write_segment(folder, "a.prof", HISTORY_S, "first");
	write_segment(folder, "b.prof", HISTORY_S + 600, "second");
	assert_int_equal(parts_open(folder->name, &parts, &err), 0);
	assert_int_equal(selection_window_parse(&window, &selection, &err), 0);
	assert_int_equal(parts_choose(parts, &window, &err), 0);
	assert_int_equal(parts_load_profile(parts, &window, &profile, &err), 0);
	parts_folder(parts, &count);
	assert_int_equal(count, 1);
	assert_int_equal(window.to_ns - window.from_ns, 10 * NS_PER_S);
	assert_int_equal(profile->run.start_realtime_ns, HISTORY_S * NS_PER_S);
	profile_free(profile);
	parts_close(parts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_file_and_folder, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(test_folders, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_windows, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_earlier, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
