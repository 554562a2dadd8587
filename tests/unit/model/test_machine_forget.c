/* SPDX-License-Identifier: GPL-2.0-or-later */
/* However many programs are executed, only so many rows are held; the file gets all of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec.h"
#include "model/machine.h"

enum {
	SHELL = 100,
	DAEMON = 101,
	FIRST = 1000, /* pid; they come again after a while, as the kernel's do */
	PIDS = 30000,
	PROGRAMS = 65536,
	PER_FLUSH = 400,
	MOST_HELD = 8192, /* rows */
};

/* What a flush writes, as the store does: new rows and dirty ones. */
struct file {
	VEC(struct process) processes;
	VEC(struct task) tasks;
};

struct world {
	struct profile *profile;
	struct machine *machine;
	struct file file;
	uint64_t now_ns;
};

static void write_processes(struct world *world)
{
	struct file *file = &world->file;

	for (size_t i = 0; i < world->profile->processes.count; i++) {
		struct process *row = &world->profile->processes.items[i];

		if (i < file->processes.count && !row->dirty)
			continue;
		row->dirty = false;
		if (i == file->processes.count)
			(void)vec_push(&file->processes);
		file->processes.items[i] = *row;
	}
}

static void flush(struct world *world)
{
	write_processes(world);
	for (size_t i = world->file.tasks.count; i < world->profile->tasks.count; i++)
		*vec_push(&world->file.tasks) = world->profile->tasks.items[i];
	machine_forget(world->machine);
}

static uint64_t tick(struct world *world)
{
	return world->now_ns += 1000;
}

static void begin(struct world *world)
{
	const struct machine_process shell = {
		.pid = SHELL, .start_ns = 1, .comm = "bash", .executable = "/bin/bash"
	};

	*world = (struct world){ .profile = profile_new(), .now_ns = 1000000 };
	world->machine = machine_new(world->profile, NULL, NULL);
	machine_add_process(world->machine, &shell);
	machine_add_thread(world->machine, SHELL, SHELL, "bash");
}

static void end(struct world *world)
{
	machine_free(world->machine);
	profile_free(world->profile);
	vec_free(&world->file.processes);
	vec_free(&world->file.tasks);
}

/* fork, exec, a sample, exit, and a sample after it, in the order the kernel reports them. */
static void run_program(struct world *world, int number)
{
	int pid = FIRST + number % PIDS;
	char comm[16];
	uint32_t task;

	snprintf(comm, sizeof(comm), "p%d", number % 7);
	machine_fork(world->machine, tick(world), pid, SHELL, pid, SHELL);
	machine_comm(world->machine, tick(world), pid, pid, comm, true);
	task = machine_task(world->machine, tick(world), pid, pid, NULL);
	machine_exit(world->machine, tick(world), pid, pid);
	assert_int_equal(machine_task(world->machine, tick(world), pid, pid, NULL), task);
}

static size_t held_processes(const struct world *world)
{
	return world->profile->processes.count - world->profile->forgotten_processes;
}

static void expect_bounds(const struct world *world)
{
	assert_true(held_processes(world) < MOST_HELD);
	assert_true(world->profile->tasks.count - world->profile->forgotten_tasks < MOST_HELD);
}

/* Two rows for each: that of the fork, named like the shell, then that of the program. */
static void expect_whole(const struct world *world)
{
	uint32_t instances[7] = { 0 };
	size_t rows = 0;

	for (size_t i = 1; i < world->file.processes.count; i++) {
		const struct process *row = &world->file.processes.items[i];

		assert_int_not_equal(row->pid, 0);
		assert_int_not_equal(row->start_ns, 0);
		if (row->pid < FIRST || !row->exec_count)
			continue;
		assert_int_equal(row->pid, FIRST + (int)(rows % PIDS));
		assert_int_equal(row->instance, ++instances[rows % 7]);
		assert_true(row->end_ns > row->start_ns);
		assert_int_equal(world->file.processes.items[row->parent].pid, row->pid);
		rows++;
	}
	assert_int_equal(rows, PROGRAMS);
	for (size_t i = 1; i < world->file.tasks.count; i++)
		assert_int_equal(
			world->file.processes.items[world->file.tasks.items[i].process].pid,
			world->file.tasks.items[i].tid);
	assert_int_equal(world->file.tasks.count, 1 + PROGRAMS);
}

static void only_so_many_are_held(void **state)
{
	struct world world;
	size_t shell;

	begin(&world);
	shell = machine_process_of(world.machine, SHELL);
	for (int i = 0; i < PROGRAMS; i++) {
		run_program(&world, i);
		if (i % PER_FLUSH == 0) {
			flush(&world);
			expect_bounds(&world);
		}
	}
	flush(&world);
	expect_bounds(&world);
	assert_int_equal(world.profile->processes.items[shell].pid, SHELL);
	expect_whole(&world);
	end(&world);
}

/* What is not in the file yet is never forgotten, however much there is. */
static void nothing_is_forgotten_before_it_is_written(void **state)
{
	struct world world;

	begin(&world);
	for (int i = 0; i < PROGRAMS; i++)
		run_program(&world, i);
	assert_int_equal(world.profile->forgotten_processes, 0);
	flush(&world);
	assert_int_equal(world.profile->forgotten_processes, 0); /* a flush more to be seen */
	flush(&world);
	expect_bounds(&world);
	expect_whole(&world);
	end(&world);
}

/* A daemon's parents have ended long ago; where it comes from is still asked for. */
static void ancestors_of_the_living_are_kept(void **state)
{
	struct world world;
	uint32_t parent;

	begin(&world);
	machine_fork(world.machine, tick(&world), 200, SHELL, 200, SHELL);
	machine_comm(world.machine, tick(&world), 200, 200, "starter", true);
	parent = machine_process_of(world.machine, 200);
	machine_fork(world.machine, tick(&world), DAEMON, 200, DAEMON, 200);
	machine_exit(world.machine, tick(&world), 200, 200);
	for (int i = 0; i < 10000; i++) {
		run_program(&world, i);
		if (i % PER_FLUSH == 0)
			flush(&world);
	}
	assert_true(world.profile->forgotten_processes > 0);
	assert_int_equal(world.profile->processes.items[parent].pid, 200);
	machine_exit(world.machine, tick(&world), DAEMON, DAEMON);
	for (int i = 0; i < 10000; i++) {
		run_program(&world, i);
		if (i % PER_FLUSH == 0)
			flush(&world);
	}
	assert_int_equal(world.profile->processes.items[parent].pid, 0);
	end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_so_many_are_held),
		cmocka_unit_test(nothing_is_forgotten_before_it_is_written),
		cmocka_unit_test(ancestors_of_the_living_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
