/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be attached, and what happens while all of it is detached. */
#include "watch/probes/probe_attach.h"

#include "watch/probes/watched.h"

struct caller {
	int cpu;
	uint64_t calls;
	int stop;
};

static int stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

static void *call_until_stopped(void *context)
{
	struct caller *caller = context;
	const struct sched_param normal = { .sched_priority = 0 };

	sched_setscheduler(0, SCHED_OTHER, &normal);
	stay_on(caller->cpu);
	while (!__atomic_load_n(&caller->stop, __ATOMIC_RELAXED)) {
		leaf(1);
		__atomic_add_fetch(&caller->calls, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Before whatever else wants its CPU: the other thread runs only while this one waits, and so not
 * between two steps of closing, but while the kernel detaches, where exits are hit for longer than
 * entries. False: not permitted. */
static bool come_first(bool first)
{
	const struct sched_param param = { .sched_priority = first };

	return sched_setscheduler(0, first ? SCHED_FIFO : SCHED_OTHER, &param) == 0;
}

static void test_hits_while_detaching_cost_nothing(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS);
	struct caller caller = { .cpu = sched_getcpu() };
	cpu_set_t before;
	pthread_t thread;
	uint64_t calls;

	(void)state;
	add(&watch, TARGET(leaf));
	begin(&watch);
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	if (stay_on(caller.cpu) < 0 || !come_first(true)) {
		done(&watch);
		print_message("this thread cannot come before others\n");
		skip();
	}
	assert_int_equal(pthread_create(&thread, NULL, call_until_stopped, &caller), 0);
	while (!__atomic_load_n(&caller.calls, __ATOMIC_RELAXED))
		sleep_ms(1);
	calls = __atomic_load_n(&caller.calls, __ATOMIC_RELAXED);
	end(&watch);
	__atomic_store_n(&caller.stop, 1, __ATOMIC_RELAXED);
	come_first(false);
	sched_setaffinity(0, sizeof(before), &before);
	pthread_join(thread, NULL);
	assert_in_range(watch.reading.cost.hits, 2 * calls, 2 * calls + 2);
	assert_in_range(counts_of(&watch, 0).entries, calls, calls + 1);
	done(&watch);
}

/* One of many that cannot be probed is found, and does no harm to the others. */
static void test_a_bad_place_among_good_ones(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS);
	struct probe_target bad = TARGET(leaf);

	(void)state;
	bad.offset = 1ULL << 40;
	add(&watch, TARGET(leaf));
	add(&watch, bad);
	add(&watch, TARGET(recurse));
	begin(&watch);
	leaf(1);
	recurse(2);
	end(&watch);
	assert_int_equal(probes_outcome(watch.probes, 1)->mechanism, PROBE_NONE);
	assert_int_not_equal(probes_outcome(watch.probes, 1)->why[0], 0);
	assert_int_equal(counts_of(&watch, 0).exits, 1);
	assert_int_equal(counts_of(&watch, 2).exits, 3);
	done(&watch);
}

static void test_no_place_at_all(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS);
	struct probe_target bad = TARGET(leaf);
	struct err err;
	int rc;

	(void)state;
	bad.path = "/nonexistent";
	add(&watch, bad);
	watch.options.targets = watch.targets;
	rc = probes_new(&watch.options, &watch.probes, &err);
	if (rc < 0)
		skip();
	assert_int_equal(probes_attach(watch.probes, &err), -ENOENT);
	assert_non_null(strstr(err.text, "cannot be watched"));
	done(&watch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hits_while_detaching_cost_nothing),
		cmocka_unit_test(test_a_bad_place_among_good_ones),
		cmocka_unit_test(test_no_place_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
