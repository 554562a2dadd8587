/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the counts and times of calls are. */
#include "watch/probes/probes.h"

#include <sys/syscall.h>
#include <sys/wait.h>

#include "watch/probes/watched.h"

static jmp_buf way_out;

WATCHED static long pass_on(long value)
{
	KEEP;
	return leaf(value + 1);
}

WATCHED static void jump_out(int value)
{
	KEEP;
	longjmp(way_out, value);
}

WATCHED static void die(void)
{
	KEEP;
	syscall(SYS_exit, 0);
}

static void test_every_call_is_counted(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL);
	struct probe_counts counts;
	uint64_t took_ns;

	(void)state;
	add(&watch, TARGET(leaf));
	add(&watch, TARGET(spin_ms)); /* not called */
	begin(&watch);
	took_ns = clock_ns();
	for (int i = 0; i < CALLS; i++)
		leaf(i);
	took_ns = clock_ns() - took_ns;
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_whole(&counts, CALLS);
	assert_true(counts.wall_ns > 0 && counts.wall_ns < took_ns);
	assert_in_range(counts.virtual_ns, 1, counts.wall_ns);
	assert_true(counts.longest_ns >= counts.wall_ns / CALLS);
	assert_int_equal(counts.nested, 0);
	counts = counts_of(&watch, 1);
	assert_whole(&counts, 0);
	assert_true(watch.reading.cost.hits >= 2 * CALLS);
	assert_true(watch.reading.cost.program_ns > 0);
	assert_true(watch.reading.cost.trap_ns > 0);
	done(&watch);
}

static void test_entries_alone(void **state)
{
	struct watch watch = watch_of(0);

	(void)state;
	add(&watch, TARGET(leaf));
	begin(&watch);
	for (int i = 0; i < CALLS; i++)
		leaf(i);
	end(&watch);
	assert_int_equal(counts_of(&watch, 0).entries, CALLS);
	assert_int_equal(counts_of(&watch, 0).exits, 0);
	done(&watch);
}

static void test_nothing_is_counted_outside_the_window(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS);

	(void)state;
	add(&watch, TARGET(leaf));
	leaf(1);
	begin(&watch);
	leaf(2);
	end(&watch);
	leaf(3);
	probes_read(watch.probes, &watch.reading);
	assert_int_equal(counts_of(&watch, 0).entries, 1);
	done(&watch);
}

static void test_recursion_is_in_the_time_once(void **state)
{
	enum { DEPTH = 20 };
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL | PROBE_LATENCY);
	struct probe_counts counts;
	uint64_t took_ns;

	(void)state;
	add(&watch, TARGET(recurse));
	begin(&watch);
	took_ns = clock_ns();
	for (int i = 0; i < CALLS / DEPTH; i++)
		recurse(DEPTH - 1);
	took_ns = clock_ns() - took_ns;
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_whole(&counts, CALLS);
	assert_int_equal(counts.nested, CALLS - CALLS / DEPTH);
	assert_true(counts.wall_ns <= took_ns);
	assert_int_equal(
		sum_of(watch.reading.rows[0].latency, probes_latency_scale(watch.probes).count),
		CALLS);
	done(&watch);
}

/* The kernel follows 64 returns of a thread; what is deeper is counted apart, and what is above
 * goes on well. */
static void test_what_is_too_deep(void **state)
{
	enum { DEPTH = 100, LIMIT = 64 };
	struct watch watch = watch_of(PROBE_EXITS);
	struct probe_counts counts;

	(void)state;
	add(&watch, TARGET(recurse));
	begin(&watch);
	recurse(DEPTH - 1);
	recurse(9);
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_int_equal(counts.entries, DEPTH + 10);
	assert_int_equal(counts.too_deep, DEPTH - LIMIT);
	assert_int_equal(counts.exits, LIMIT + 10);
	assert_int_equal(counts.inside, 0);
	done(&watch);
}

static void test_tail_calls(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS);
	struct probe_counts counts;

	(void)state;
	add(&watch, TARGET(leaf));
	add(&watch, TARGET(pass_on));
	begin(&watch);
	for (int i = 0; i < CALLS; i++)
		pass_on(i);
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_whole(&counts, CALLS);
	counts = counts_of(&watch, 1);
	assert_whole(&counts, CALLS);
	done(&watch);
}

static void test_sleep_is_wall_and_not_virtual(void **state)
{
	enum { TIMES = 4, SLEEP = 30 };
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL);
	struct probe_counts counts;
	uint64_t took_ns;

	(void)state;
	add(&watch, TARGET(sleep_ms));
	begin(&watch);
	took_ns = clock_ns();
	for (int i = 0; i < TIMES; i++)
		sleep_ms(SLEEP);
	took_ns = clock_ns() - took_ns;
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_whole(&counts, TIMES);
	assert_in_range(counts.wall_ns, (uint64_t)TIMES * SLEEP * MS, took_ns);
	assert_in_range(counts.virtual_ns, 0, counts.wall_ns - (uint64_t)TIMES * SLEEP * MS / 2);
	assert_true(counts.virtual_ns > 0);
	done(&watch);
}

static void test_virtual_time_is_time_on_a_cpu(void **state)
{
	enum { SPIN = 60 };
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL);
	struct probe_counts counts;

	(void)state;
	add(&watch, TARGET(spin_ms));
	begin(&watch);
	spin_ms(SPIN);
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_whole(&counts, 1);
	/* The kernel's clock goes on for the moments of a switch, which may last where the host
	 * takes its CPU away just then. */
	assert_in_range(counts.virtual_ns, (uint64_t)SPIN * MS / 2, counts.wall_ns);
	done(&watch);
}

static void test_jumps_out_are_no_exits(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL);
	struct probe_counts counts;
	volatile int jumps = 0;

	(void)state;
	add(&watch, TARGET(jump_out));
	add(&watch, TARGET(leaf));
	begin(&watch);
	if (setjmp(way_out) < CALLS)
		jump_out(++jumps);
	leaf(1); /* shows that the last one was left */
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_int_equal(counts.entries, CALLS);
	assert_int_equal(counts.exits, 0);
	assert_int_equal(counts.abandoned + counts.inside, CALLS);
	assert_true(counts.inside <= 1);
	assert_int_equal(counts.too_deep, 0);
	counts = counts_of(&watch, 1);
	assert_whole(&counts, 1);
	done(&watch);
}

WATCHED static void jump_from_below(void)
{
	volatile char room[512];

	room[0] = 1;
	jump_out(room[0]);
	KEEP;
}

/* What enters higher in the stack shows that the call below was left. */
static void test_jumps_to_higher_in_the_stack(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL);
	struct probe_counts counts;

	(void)state;
	add(&watch, TARGET(jump_out));
	add(&watch, TARGET(leaf));
	begin(&watch);
	if (setjmp(way_out) == 0)
		jump_from_below();
	leaf(1);
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_int_equal(counts.entries, 1);
	assert_int_equal(counts.abandoned, 1);
	assert_int_equal(counts.inside, 0);
	counts = counts_of(&watch, 1);
	assert_whole(&counts, 1);
	done(&watch);
}

WATCHED static long catch_jump(long value)
{
	if (setjmp(way_out) == 0)
		jump_out(1);
	KEEP;
	return value;
}

/* Only the caller's return shows that the callee was left: no entry follows it. */
static void test_jumps_to_a_caller_that_returns(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL);
	struct probe_counts counts;

	(void)state;
	add(&watch, TARGET(jump_out));
	add(&watch, TARGET(catch_jump));
	begin(&watch);
	catch_jump(1);
	probes_read(watch.probes, &watch.reading);
	counts = counts_of(&watch, 0);
	sleep_ms(5);
	end(&watch);
	/* Nothing of it goes on. */
	assert_int_equal(counts_of(&watch, 0).wall_ns, counts.wall_ns);
	assert_int_equal(counts_of(&watch, 0).virtual_ns, counts.virtual_ns);
	counts = counts_of(&watch, 0);
	assert_int_equal(counts.entries, 1);
	assert_int_equal(counts.exits, 0);
	assert_int_equal(counts.abandoned, 1);
	assert_int_equal(counts.inside, 0);
	counts = counts_of(&watch, 1);
	assert_whole(&counts, 1);
	done(&watch);
}

/* Each in a process of its own: the sanitizer does not like threads to vanish. */
static void test_threads_that_die_inside(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL);
	struct probe_counts counts;

	(void)state;
	watch.options.filter.follow = true;
	add(&watch, TARGET(die));
	begin(&watch);
	for (int i = 0; i < THREADS; i++) {
		pid_t child = fork();

		if (child == 0)
			die();
		assert_int_equal(waitpid(child, NULL, 0), child);
	}
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_int_equal(counts.entries, THREADS);
	assert_int_equal(counts.died, THREADS);
	assert_int_equal(counts.exits, 0);
	assert_int_equal(counts.inside, 0);
	done(&watch);
}

static void *run_wait(void *fd)
{
	wait_for(*(int *)fd);
	return NULL;
}

static void test_calls_that_are_inside(void **state)
{
	enum { WAIT = 40 };
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL);
	struct probe_counts counts;
	uint64_t began_ns;
	pthread_t thread;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	add(&watch, TARGET(wait_for));
	begin(&watch);
	assert_int_equal(pthread_create(&thread, NULL, run_wait, &fds[0]), 0);
	do {
		probes_read(watch.probes, &watch.reading);
		counts = counts_of(&watch, 0);
		assert_true(clock_ns() - watch.opened_ns < 60 * NS_PER_S);
	} while (counts.inside == 0);
	began_ns = clock_ns();
	sleep_ms(WAIT);
	probes_read(watch.probes, &watch.reading);
	counts = counts_of(&watch, 0);
	assert_int_equal(counts.inside, 1);
	assert_int_equal(counts.exits, 0);
	assert_in_range(counts.wall_ns, watch.reading.time_ns - began_ns - MS,
			watch.reading.time_ns - watch.opened_ns);
	assert_int_equal(write(fds[1], "", 1), 1);
	pthread_join(thread, NULL);
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_whole(&counts, 1);
	close(fds[0]);
	close(fds[1]);
	done(&watch);
}

static void test_what_makes_no_sense_is_refused(void **state)
{
	struct watch watch = watch_of(0);
	struct err err;

	(void)state;
	assert_int_equal(probes_new(&watch.options, &watch.probes, &err), -EINVAL);
	add(&watch, TARGET(leaf));
	watch.options.targets = watch.targets;
	watch.options.filter.condition = "arg1 >";
	assert_int_equal(probes_new(&watch.options, &watch.probes, &err), -EINVAL);
	assert_non_null(strstr(err.text, "number"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_call_is_counted),
		cmocka_unit_test(test_entries_alone),
		cmocka_unit_test(test_nothing_is_counted_outside_the_window),
		cmocka_unit_test(test_recursion_is_in_the_time_once),
		cmocka_unit_test(test_what_is_too_deep),
		cmocka_unit_test(test_tail_calls),
		cmocka_unit_test(test_sleep_is_wall_and_not_virtual),
		cmocka_unit_test(test_virtual_time_is_time_on_a_cpu),
		cmocka_unit_test(test_jumps_out_are_no_exits),
		cmocka_unit_test(test_jumps_to_higher_in_the_stack),
		cmocka_unit_test(test_jumps_to_a_caller_that_returns),
		cmocka_unit_test(test_threads_that_die_inside),
		cmocka_unit_test(test_calls_that_are_inside),
		cmocka_unit_test(test_what_makes_no_sense_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
