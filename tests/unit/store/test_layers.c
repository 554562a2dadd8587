/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums that lag behind the samples: right in memory, updated in the file where that is possible. */
#include <sys/stat.h>
#include <sys/wait.h>

#include "store/fixture.h"

/* The weight of all totals and the number of their rows, as the reader gives them. */
struct gist {
	uint64_t rows, samples, weight;
};

static struct gist gist_of(const char *path)
{
	struct store_reader *reader = fixture_open(path);
	struct profile *profile = fixture_load(reader);
	struct gist gist = { 0 };
	struct totals totals;
	struct err err;

	if (store_load_totals(reader, &totals, &err) < 0)
		fail_msg("%s", err.text);
	gist.rows = totals.rows.count;
	for (size_t i = 0; i < totals.rows.count; i++) {
		gist.samples += totals.rows.items[i].samples;
		gist.weight += totals.rows.items[i].weight;
	}
	vec_free(&totals.rows);
	profile_free(profile);
	store_close(reader);
	return gist;
}

static struct gist expected_gist(uint64_t samples)
{
	struct gist gist = { .samples = samples };

	for (uint64_t i = 0; i < samples; i++)
		gist.weight += fixture_sample(i).weight;
	return gist;
}

static void same_gist(struct gist gist, struct gist expected)
{
	assert_int_equal(gist.samples, expected.samples);
	assert_int_equal(gist.weight, expected.weight);
}

/* A recording that never ended: three flushes, sums of the first only. */
static void write_unended(const char *path)
{
	struct profile *profile = fixture_profile();
	struct store_writer *writer = fixture_create(path, profile);

	fixture_add(writer, 0, 1000);
	profile->run.end_ns = 1;
	fixture_flush(writer);
	profile->run.end_ns = 0;
	fixture_add(writer, 1000, 500);
	fixture_flush(writer);
	fixture_add(writer, 1500, 500);
	fixture_flush(writer);
	store_writer_free(writer);
	profile_free(profile);
	assert_int_equal(fixture_sql_number(path, "SELECT sum(samples) FROM total"), 1000);
	assert_int_equal(fixture_sql_number(path, "SELECT samples FROM layer WHERE id = 2"), 1000);
}

static void opening_repairs(void **state)
{
	const struct folder *folder = *state;

	write_unended(folder->path);
	same_gist(gist_of(folder->path), expected_gist(2000));
	assert_int_equal(fixture_sql_number(folder->path, "SELECT sum(samples) FROM total"), 2000);
	assert_int_equal(fixture_sql_number(folder->path, "SELECT sum(samples) FROM second"), 2000);
	assert_int_equal(fixture_sql_number(folder->path, "SELECT samples FROM layer WHERE id = 2"),
			 2000);
	same_gist(gist_of(folder->path), expected_gist(2000));
}

/* Not knowing which samples the sums cover, all are added up anew. */
static void opening_starts_over(void **state)
{
	const struct folder *folder = *state;

	write_unended(folder->path);
	fixture_sql(folder->path, "UPDATE layer SET samples = 900 WHERE id = 2");
	same_gist(gist_of(folder->path), expected_gist(2000));
	assert_int_equal(fixture_sql_number(folder->path, "SELECT sum(samples) FROM total"), 2000);
	assert_int_equal(fixture_sql_number(folder->path, "SELECT sum(samples) FROM second"), 2000);
}

/* While the recorder lives, its file is left alone, and what readers see is whole. */
static void a_live_recording_is_not_touched(void **state)
{
	const struct folder *folder = *state;
	struct profile *profile = fixture_profile();
	struct store_writer *writer = fixture_create(folder->path, profile);

	for (uint64_t i = 0; i < 1000; i += 100) {
		fixture_add(writer, i, 100);
		fixture_flush(writer);
		same_gist(gist_of(folder->path), expected_gist(i + 100));
		assert_int_equal(fixture_sql_number(folder->path, "SELECT count(*) FROM total"), 0);
	}
	profile->run.end_ns = 1;
	fixture_flush(writer);
	assert_int_equal(fixture_sql_number(folder->path, "SELECT sum(samples) FROM total"), 1000);
	same_gist(gist_of(folder->path), expected_gist(1000));
	store_writer_free(writer);
	profile_free(profile);
}

/* Many different stacks: the sums are written before the end, and memory stays bounded. */
static void enough_sums_are_written(void **state)
{
	const struct folder *folder = *state;
	struct profile *profile = fixture_profile();
	struct store_writer *writer = fixture_create(folder->path, profile);
	struct sample sample = fixture_sample(0);

	for (uint32_t i = 0; i < 20000; i++) {
		sample.stack = profile_stack(profile, sample.stack, 1 + i % FIXTURE_STACKS);
		sample.time_ns += 100;
		assert_true(store_add(writer, &sample));
	}
	fixture_flush(writer);
	assert_int_equal(fixture_sql_number(folder->path, "SELECT sum(samples) FROM total"), 20000);
	fixture_add(writer, 100, 100);
	fixture_flush(writer);
	assert_int_equal(fixture_sql_number(folder->path, "SELECT sum(samples) FROM total"), 20000);
	store_writer_free(writer);
	profile_free(profile);
	assert_int_equal(fixture_layers_agree(folder->path), 20100);
}

static int read_as_somebody_else(const char *path)
{
	if (setgid(65534) < 0 || setuid(65534) < 0)
		return 10;
	same_gist(gist_of(path), expected_gist(2000));
	return access(path, W_OK) < 0 ? 0 : 11;
}

static void a_file_that_may_not_be_written(void **state)
{
	const struct folder *folder = *state;
	int status;
	pid_t pid;

	if (geteuid() != 0) {
		print_message("needs root, to become somebody else\n");
		skip();
	}
	write_unended(folder->path);
	assert_int_equal(chmod(folder->name, 0755), 0);
	assert_int_equal(chmod(folder->path, 0644), 0);
	pid = fork();
	if (pid == 0)
		_exit(read_as_somebody_else(folder->path));
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	assert_int_equal(fixture_sql_number(folder->path, "SELECT sum(samples) FROM total"), 1000);
	fixture_sql(folder->path, "UPDATE layer SET samples = 900 WHERE id = 2");
	pid = fork();
	if (pid == 0)
		_exit(read_as_somebody_else(folder->path));
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(opening_repairs),
		TEST(opening_starts_over),
		TEST(a_live_recording_is_not_touched),
		TEST(enough_sums_are_written),
		TEST(a_file_that_may_not_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
