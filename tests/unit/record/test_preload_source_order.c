/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What processes write into the memory becomes samples of theirs, in whatever order it lies there. */
#include "record/preload_world.h"

/* The sample lies before the program and its mapping, which are older. */
static void test_order_is_that_of_time(void **state)
{
	struct world *world = *state;
	uint64_t t = world->now_ns;

	put_sample(world, 0, CHILD, 500, t + 40);
	put_fork(world, 1, CHILD, COMMAND, t + 10);
	put_exec(world, 1, CHILD, "busy", t + 20);
	put_map(world, 1, CHILD, CODE, "/bin/busy", t + 20);
	put_map(world, 1, CHILD, CODE * 2, "/lib/libc.so", t + 20);
	put_map(world, 1, CHILD, CODE * 3, "[vdso]", t + 20);
	preload_source_drain(world->source, t + 30, world->attribution);
	assert_int_equal(world->writer.count, 0);
	preload_source_drain(world->source, UINT64_MAX, world->attribution);
	assert_int_equal(world->writer.count, 1);
	assert_int_equal(world->writer.samples[0].weight, 500);
	assert_string_equal(program_of(world, 0), "busy");
	assert_true(world->in.profile->processes.count > 2);
}

/* The same program says twice that it was made; a parent that is not known is the command. */
static void test_processes_are_made_once(void **state)
{
	struct world *world = *state;
	uint64_t t = world->now_ns;
	size_t before;

	put_fork(world, 0, CHILD, 77777, t + 10);
	preload_source_drain(world->source, t + 15, world->attribution);
	before = world->in.profile->processes.count;
	put_fork(world, 0, CHILD, 77777, t + 20);
	preload_source_drain(world->source, t + 25, world->attribution);
	assert_int_equal(world->in.profile->processes.count, before);
	assert_int_equal(
		world->in.profile->processes.items[machine_process_of(world->in.machine, CHILD)]
			.parent,
		machine_process_of(world->in.machine, COMMAND));
}

static void test_absurd_samples_are_no_samples(void **state)
{
	struct world *world = *state;
	uint64_t t = world->now_ns;
	struct preload_sample record = {
		.header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(record) },
		.pid = CHILD,
		.tid = CHILD,
		.time_ns = t + 30,
		.period = 5,
		.abi = 12345, /* no such registers */
	};

	put_fork(world, 0, CHILD, COMMAND, t + 10);
	put_exec(world, 0, CHILD, "busy", t + 20);
	put_sample(world, 0, CHILD, UINT64_MAX, t + 30);
	put_sample(world, 0, CHILD, 2000 * NS_PER_S, t + 30);
	put(world, 0, &record, sizeof(record));
	record.stack_bytes = UINT64_MAX;
	put(world, 0, &record, sizeof(record));
	preload_source_drain(world->source, UINT64_MAX, world->attribution);
	assert_int_equal(world->writer.count, 0);
	preload_source_settle(world->source);
	assert_true(world->in.profile->events[0].loss[LOSS_MALFORMED].count >= 3);
}

static void test_losses_are_counted(void **state)
{
	struct world *world = *state;
	const struct loss *loss = world->in.profile->events[0].loss;

	world->head->dropped = 5;
	world->head->dropped_ns = 5000;
	world->head->dropped_records = 2;
	world->head->untimed_threads = 3;
	preload_source_drain(world->source, UINT64_MAX, world->attribution);
	preload_source_settle(world->source);
	assert_int_equal(loss[LOSS_RING_FULL].count, 5);
	assert_int_equal(loss[LOSS_RING_FULL].weight, 5000);
	assert_int_equal(loss[LOSS_TRACKING].count, 2);
	assert_non_null(strstr(world->in.profile->run.not_visible, "3 threads"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_order_is_that_of_time, begin, end),
		cmocka_unit_test_setup_teardown(test_processes_are_made_once, begin, end),
		cmocka_unit_test_setup_teardown(test_absurd_samples_are_no_samples, begin, end),
		cmocka_unit_test_setup_teardown(test_losses_are_counted, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
