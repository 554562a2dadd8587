/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows by CPU and thread, histograms of return values, counters. */
#include "watch/probes/probe_rows.h"

#include <sys/mman.h>

#include "watch/probes/watched.h"

/* Checks of memory touch pages of their own. */
__attribute__((no_sanitize("address", "undefined"))) WATCHED static void *touch(void *page)
{
	*(volatile char *)page = 1;
	return page;
}

static void test_threads_that_migrate(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL | PROBE_MOVED);
	pthread_t threads[THREADS];
	struct probe_counts counts;

	(void)state;
	if (!find_two_cpus(two_cpus)) {
		print_message("needs two CPUs\n");
		skip();
	}
	watch.options.key = PROBE_BY_CPU;
	add(&watch, TARGET(leaf));
	add(&watch, TARGET(migrate));
	begin(&watch);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run_migrations, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_whole(&counts, (uint64_t)THREADS * CALLS);
	assert_int_equal(counts.moved, (uint64_t)THREADS * (CALLS - 1));
	for (size_t i = 0; i < watch.reading.row_count; i++) {
		const struct probe_row *row = &watch.reading.rows[i];

		if (row->target == 0)
			assert_int_equal(row->counts.entries, THREADS * CALLS / 2);
		/* All came in on either CPU, and went out on the second. */
		else
			assert_int_equal(row->counts.exits,
					 row->id == two_cpus[1] ? THREADS * CALLS : 0);
	}
	counts = counts_of(&watch, 1);
	assert_whole(&counts, (uint64_t)THREADS * CALLS);
	assert_in_range(counts.virtual_ns, 0, counts.wall_ns);
	done(&watch);
}

static void *run_leaf(void *unused)
{
	for (int i = 0; i < CALLS; i++)
		leaf(i);
	return unused;
}

static void test_rows_by_thread(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS);
	pthread_t threads[THREADS];

	(void)state;
	watch.options.key = PROBE_BY_THREAD;
	add(&watch, TARGET(leaf));
	begin(&watch);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run_leaf, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	end(&watch);
	assert_int_equal(watch.reading.row_count, THREADS);
	for (size_t i = 0; i < watch.reading.row_count; i++) {
		assert_whole(&watch.reading.rows[i].counts, CALLS);
		assert_int_equal(watch.reading.rows[i].pid, getpid());
	}
	done(&watch);
}

static void test_a_full_table_of_keys(void **state)
{
	struct watch watch = watch_of(0);
	pthread_t threads[THREADS];

	(void)state;
	watch.options.key = PROBE_BY_THREAD;
	watch.options.most_keys = THREADS - 1;
	add(&watch, TARGET(leaf));
	begin(&watch);
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_create(&threads[i], NULL, run_leaf, NULL), 0);
		pthread_join(threads[i], NULL);
	}
	end(&watch);
	assert_int_equal(counts_of(&watch, 0).entries, (THREADS - 1) * CALLS);
	assert_int_equal(watch.reading.cost.keys_lost, CALLS);
	done(&watch);
}

static void test_values_and_errors(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VALUES);
	struct probe_scale scale;

	(void)state;
	add(&watch, TARGET(leaf));
	begin(&watch);
	for (long value = -4; value < 8; value++)
		leaf(value);
	/* Another reading counts nothing twice. */
	probes_read(watch.probes, &watch.reading);
	leaf(1000);
	leaf(-EAGAIN);
	end(&watch);
	scale = probes_value_scale(watch.probes);
	assert_int_equal(counts_of(&watch, 0).errors, 5);
	assert_int_equal(sum_of(watch.reading.rows[0].values, scale.count), 14);
	for (size_t i = 0; i + 1 < scale.count; i++) {
		uint64_t expected = 0;

		for (long value = -4; value < 8; value++)
			expected += value >= scale.lowest[i] && value < scale.lowest[i + 1];
		expected += 1000 >= scale.lowest[i] && 1000 < scale.lowest[i + 1];
		expected += -EAGAIN >= scale.lowest[i] && -EAGAIN < scale.lowest[i + 1];
		assert_int_equal(watch.reading.rows[0].values[i], expected);
	}
	done(&watch);
}

/* What is an error depends on the type, where it is known. What is above the bits of a type is left
 * over from something else. */
static void test_errors_of_types(void **state)
{
	static const long values[] = { 0,	   5,	       -1,	    -4095,	 -4096,
				       0xffffffff, 0xffff0000, 0x1fffffff7, 0x7f000000ff };
	static const struct {
		struct probe_return returns;
		uint64_t errors;
		int64_t of_last; /* what the last value is then */
		bool no_values;
	} types[] = {
		{ { PROBE_RETURN_UNKNOWN, 0 }, 3, 0x7f000000ff, false },
		{ { PROBE_RETURN_SIGNED, 64 }, 2, 0x7f000000ff, false },
		{ { PROBE_RETURN_SIGNED, 32 }, 4, 0xff, false },
		{ { PROBE_RETURN_SIGNED, 16 }, 4, 0xff, false },
		{ { PROBE_RETURN_SIGNED, 8 }, 4, -1, false },
		{ { PROBE_RETURN_UNSIGNED, 8 }, 0, 0xff, false },
		{ { PROBE_RETURN_UNSIGNED, 64 }, 0, 0x7f000000ff, false },
		{ { PROBE_RETURN_POINTER, 64 }, 3, 0x7f000000ff, false },
		{ { PROBE_RETURN_NOTHING, 0 }, 0, 0, true },
	};
	enum { VALUES = sizeof(values) / sizeof(values[0]) };

	(void)state;
	for (size_t type = 0; type < sizeof(types) / sizeof(types[0]); type++) {
		struct watch watch = watch_of(PROBE_EXITS | PROBE_VALUES);
		struct probe_scale scale;
		size_t bucket = 0;

		add(&watch, TARGET(leaf));
		watch.targets[0].returns = types[type].returns;
		begin(&watch);
		for (size_t i = 0; i < VALUES; i++)
			leaf(values[i]);
		end(&watch);
		assert_int_equal(counts_of(&watch, 0).errors, types[type].errors);
		scale = probes_value_scale(watch.probes);
		while (bucket + 1 < scale.count && scale.lowest[bucket + 1] <= types[type].of_last)
			bucket++;
		assert_int_equal(watch.reading.rows[0].values[bucket] > 0, !types[type].no_values);
		assert_int_equal(sum_of(watch.reading.rows[0].values, scale.count),
				 types[type].no_values ? 0 : VALUES);
		done(&watch);
	}
}

static void test_counters(void **state)
{
	enum { PAGES = 50 };
	static const struct probe_counter counters[] = {
		{ .kind = PROBE_COUNT_PAGE_FAULTS, .name = "page-faults" },
		{ .kind = PROBE_COUNT_CONTEXT_SWITCHES, .name = "context-switches" },
	};
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL);
	long page = sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, (size_t)(PAGES * page), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_ptr_not_equal(memory, MAP_FAILED);
	assert_int_equal(madvise(memory, (size_t)(PAGES * page), MADV_NOHUGEPAGE), 0);
	watch.options.counters = counters;
	watch.options.counter_count = 2;
	add(&watch, TARGET(touch));
	add(&watch, TARGET(sleep_ms));
	begin(&watch);
	for (int i = 0; i < PAGES; i++)
		touch(memory + i * page);
	for (int i = 0; i < 5; i++)
		sleep_ms(1);
	end(&watch);
	assert_int_equal(counts_of(&watch, 0).counters[0], PAGES);
	assert_true(counts_of(&watch, 1).counters[1] >= 5);
	assert_int_equal(counts_of(&watch, 1).counters[0], 0);
	munmap(memory, (size_t)(PAGES * page));
	done(&watch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads_that_migrate),
		cmocka_unit_test(test_rows_by_thread),
		cmocka_unit_test(test_a_full_table_of_keys),
		cmocka_unit_test(test_values_and_errors),
		cmocka_unit_test(test_errors_of_types),
		cmocka_unit_test(test_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
