/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/fixture.h"

#include <errno.h>

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

static uint64_t sum_of_totals(const struct parts *parts, const struct profile *profile)
{
	struct totals totals;
	struct err err;
	uint64_t sum = 0;

	assert_int_equal(parts_load_totals(parts, profile, &totals, &err), 0);
	for (size_t i = 0; i < totals.rows.count; i++)
		sum += totals.rows.items[i].samples;
	vec_free(&totals.rows);
	return sum;
}

/* Opens @path and compares the number of its samples, of those in a window, and of its processes. */
static void expect(const char *path, uint64_t samples, uint64_t from_first_second, size_t processes)
{
	const uint64_t second_ns = (FIXTURE_START_S + 1) * NS_PER_S;
	const struct sample_wish all = { 0, UINT64_MAX, SAMPLE_ALL };
	const struct sample_wish first = { second_ns - NS_PER_S, second_ns, SAMPLE_ALL };
	struct profile *profile;
	struct parts *parts;
	uint64_t seen = 0;
	struct err err;

	if (parts_open(path, &parts, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(parts_load_profile(parts, &profile, &err), 0);
	assert_int_equal(profile->processes.count, processes);
	assert_int_equal(sum_of_totals(parts, profile), samples);
	assert_int_equal(parts_each_batch(parts, profile, &all, count_samples, &seen, &err), 0);
	assert_int_equal(seen, samples);
	seen = 0;
	assert_int_equal(parts_each_batch(parts, profile, &first, count_samples, &seen, &err), 0);
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
	assert_int_equal(parts_open(folder->name, &parts, &err), -ENOENT);
	write_in(folder, "a.prof", SAMPLES);
	assert_true(parts_is_folder(folder->name));
	/* What cannot be read is named. */
	assert_int_equal(parts_open(folder->name, &parts, &err), 0);
	assert_int_equal(parts_load_profile(parts, &profile, &err), 0);
	assert_non_null(strstr(profile->run.not_visible, "broken.prof"));
	assert_int_equal(sum_of_totals(parts, profile), SAMPLES);
	profile_free(profile);
	parts_close(parts);
	parts_close(NULL);
	assert_int_equal(parts_open("/nowhere", &parts, &err), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_file_and_folder, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(test_folders, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
