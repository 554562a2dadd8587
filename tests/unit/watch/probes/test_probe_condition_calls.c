/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which calls count by their arguments and return values. */
#include "watch/probes/probe_condition.h"

#include "watch/probes/watched.h"

static void test_conditions(void **state)
{
	static const struct {
		const char *condition;
		uint64_t calls; /* of leaf(0) to leaf(CALLS - 1) */
	} cases[] = {
		{ "arg1 < 100", 100 },
		{ "arg1 >= 100 && arg1 <= 199", 100 },
		{ "arg1 == 7 || arg1 == 8 || !(arg1 != 9)", 3 },
		{ "arg1 & 1", CALLS / 2 },
		{ "arg1:u8 == 3 && arg1 > 255", 1 },
		{ "arg1 in 10..19", 10 },
		{ "comm == \"somebody else\"", 0 },
		{ "uid != 0xffffffff && cpu >= 0", CALLS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct watch watch = watch_of(i % 2 ? PROBE_EXITS : 0);

		watch.options.filter.condition = cases[i].condition;
		add(&watch, TARGET(leaf));
		begin(&watch);
		for (int j = 0; j < CALLS; j++)
			leaf(j);
		end(&watch);
		assert_int_equal(counts_of(&watch, 0).entries, cases[i].calls);
		assert_int_equal(counts_of(&watch, 0).exits, i % 2 ? cases[i].calls : 0);
		assert_int_equal(counts_of(&watch, 0).unmatched, 0);
		done(&watch);
	}
}

/* leaf() returns what it is given. */
static void test_conditions_on_what_is_returned(void **state)
{
	static const struct {
		const char *condition, *error_if;
		uint64_t calls, errors; /* of leaf(-100) to leaf(CALLS - 1) */
	} cases[] = {
		{ "retval < 0", NULL, 100, 100 },
		{ "retval:u32 == 0xffffffff", NULL, 1, 1 },
		{ "arg1 >= 100 && retval < 110", NULL, 10, 0 },
		{ "arg1 in -5..4 && retval != 0", "retval > 0", 9, 4 },
		{ NULL, "retval == NULL", CALLS + 100, 1 },
		{ NULL, "retval == -1 || retval > 400", CALLS + 100, CALLS - 400 },
		{ "retval == 7 && comm == \"somebody else\"", NULL, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct watch watch = watch_of(0);

		watch.options.filter.condition = cases[i].condition;
		watch.options.error_if = cases[i].error_if;
		add(&watch, TARGET(leaf));
		begin(&watch);
		for (int j = -100; j < CALLS; j++)
			leaf(j);
		end(&watch);
		assert_int_equal(counts_of(&watch, 0).entries, cases[i].calls);
		assert_int_equal(counts_of(&watch, 0).exits, cases[i].calls);
		assert_int_equal(counts_of(&watch, 0).errors, cases[i].errors);
		assert_int_equal(counts_of(&watch, 0).inside, 0);
		assert_int_equal(counts_of(&watch, 0).unmatched, 0);
		done(&watch);
	}
}

/* recurse(n) returns n + 1: of its calls into itself, that with 5 is once inside the others. */
static void test_nested_calls_with_what_they_return(void **state)
{
	enum { DEPTH = 10, TIMES = 20 };
	static const char *const conditions[] = { "retval == 5", "retval == 10", "retval > 5" };
	static const uint64_t entries[] = { TIMES, TIMES, TIMES * 5 };
	static const uint64_t nested[] = { TIMES, 0, TIMES * 4 };

	(void)state;
	for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++) {
		struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL | PROBE_LATENCY);
		struct probe_counts counts;

		watch.options.filter.condition = conditions[i];
		add(&watch, TARGET(recurse));
		begin(&watch);
		for (int j = 0; j < TIMES; j++)
			recurse(DEPTH - 1);
		end(&watch);
		counts = counts_of(&watch, 0);
		assert_whole(&counts, entries[i]);
		assert_int_equal(counts.nested, nested[i]);
		assert_int_equal(counts.wall_ns > 0, nested[i] < entries[i]);
		assert_int_equal(counts.virtual_ns > 0, nested[i] < entries[i]);
		assert_in_range(counts.virtual_ns, 0, counts.wall_ns);
		assert_int_equal(sum_of(watch.reading.rows[0].latency,
					probes_latency_scale(watch.probes).count),
				 entries[i]);
		done(&watch);
	}
}

static void test_what_is_too_deep_to_return(void **state)
{
	enum { DEPTH = 100, LIMIT = 64 };
	struct watch watch = watch_of(PROBE_EXITS);
	struct probe_counts counts;

	(void)state;
	watch.options.filter.condition = "retval > 0";
	add(&watch, TARGET(recurse));
	begin(&watch);
	recurse(DEPTH - 1);
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_int_equal(counts.entries, LIMIT);
	assert_int_equal(counts.exits, LIMIT);
	assert_int_equal(counts.too_deep, DEPTH - LIMIT);
	done(&watch);
}

static void test_migrations_with_what_is_returned(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS | PROBE_MOVED);
	struct probe_counts counts;
	pthread_t thread;

	(void)state;
	if (!find_two_cpus(two_cpus)) {
		print_message("needs two CPUs\n");
		skip();
	}
	watch.options.filter.condition = "retval != -1";
	add(&watch, TARGET(leaf));
	begin(&watch);
	assert_int_equal(pthread_create(&thread, NULL, run_migrations, NULL), 0);
	pthread_join(thread, NULL);
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_whole(&counts, CALLS);
	assert_int_equal(counts.moved, CALLS - 1);
	done(&watch);
}

/* Sleeps, then spins. Returns its argument. */
WATCHED static long sleep_and_spin(long number)
{
	sleep_ms(20);
	spin_ms(10);
	return number;
}

/* The same times as without the condition, but of those calls alone. */
static void test_times_of_what_returns_so(void **state)
{
	enum { TIMES = 6, WANTED = 3, SLEEP = 20, SPIN = 10 };
	static const struct probe_counter counters[] = {
		{ .kind = PROBE_COUNT_CONTEXT_SWITCHES, .name = "context-switches" },
	};
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL);
	struct probe_counts counts;
	uint64_t took_ns = 0;

	(void)state;
	watch.options.filter.condition = "retval & 1";
	watch.options.counters = counters;
	watch.options.counter_count = 1;
	add(&watch, TARGET(sleep_and_spin));
	begin(&watch);
	for (int i = 0; i < TIMES; i++) {
		uint64_t before = clock_ns();

		sleep_and_spin(i);
		if (i & 1)
			took_ns += clock_ns() - before;
	}
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_whole(&counts, WANTED);
	assert_in_range(counts.wall_ns, (uint64_t)WANTED * (SLEEP + SPIN) * MS, took_ns);
	assert_in_range(counts.longest_ns, (uint64_t)(SLEEP + SPIN) * MS, counts.wall_ns);
	/* The thread's own clock is no bound: the kernel stops it while a host has the CPU. */
	assert_in_range(counts.virtual_ns, (uint64_t)WANTED * SPIN * MS / 2,
			counts.wall_ns - (uint64_t)WANTED * SLEEP * MS / 2);
	assert_true(counts.counters[0] >= WANTED); /* each slept */
	done(&watch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_conditions_on_what_is_returned),
		cmocka_unit_test(test_nested_calls_with_what_they_return),
		cmocka_unit_test(test_what_is_too_deep_to_return),
		cmocka_unit_test(test_migrations_with_what_is_returned),
		cmocka_unit_test(test_times_of_what_returns_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
