/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/merge.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SECOND 1000000000ULL

/* A recording of ten seconds on two processors, with an event. */
static struct profile *new_recording(const char *boot, uint64_t start_s, uint64_t real_s)
{
	struct profile *profile = profile_new();

	profile_set_text(&profile->run.boot_id, boot);
	profile_set_text(&profile->run.machine_id, boot[0] ? "m" : "");
	profile_set_text(&profile->run.scope, "machine");
	profile->run.cpus = 2;
	profile->run.start_ns = start_s * SECOND;
	profile->run.end_ns = (start_s + 10) * SECOND;
	profile->run.start_realtime_ns = real_s * SECOND;
	profile->events[profile->event_count++] =
		(struct event){ .name = strpool_intern(&profile->strings, "cpu-clock"),
				.unit = strpool_intern(&profile->strings, "ns"),
				.clock = CLOCK_TIMER,
				.rate_hz = 97,
				.samples = 3,
				.weight = 30,
				.loss[LOSS_RING_FULL] = { 1, 10 } };
	return profile;
}

static uint32_t add_process(struct profile *profile, int32_t pid, const char *program,
			    uint64_t start_ns, uint64_t end_ns)
{
	return profile_add_process(
		profile, &(struct process){ .pid = pid,
					    .program = strpool_intern(&profile->strings, program),
					    .start_ns = start_ns,
					    .end_ns = end_ns,
					    .instance = 1 });
}

static uint32_t add_image(struct profile *profile, enum image_kind kind, const char *path,
			  uint8_t build_id, uint64_t inode)
{
	return profile_image(profile,
			     &(struct image){ .kind = kind,
					      .path = strpool_intern(&profile->strings, path),
					      .build_id = { build_id },
					      .build_id_size = build_id != 0,
					      .inode = inode });
}

static void add(struct merge *merge, struct profile *from, struct merge_map *ret_map)
{
	struct err err;

	assert_int_equal(merge_add(merge, from, from->run.end_ns, ret_map, &err), 0);
}

static const struct process *row(const struct profile *profile, const struct merge_map *map,
				 uint32_t process)
{
	return &profile->processes.items[map->processes.items[process]];
}

/* sh runs through both recordings; another becomes make in the first and ends in the second. */
static void test_processes_that_go_on(void **state)
{
	struct profile *into = profile_new();
	struct profile *one = new_recording("a", 100, 5000), *two = new_recording("a", 111, 5011);
	struct merge *merge = merge_new(into);
	struct merge_map first, second;
	/* Starts are those of records in the first, and of /proc in the second. */
	uint32_t sh = add_process(one, 7, "sh", 105 * SECOND + 1234567, 0);
	uint32_t forked = add_process(one, 8, "sh", 106 * SECOND + 7654321, 107 * SECOND);
	uint32_t make = add_process(one, 8, "make", 106 * SECOND + 7654321, 0);
	uint32_t sh_later = add_process(two, 7, "sh", 105 * SECOND, 0);
	uint32_t make_later = add_process(two, 8, "make", 106 * SECOND, 112 * SECOND);
	uint32_t reused = add_process(two, 8, "sh", 113 * SECOND, 0);

	(void)state;
	two->processes.items[reused].parent = sh_later;
	add(merge, one, &first);
	add(merge, two, &second);
	assert_int_equal(second.processes.items[sh_later], first.processes.items[sh]);
	assert_int_equal(second.processes.items[make_later], first.processes.items[make]);
	assert_int_equal(row(into, &first, make)->end_ns, 112 * SECOND);
	assert_int_equal(row(into, &first, forked)->end_ns, 107 * SECOND);
	assert_int_equal(row(into, &second, reused)->instance, 3);
	assert_int_equal(row(into, &second, reused)->parent, first.processes.items[sh]);
	assert_int_equal(into->processes.count, 5);
	merge_map_done(&first);
	merge_map_done(&second);
	merge_free(merge);
	profile_free(one);
	profile_free(two);
	profile_free(into);
}

/* What is the same on two machines, and what only looks like it. */
static void test_two_machines(void **state)
{
	struct profile *into = profile_new();
	struct profile *one = new_recording("a", 100, 5000), *two = new_recording("b", 900, 5002);
	struct merge *merge = merge_new(into);
	struct merge_map first, second;
	uint32_t libraries[2], programs[2], kernels[2], buckets[2], processes[2];
	struct profile *both[] = { one, two };
	struct sample sample = { .time_ns = 901 * SECOND }, unknown = { 0 };

	(void)state;
	profile_set_text(&two->run.machine_id, "n");
	for (int i = 0; i < 2; i++) {
		libraries[i] = add_image(both[i], IMAGE_FILE, "/lib/c.so", 1, 10 + (uint64_t)i);
		programs[i] = add_image(both[i], IMAGE_FILE, "/bin/x", 0, 20);
		kernels[i] = add_image(both[i], IMAGE_KERNEL, "[kernel]", 0, 0);
		buckets[i] = profile_bucket(both[i], "[unmapped]");
		processes[i] = add_process(both[i], 1, "init", 0, 0);
	}
	add(merge, one, &first);
	add(merge, two, &second);
	assert_int_equal(first.images.items[libraries[0]], second.images.items[libraries[1]]);
	assert_int_not_equal(first.images.items[programs[0]], second.images.items[programs[1]]);
	assert_int_not_equal(first.images.items[kernels[0]], second.images.items[kernels[1]]);
	assert_int_equal(first.images.items[buckets[0]], second.images.items[buckets[1]]);
	assert_int_not_equal(first.processes.items[processes[0]],
			     second.processes.items[processes[1]]);
	assert_int_equal(merge_machines(merge), 2);
	/* The second began two seconds later, whatever its own clock said. */
	assert_int_equal(merge_sample(&second, &sample).time_ns, 103 * SECOND);
	assert_int_equal(merge_sample(&second, &unknown).time_ns, 0);
	assert_int_equal(into->run.cpus, 4);
	assert_int_equal(into->run.capacity_ns, 40 * SECOND);
	assert_int_equal(into->run.gap_ns, 0);
	assert_string_equal(into->run.machine_id, "m, n");
	merge_map_done(&first);
	merge_map_done(&second);
	merge_free(merge);
	profile_free(one);
	profile_free(two);
	profile_free(into);
}

/* A name that one of them has is for both; who woke a thread is a row, too; code in memory belongs
 * to its process. */
static void test_stacks(void **state)
{
	struct profile *into = profile_new(), *both[2];
	struct merge *merge = merge_new(into);
	struct merge_map maps[2];
	uint32_t leaves[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct profile *from = both[i] = new_recording("a", 100 + 20 * (uint64_t)i, 5000);
		uint32_t other = i ? add_process(from, 3, "other", 0, 0) : 0;
		uint32_t process = add_process(from, 2, "x", 0, 0);
		uint32_t task = profile_task(from, &(struct task){ process, 2, 0 });
		uint32_t file = add_image(from, IMAGE_FILE, "/bin/x", 1, 0);
		uint32_t memory = add_image(from, IMAGE_ANON, "//anon", 0, process);
		uint32_t wait = add_image(from, IMAGE_WAIT, "[lock]", 0, 0);
		uint32_t symbol = profile_symbol(
			from, &(struct symbol){ .image = file,
						.name = strpool_intern(&from->strings, "main"),
						.kind = i ? SYMBOL_NAMED : SYMBOL_NONE });
		uint32_t stack = profile_stack(
			from, 0,
			profile_frame(from, &(struct frame){ .image = file, .symbol = symbol }));

		assert_true(i == 0 || other);
		stack = profile_stack(from, stack,
				      profile_frame(from, &(struct frame){ .image = memory }));
		leaves[i] = profile_stack(
			from, stack,
			profile_frame(from, &(struct frame){ .image = wait, .offset = task }));
		add(merge, from, &maps[i]);
	}
	assert_int_equal(maps[0].stacks.items[leaves[0]], maps[1].stacks.items[leaves[1]]);
	assert_int_equal(into->stacks.count, 4);
	assert_int_equal(into->symbols.items[into->frames.items[1].symbol].kind, SYMBOL_NAMED);
	assert_true(into->frames.items[1].dirty);
	for (int i = 0; i < 2; i++) {
		merge_map_done(&maps[i]);
		profile_free(both[i]);
	}
	merge_free(merge);
	profile_free(into);
}

static void test_runs(void **state)
{
	struct profile *into = profile_new();
	struct profile *one = new_recording("a", 100, 5000), *two = new_recording("a", 140, 5040);
	struct merge *merge = merge_new(into);
	struct merge_map maps[2];

	(void)state;
	profile_set_text(&one->run.not_visible, "first\nsecond");
	profile_set_text(&two->run.not_visible, "sec\nsecond\nfirst");
	profile_set_text(&two->run.scope, "command");
	two->run.max_rss_kb = 9;
	two->run.idle_ns = one->run.idle_ns = 4;
	two->events[0].rate_hz = 997;
	add(merge, one, &maps[0]);
	add(merge, two, &maps[1]);
	assert_string_equal(into->run.not_visible, "first\nsecond\nsec");
	assert_string_equal(into->run.scope, "mixed");
	assert_int_equal(into->run.max_rss_kb, 9);
	assert_int_equal(into->run.idle_ns, 8);
	assert_int_equal(into->run.start_ns, 100 * SECOND);
	assert_int_equal(into->run.end_ns, 150 * SECOND);
	assert_int_equal(into->run.capacity_ns, 40 * SECOND);
	assert_int_equal(into->run.gap_ns, 60 * SECOND);
	assert_int_equal(into->event_count, 1);
	assert_int_equal(into->events[0].samples, 6);
	assert_int_equal(into->events[0].loss[LOSS_RING_FULL].weight, 20);
	assert_true(into->events[0].rate_hz < 1);
	merge_map_done(&maps[0]);
	merge_map_done(&maps[1]);
	merge_free(merge);
	profile_free(one);
	profile_free(two);
	profile_free(into);
}

/* One that did not finish has the account of the parts that are known. */
static void test_unfinished(void **state)
{
	struct profile *into = profile_new(), *one = new_recording("a", 100, 5000);
	struct merge *merge = merge_new(into);
	const struct cpu_time time = { 100 * SECOND, 103 * SECOND, 6 * SECOND, 2 * SECOND,
				       SECOND,	     SECOND,	   0 };
	struct merge_map map;

	(void)state;
	one->run.end_ns = 0;
	one->run.idle_ns = one->run.iowait_ns = one->run.steal_ns = 0;
	profile_add_cpu_time(one, &time);
	add(merge, one, &map);
	merge_map_done(&map);
	assert_int_equal(into->run.capacity_ns, 6 * SECOND);
	assert_int_equal(into->run.idle_ns, 2 * SECOND);
	assert_int_equal(into->run.iowait_ns, SECOND);
	assert_int_equal(into->run.steal_ns, SECOND);
	merge_free(merge);
	profile_free(one);
	profile_free(into);
}

/* The machine was suspended for an hour: its clock stood still, and one of its processes goes on. */
static void test_suspended(void **state)
{
	struct profile *into = profile_new();
	struct profile *one = new_recording("a", 100, 5000), *two = new_recording("a", 110, 8610);
	struct merge *merge = merge_new(into);
	struct merge_map map;
	size_t processes;

	(void)state;
	add_process(one, 7, "sh", 50 * SECOND, 0);
	add_process(two, 7, "sh", 50 * SECOND, 0);
	profile_add_mark(two, 113 * SECOND, "after");
	add(merge, one, &map);
	merge_map_done(&map);
	processes = into->processes.count;
	add(merge, two, &map);
	merge_map_done(&map);
	assert_int_equal(into->marks.items[0].time_ns, (113 + 3600) * SECOND);
	assert_int_equal(into->processes.count, processes);
	assert_int_equal(into->run.gap_ns, 2 * 3600 * SECOND);
	merge_free(merge);
	profile_free(one);
	profile_free(two);
	profile_free(into);
}

/* Marks of another machine are where they were by the time of day. */
static void test_marks(void **state)
{
	struct profile *into = profile_new();
	struct profile *one = new_recording("a", 100, 5000), *two = new_recording("b", 7, 5020);
	struct merge *merge = merge_new(into);
	struct merge_map map;

	(void)state;
	assert_true(profile_add_mark(one, 103 * SECOND, "begin"));
	assert_true(profile_add_mark(two, 8 * SECOND, "end"));
	profile_add_cpu_time(two, &(struct cpu_time){ .from_ns = 7 * SECOND, .to_ns = 9 * SECOND });
	add(merge, one, &map);
	merge_map_done(&map);
	add(merge, two, &map);
	merge_map_done(&map);
	assert_int_equal(into->marks.count, 2);
	assert_int_equal(into->marks.items[0].time_ns, 103 * SECOND);
	assert_string_equal(profile_text(into, into->marks.items[0].text), "begin");
	assert_int_equal(into->marks.items[1].time_ns, 121 * SECOND);
	assert_int_equal(into->cpu_times.count, 1);
	assert_int_equal(into->cpu_times.items[0].from_ns, 120 * SECOND);
	assert_int_equal(into->cpu_times.items[0].to_ns, 122 * SECOND);
	assert_string_equal(profile_text(into, into->marks.items[1].text), "end");
	merge_free(merge);
	profile_free(one);
	profile_free(two);
	profile_free(into);
}

static void test_too_many_events(void **state)
{
	struct profile *into = profile_new(), *one = new_recording("a", 100, 5000);
	struct merge *merge = merge_new(into);
	struct merge_map map;
	struct err err;

	(void)state;
	for (char name[] = "a"; one->event_count < PROFILE_MAX_EVENTS; name[0]++)
		one->events[one->event_count++] =
			(struct event){ .name = strpool_intern(&one->strings, name) };
	add(merge, one, &map);
	merge_map_done(&map);
	one->events[0].unit = 0;
	assert_int_equal(merge_add(merge, one, one->run.end_ns, &map, &err), -E2BIG);
	merge_map_done(&map);
	merge_free(merge);
	profile_free(one);
	profile_free(into);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_processes_that_go_on),
		cmocka_unit_test(test_two_machines),
		cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_unfinished),
		cmocka_unit_test(test_suspended),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_too_many_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
