/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples come back as they were stored, whole or what of them is wanted. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "store/fixture.h"

struct visit {
	uint64_t count;
	uint64_t samples_by_cpu[FIXTURE_CPUS];
	uint64_t stop_after;
};

/* Samples of a processor come in order of time, so each is the next that the fixture made. */
static int check_sample(void *context, const struct sample *sample)
{
	struct visit *visit = context;
	struct sample expected =
		fixture_sample(visit->samples_by_cpu[sample->cpu]++ * FIXTURE_CPUS + sample->cpu);

	assert_int_equal(sample->time_ns, expected.time_ns);
	assert_int_equal(sample->weight, expected.weight);
	assert_int_equal(sample->task, expected.task);
	assert_int_equal(sample->stack, expected.stack);
	assert_int_equal(sample->event, expected.event);
	assert_int_equal(sample->mode, expected.mode);
	assert_int_equal(sample->context, expected.context);
	return ++visit->count == visit->stop_after ? 77 : 0;
}

static void samples_come_back(void **state)
{
	const struct folder *folder = *state;
	struct store_reader *reader;
	struct profile *profile;
	struct visit visit = { 0 };
	struct err err;

	fixture_write(folder->path, 7000);
	reader = fixture_open(folder->path);
	profile = fixture_load(reader);
	assert_int_equal(fixture_each_sample(reader, 0, UINT64_MAX, check_sample, &visit, &err), 0);
	assert_int_equal(visit.count, 7000);
	visit = (struct visit){ .stop_after = 5 };
	assert_int_equal(fixture_each_sample(reader, 0, UINT64_MAX, check_sample, &visit, &err),
			 77);
	assert_int_equal(visit.count, 5);
	profile_free(profile);
	store_close(reader);
}

/* A sample as it comes when only some fields are wanted. */
static struct sample only(struct sample sample, unsigned fields)
{
	return (struct sample){ .time_ns = fields & SAMPLE_TIME
						   ? sample.time_ns
						   : sample.time_ns / NS_PER_S * NS_PER_S,
				.weight = sample.weight,
				.task = fields & SAMPLE_TASK ? sample.task : 0,
				.stack = fields & SAMPLE_STACK ? sample.stack : 0,
				.cpu = fields & (SAMPLE_CPU | SAMPLE_TIME) ? sample.cpu : 0,
				.event = sample.event,
				.mode = fields & SAMPLE_MODE ? sample.mode : 0,
				.context = fields & SAMPLE_CONTEXT ? sample.context : 0 };
}

struct sample_list {
	VEC(struct sample) rows;
};

static int collect_samples(void *context, const struct sample *sample)
{
	struct sample_list *list = context;

	*vec_push(&list->rows) = *sample;
	return 0;
}

static int collect_batch(void *context, const struct sample *samples, size_t count)
{
	for (size_t i = 0; i < count; i++)
		collect_samples(context, &samples[i]);
	return 0;
}

static void assert_same_samples(const struct sample *all, const struct sample *some, size_t count,
				unsigned fields)
{
	for (size_t i = 0; i < count; i++) {
		struct sample expected = only(all[i], fields);

		/* Where a window begins or ends, times are there too. */
		if (!(fields & SAMPLE_TIME) && some[i].time_ns == all[i].time_ns)
			expected = only(all[i], fields | SAMPLE_TIME);
		assert_true(some[i].time_ns == expected.time_ns &&
			    some[i].weight == expected.weight && some[i].task == expected.task &&
			    some[i].stack == expected.stack && some[i].cpu == expected.cpu &&
			    some[i].event == expected.event && some[i].mode == expected.mode &&
			    some[i].context == expected.context);
	}
}

static void only_what_is_wanted(void **state)
{
	static const unsigned wishes[] = { 0,
					   SAMPLE_CPU,
					   SAMPLE_STACK,
					   SAMPLE_TASK | SAMPLE_MODE,
					   SAMPLE_CONTEXT | SAMPLE_TIME,
					   SAMPLE_ALL };
	static const uint64_t windows[][2] = {
		{ 0, UINT64_MAX },
		{ (FIXTURE_START_S + 1) * NS_PER_S, (FIXTURE_START_S + 2) * NS_PER_S },
		{ FIXTURE_START_S * NS_PER_S + 300 * NS_PER_MS,
		  (FIXTURE_START_S + 2) * NS_PER_S + 1 },
		{ FIXTURE_START_S * NS_PER_S + 300 * NS_PER_MS,
		  FIXTURE_START_S * NS_PER_S + 301 * NS_PER_MS },
	};
	const struct folder *folder = *state;
	struct store_reader *reader;
	struct profile *profile;
	struct err err;

	fixture_write(folder->path, 7000);
	reader = fixture_open(folder->path);
	profile = fixture_load(reader);
	for (size_t i = 0; i < 24; i++) {
		struct sample_wish wish = {
			windows[i % 4][0], windows[i % 4][1], wishes[i / 4], { 0 }
		};
		struct sample_list all = { { 0 } }, some = { { 0 } };

		assert_int_equal(fixture_each_sample(reader, wish.from_ns, wish.to_ns,
						     collect_samples, &all, &err),
				 0);
		assert_int_equal(store_each_batch(reader, &wish, collect_batch, &some, &err), 0);
		assert_true(all.rows.count > 0);
		assert_int_equal(all.rows.count, some.rows.count);
		assert_same_samples(all.rows.items, some.rows.items, all.rows.count, wish.fields);
		vec_free(&all.rows);
		vec_free(&some.rows);
	}
	profile_free(profile);
	store_close(reader);
}

static void times_are_right_to_the_slice(void **state)
{
	static const struct sample_slices slices[] = {
		{ 0, 1 },
		{ 0, NS_PER_S },
		{ 0, 2 * NS_PER_S },
		{ 300 * NS_PER_MS, NS_PER_S },
		{ 300 * NS_PER_MS, 5 * NS_PER_S },
		{ FIXTURE_START_S * NS_PER_S + 400 * NS_PER_MS, 700 * NS_PER_MS },
		{ UINT64_MAX - NS_PER_S / 2, 3 * NS_PER_S }, /* before 0 */
		{ (FIXTURE_START_S + 100) * NS_PER_S, NS_PER_S },
	};
	const struct folder *folder = *state;
	struct sample_list all = { { 0 } };
	struct store_reader *reader;
	struct err err;
	size_t exact = 0;

	fixture_write(folder->path, 7000);
	reader = fixture_open(folder->path);
	profile_free(fixture_load(reader));
	assert_int_equal(fixture_each_sample(reader, 0, UINT64_MAX, collect_samples, &all, &err),
			 0);
	for (size_t i = 0; i < sizeof(slices) / sizeof(slices[0]); i++) {
		const struct sample_wish wish = { 0, UINT64_MAX, SAMPLE_ALL, slices[i] };
		struct sample_list some = { { 0 } };

		assert_int_equal(store_each_batch(reader, &wish, collect_batch, &some, &err), 0);
		assert_int_equal(some.rows.count, all.rows.count);
		for (size_t at = 0; at < all.rows.count; at++) {
			uint64_t wanted = all.rows.items[at].time_ns;
			uint64_t got = some.rows.items[at].time_ns;

			assert_int_equal(got / NS_PER_S, wanted / NS_PER_S);
			assert_int_equal(sample_slices_number(&slices[i], got),
					 sample_slices_number(&slices[i], wanted));
			exact += got == wanted;
		}
		vec_free(&some.rows);
	}
	/* All of the first, and not all of the others, or nothing was saved. */
	assert_true(exact >= all.rows.count && exact < 7 * all.rows.count);
	vec_free(&all.rows);
	store_close(reader);
}

static void a_window_has_its_samples(void **state)
{
	static const uint64_t windows[][2] = {
		{ 0, 1 },
		{ FIXTURE_START_S * NS_PER_S, FIXTURE_START_S * NS_PER_S + 1 },
		{ FIXTURE_START_S * NS_PER_S + 500000123, FIXTURE_START_S * NS_PER_S + 1500000000 },
		{ (FIXTURE_START_S + 1) * NS_PER_S, (FIXTURE_START_S + 2) * NS_PER_S },
		{ (FIXTURE_START_S + 1) * NS_PER_S, UINT64_MAX },
		{ UINT64_MAX - 1, UINT64_MAX },
	};
	const struct folder *folder = *state;
	struct store_reader *reader;
	struct profile *profile;

	fixture_write(folder->path, 7000);
	reader = fixture_open(folder->path);
	profile = fixture_load(reader);
	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		uint64_t expected = 0;

		for (uint64_t at = 0; at < 7000; at++) {
			uint64_t time_ns = fixture_sample(at).time_ns;

			expected += time_ns >= windows[i][0] && time_ns < windows[i][1];
		}
		assert_int_equal(fixture_count_between(reader, windows[i][0], windows[i][1]),
				 expected);
	}
	profile_free(profile);
	store_close(reader);
}

static void it_knows_of_a_command(void **state)
{
	const struct folder *folder = *state;
	struct store_reader *reader;
	struct store_writer *writer;
	struct profile *profile;
	bool has = false;

	fixture_write(folder->path, 10);
	reader = fixture_open(folder->path);
	assert_int_equal(store_has_command(reader, &has, NULL), 0);
	assert_true(has);
	store_close(reader);
	assert_int_equal(store_remove(folder->path, NULL), 0);

	profile = fixture_profile();
	for (size_t i = 0; i < profile->processes.count; i++)
		profile->processes.items[i].in_command = false;
	writer = fixture_create(folder->path, profile);
	fixture_add(writer, 0, 10);
	fixture_flush(writer);
	store_writer_free(writer);
	profile_free(profile);
	reader = fixture_open(folder->path);
	assert_int_equal(store_has_command(reader, &has, NULL), 0);
	assert_false(has);
	store_close(reader);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(samples_come_back),
		TEST(a_window_has_its_samples),
		cmocka_unit_test_setup_teardown(times_are_right_to_the_slice, fixture_setup,
						fixture_teardown),
		TEST(only_what_is_wanted),
		TEST(it_knows_of_a_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
