/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "import/import_tasks.h"

struct world {
	struct profile *profile;
	struct machine *machine;
	struct import_tasks *tasks;
};

static int begin(void **state)
{
	static struct world world;

	world.profile = profile_new();
	world.machine = machine_new(world.profile, NULL, NULL);
	world.tasks = import_tasks_new(world.machine);
	*state = &world;
	return 0;
}

static int end(void **state)
{
	struct world *world = *state;

	import_tasks_free(world->tasks);
	machine_free(world->machine);
	profile_free(world->profile);
	return 0;
}

/* In the order of the importer: tasks first, then the machine. */
static void map(struct world *world, uint64_t time_ns, int32_t pid, const char *path)
{
	struct image image = { .kind = IMAGE_FILE,
			       .path = strpool_intern(&world->profile->strings, path) };
	struct mapping mapping = { .start = 0x1000, .end = 0x2000 };

	import_tasks_map(world->tasks, time_ns, pid, path);
	mapping.image = profile_image(world->profile, &image);
	machine_map(world->machine, time_ns, pid, &mapping);
}

static const struct process *row_of(struct world *world, int32_t pid)
{
	import_tasks_settle(world->tasks, pid);
	return &world->profile->processes.items[machine_process_of(world->machine, pid)];
}

static void check_program(struct world *world, int32_t pid, const char *program)
{
	const struct process *row = row_of(world, pid);

	assert_int_equal(row->pid, pid);
	assert_string_equal(profile_text(world->profile, row->program), program);
}

static void the_announced_run_what_they_have_mapped_first(void **state)
{
	struct world *world = *state;

	import_tasks_fork(world->tasks, 0, 10, 1, 10, 1);
	import_tasks_comm(world->tasks, 0, 10, 10, "long-named-serv", false, true);
	map(world, 0, 10, "/usr/sbin/long-named-server");
	map(world, 0, 10, "/lib/libc.so");
	import_tasks_comm(world->tasks, 0, 10, 11, "worker", false, true);
	check_program(world, 10, "long-named-server");
	assert_true(machine_tid_alive(world->machine, 11));
}

/* A fork among the announcements is no birth: the parent's program is not the child's. */
static void the_announced_are_not_young(void **state)
{
	struct world *world = *state;

	import_tasks_comm(world->tasks, 0, 1, 1, "systemd", false, true);
	map(world, 0, 1, "/sbin/systemd");
	import_tasks_fork(world->tasks, 0, 10, 1, 10, 1);
	import_tasks_comm(world->tasks, 0, 10, 10, "nginx", false, true);
	map(world, 0, 10, "/usr/sbin/nginx");
	check_program(world, 10, "nginx");
}

static void kernel_threads_have_kthreadd_as_parent(void **state)
{
	struct world *world = *state;

	import_tasks_fork(world->tasks, 0, 20, 2, 20, 2);
	import_tasks_comm(world->tasks, 0, 20, 20, "kworker/0:1", false, true);
	check_program(world, 20, "kworker/0:1");
	assert_true(row_of(world, 20)->kernel_thread);
	import_tasks_comm(world->tasks, 0, 21, 21, "bash", false, true);
	assert_false(row_of(world, 21)->kernel_thread);
}

static void without_mappings_the_name_is_the_program(void **state)
{
	struct world *world = *state;

	import_tasks_comm(world->tasks, 0, 30, 30, "quiet", false, true);
	check_program(world, 30, "quiet");
}

static void a_real_fork_has_its_parents_program(void **state)
{
	struct world *world = *state;

	import_tasks_comm(world->tasks, 0, 40, 40, "make", false, true);
	import_tasks_fork(world->tasks, 100, 41, 40, 41, 40);
	check_program(world, 41, "make");
	import_tasks_comm(world->tasks, 200, 41, 41, "cc", true, true);
	map(world, 210, 41, "/usr/bin/cc");
	check_program(world, 41, "cc");
	assert_int_equal(row_of(world, 41)->exec_count, 1);
}

static void old_kernels_exec_shows_in_the_next_mapping(void **state)
{
	struct world *world = *state;

	import_tasks_comm(world->tasks, 0, 50, 50, "perf", false, false);
	map(world, 0, 50, "/usr/bin/perf");
	import_tasks_comm(world->tasks, 100, 50, 50, "echo", false, false);
	map(world, 110, 50, "/bin/echo");
	check_program(world, 50, "echo");
	/* another name, and then a library: no exec */
	import_tasks_comm(world->tasks, 200, 50, 50, "renamed", false, false);
	map(world, 210, 50, "/lib/libm.so");
	check_program(world, 50, "echo");
}

/* ---- repetitions ---- */

enum { FIRST, SECOND, THIRD };

static bool repeats(void *state, struct perf_record record, size_t event)
{
	record.pid = record.pid ? record.pid : 10;
	record.tid = record.tid ? record.tid : record.pid;
	record.time_ns = 100;
	return import_tasks_repeats(((struct world *)state)->tasks, &record, event);
}

static struct perf_record forked(int32_t parent)
{
	return (struct perf_record){ .type = PERF_RECORD_FORK, .task = { parent, parent } };
}

static struct perf_record left(void)
{
	return (struct perf_record){ .type = PERF_RECORD_EXIT, .task = { 5, 5 } };
}

static struct perf_record named(const char *comm)
{
	return (struct perf_record){ .type = PERF_RECORD_COMM, .comm = { comm, true } };
}

static const struct perf_record mapped = { .type = PERF_RECORD_MMAP2 };
static const struct perf_record sampled = { .type = PERF_RECORD_SAMPLE };

static void each_event_tells_a_life_and_one_counts(void **state)
{
	assert_false(repeats(*state, forked(5), FIRST));
	assert_true(repeats(*state, forked(5), SECOND));
	assert_false(repeats(*state, sampled, SECOND));
	assert_true(repeats(*state, forked(5), THIRD));
	assert_false(repeats(*state, named("cat"), FIRST));
	assert_true(repeats(*state, named("cat"), SECOND));
	assert_false(repeats(*state, mapped, FIRST));
	assert_false(repeats(*state, mapped, SECOND));
	assert_false(repeats(*state, left(), FIRST));
	assert_true(repeats(*state, left(), SECOND));
}

/* A number that is used again is another process, even if its end was lost. */
static void what_the_same_event_tells_again_happened_again(void **state)
{
	assert_false(repeats(*state, forked(5), FIRST));
	assert_true(repeats(*state, forked(5), SECOND));
	assert_false(repeats(*state, forked(5), FIRST));
	assert_true(repeats(*state, forked(5), SECOND));
	assert_false(repeats(*state, named("sh"), FIRST));
	assert_false(repeats(*state, mapped, FIRST));
	assert_false(repeats(*state, named("sh"), SECOND));
}

/* Each event covers some of the CPUs: records that differ are all true. */
static void what_differs_is_no_repetition(void **state)
{
	assert_false(repeats(*state, forked(5), FIRST));
	assert_false(repeats(*state, left(), SECOND));
	assert_false(repeats(*state, forked(5), SECOND));
	assert_false(repeats(*state, forked(6), FIRST));
	assert_false(repeats(*state, named("cat"), FIRST));
	assert_false(repeats(*state, named("dog"), SECOND));
}

/* perf makes records of what was there before, at no time. */
static void announcements_are_no_repetition(void **state)
{
	struct world *world = *state;
	struct perf_record announced = forked(5);

	announced.pid = announced.tid = 10;
	assert_false(import_tasks_repeats(world->tasks, &announced, FIRST));
	assert_false(repeats(*state, forked(5), SECOND));
	assert_true(repeats(*state, forked(5), FIRST));
}

static void threads_are_told_apart(void **state)
{
	struct perf_record thread = forked(10), other = forked(10);

	thread.tid = 11;
	other.tid = 12;
	assert_false(repeats(*state, thread, FIRST));
	assert_false(repeats(*state, other, SECOND));
	assert_true(repeats(*state, thread, SECOND));
	assert_true(repeats(*state, other, FIRST));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_announced_run_what_they_have_mapped_first,
						begin, end),
		cmocka_unit_test_setup_teardown(the_announced_are_not_young, begin, end),
		cmocka_unit_test_setup_teardown(kernel_threads_have_kthreadd_as_parent, begin, end),
		cmocka_unit_test_setup_teardown(without_mappings_the_name_is_the_program, begin,
						end),
		cmocka_unit_test_setup_teardown(a_real_fork_has_its_parents_program, begin, end),
		cmocka_unit_test_setup_teardown(old_kernels_exec_shows_in_the_next_mapping, begin,
						end),
		cmocka_unit_test_setup_teardown(each_event_tells_a_life_and_one_counts, begin, end),
		cmocka_unit_test_setup_teardown(what_the_same_event_tells_again_happened_again,
						begin, end),
		cmocka_unit_test_setup_teardown(what_differs_is_no_repetition, begin, end),
		cmocka_unit_test_setup_teardown(announcements_are_no_repetition, begin, end),
		cmocka_unit_test_setup_teardown(threads_are_told_apart, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
