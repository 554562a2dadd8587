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

/* As the importer does it: first the tasks are told, then it is mapped. */
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
