/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes: found by a scan, born by fork, becoming other programs by exec. */
#include "model/machine_world.h"

static void test_scanned_process(void **state)
{
	struct world *world = *state;
	struct mapping found;

	assert_name(world, SHELL, "bash#1");
	assert_string_equal(text(world, row_of(world, SHELL)->container), "web");
	assert_string_equal(text(world, row_of(world, SHELL)->cgroup), "/lxc/web");
	assert_int_equal(row_of(world, SHELL)->uid, 1000);
	assert_task(world, SHELL, SHELL, "bash", "bash");
	assert_int_equal(find_code(world, SHELL, 0x12345, &found), CODE_MAPPED);
	assert_int_equal(found.image, world->bash);
	assert_int_equal(find_code(world, SHELL, 0x20000, &found), CODE_UNMAPPED);
	assert_int_equal(find_code(world, 4711, 0x12345, &found), CODE_UNMAPPED);
}

static void test_scanned_names(void **state)
{
	struct world *world = *state;
	struct machine_process script = { .pid = 201,
					  .comm = "a-long-name-of-",
					  .executable = "/usr/bin/python3.11",
					  .script = "a-long-name-of-a-script.py" };
	struct machine_process kernel = {
		.pid = 202, .comm = "kworker/0:1H", .executable = "", .kernel_thread = true
	};
	struct machine_process long_name = { .pid = 203,
					     .comm = "a-long-name-of-",
					     .executable = "/opt/a-long-name-of-a-program" };
	struct machine_process link = { .pid = 204,
					.comm = "another",
					.executable = "/usr/bin/dash",
					.link = "a-long-name-of-a-link" };

	machine_add_process(world->machine, &script);
	machine_add_process(world->machine, &kernel);
	machine_add_process(world->machine, &long_name);
	machine_add_process(world->machine, &link);
	assert_name(world, 201, "a-long-name-of-#1");
	assert_exe(world, 201, "/usr/bin/python3.11");
	assert_exe(world, 202, "");
	assert_name(world, 202, "kworker/0:1H#1");
	assert_true(row_of(world, 202)->kernel_thread);
	assert_name(world, 203, "a-long-name-of-a-program#1");
	assert_name(world, 204, "a-long-name-of-a-link#1");
}

static void test_scan_adds_once(void **state)
{
	struct world *world = *state;
	struct machine_process again = { .pid = SHELL, .comm = "x", .executable = "/x" };
	uint32_t before = machine_process_of(world->machine, SHELL);

	assert_int_equal(machine_add_process(world->machine, &again), before);
	assert_name(world, SHELL, "bash#1");
}

static void test_refresh_finds_a_missed_exec(void **state)
{
	struct world *world = *state;
	struct machine_process now = { .pid = SHELL,
				       .start_ns = row_of(world, SHELL)->start_ns,
				       .comm = "worker",
				       .executable = "/opt/worker" };
	uint32_t before = machine_process_of(world->machine, SHELL);
	struct mapping found;

	assert_int_not_equal(machine_refresh_process(world->machine, 70, &now), before);
	assert_name(world, SHELL, "worker#1");
	assert_int_equal(row(world, before)->end_ns, 70);
	assert_int_equal(row_of(world, SHELL)->parent, before);
	/* nothing of the old program is believed any more */
	assert_int_not_equal(find_code(world, SHELL, 0x12345, &found), CODE_MAPPED);
	before = machine_process_of(world->machine, SHELL);
	assert_int_equal(machine_refresh_process(world->machine, 80, &now), before);
}

static void test_refresh_believes_a_rename(void **state)
{
	struct world *world = *state;
	uint32_t before = machine_process_of(world->machine, SHELL);
	struct machine_process now = { .pid = SHELL,
				       .start_ns = row_of(world, SHELL)->start_ns,
				       .comm = "renamed",
				       .executable = "/usr/bin/bash" };

	assert_int_equal(machine_refresh_process(world->machine, 70, &now), before);
	assert_name(world, SHELL, "bash#1");
}

static void test_refresh_finds_a_reused_pid(void **state)
{
	struct world *world = *state;
	uint32_t before = machine_process_of(world->machine, SHELL);
	struct machine_process now = { .pid = SHELL,
				       .start_ns = row_of(world, SHELL)->start_ns + 1000000000,
				       .comm = "bash",
				       .executable = "/usr/bin/bash" };

	assert_int_not_equal(machine_refresh_process(world->machine, 70, &now), before);
	assert_name(world, SHELL, "bash#2");
	assert_int_equal(row(world, before)->end_ns, 70);
}

static void test_scan_meets_child_first(void **state)
{
	struct world *world = *state;
	struct machine_process child = { .pid = 301, .parent_pid = 302, .comm = "c" };
	struct machine_process parent = { .pid = 302, .parent_pid = 302, .comm = "p" };
	uint32_t id;

	machine_add_process(world->machine, &child);
	id = machine_add_process(world->machine, &parent);
	assert_int_equal(row_of(world, 301)->parent, id);
}

/* What the process did before it executed the command is not the command's. */
static void test_command_begins_with_exec(void **state)
{
	struct world *world = *state;
	uint32_t before = machine_process_of(world->machine, SHELL);

	machine_await_command(world->machine, SHELL);
	machine_comm(world->machine, 20, SHELL, SHELL, "make", true);
	assert_false(row(world, before)->in_command);
	assert_true(row_of(world, SHELL)->in_command);
	machine_comm(world->machine, 30, SHELL, SHELL, "cc", true);
	assert_true(row_of(world, SHELL)->in_command);
}

/* Imports launch nothing; the idle task has the number 0. */
static void test_no_command_without_a_launch(void **state)
{
	struct world *world = *state;

	machine_fork(world->machine, 20, 0, SHELL, 0, SHELL);
	machine_finish(world->machine);
	assert_false(row_of(world, 0)->in_command);
}

/* The record of the exec may be lost. */
static void test_command_whose_exec_was_not_seen(void **state)
{
	struct world *world = *state;

	machine_await_command(world->machine, SHELL);
	machine_finish(world->machine);
	assert_true(row_of(world, SHELL)->in_command);
}

static void test_fork_inherits(void **state)
{
	struct world *world = *state;
	const struct process *child;
	struct mapping found;

	machine_set_command(world->machine, SHELL);
	machine_fork(world->machine, 20, 101, SHELL, 101, SHELL);
	child = row_of(world, 101);
	assert_name(world, 101, "bash#2");
	assert_int_equal(child->parent, machine_process_of(world->machine, SHELL));
	assert_int_equal(child->start_ns, 20);
	assert_int_equal(child->uid, 1000);
	assert_int_equal(child->exec_count, 0);
	assert_true(child->in_command);
	assert_string_equal(text(world, child->container), "web");
	assert_int_equal(find_code(world, 101, 0x10000, &found), CODE_MAPPED);
	/* Shared until changed: neither sees what the other maps. */
	map(world, 101, 0x10000, world->libc);
	find_code(world, SHELL, 0x10000, &found);
	assert_int_equal(found.image, world->bash);
	find_code(world, 101, 0x10000, &found);
	assert_int_equal(found.image, world->libc);
}

static void test_exec(void **state)
{
	struct world *world = *state;
	const struct process *before, *after;
	struct mapping found;

	machine_fork(world->machine, 20, 101, SHELL, 101, SHELL);
	machine_comm(world->machine, 30, 101, 101, "python3.11", true);
	assert_int_equal(find_code(world, 101, 0x10000, &found), CODE_EXEC);
	map(world, 101, 0x400000, world->python);
	assert_name(world, 101, "python3.11#1");
	after = row_of(world, 101);
	before = row(world, after->parent);
	assert_int_equal(before->pid, 101);
	assert_int_equal(before->end_ns, 30);
	assert_int_equal(before->exec_count, 0);
	assert_string_equal(text(world, before->program), "bash");
	assert_int_equal(after->exec_count, 1);
	assert_int_equal(after->start_ns, 20);
	assert_int_equal(after->end_ns, 0);
	/* What is left of the old program's registers is exec's until the vdso is there. */
	map(world, 101, 0x500000, world->libc);
	assert_int_equal(find_code(world, 101, 0x10000, &found), CODE_EXEC);
	assert_int_equal(find_code(world, 101, 0x400000, &found), CODE_MAPPED);
	map(world, 101, 0x600000, world->vdso);
	assert_int_equal(find_code(world, 101, 0x10000, &found), CODE_UNMAPPED);
}

/* A program without an interpreter or vdso maps more than an exec does. */
static void test_exec_ends_at_the_third_mapping(void **state)
{
	struct world *world = *state;
	struct mapping found;

	spawn(world, 101, "bash", world->bash);
	map(world, 101, 0x400000, world->bash); /* twice: from two tracking events */
	map(world, 101, 0x500000, world->libc);
	map(world, 101, 0x500000, world->libc);
	assert_int_equal(find_code(world, 101, 0x10000, &found), CODE_EXEC);
	map(world, 101, 0x600000, world->libc);
	assert_int_equal(find_code(world, 101, 0x10000, &found), CODE_UNMAPPED);
}

/* A static program has no interpreter: its vdso is the second range, and the last. */
static void test_exec_ends_at_the_vdso(void **state)
{
	struct world *world = *state;
	struct mapping found;

	spawn(world, 101, "bash", world->bash);
	map(world, 101, 0x500000, world->vdso);
	assert_int_equal(find_code(world, 101, 0x10000, &found), CODE_UNMAPPED);
}

static void test_program_of_exec(void **state)
{
	struct world *world = *state;
	uint32_t long_name = add_image(world, IMAGE_FILE, "/opt/a-long-name-of-a-program");
	uint32_t memfd = add_image(world, IMAGE_FILE, "/memfd:runc_cloned:/proc/self/exe");

	spawn(world, 101, "sh", world->dash); /* a link */
	assert_name(world, 101, "sh#1");
	assert_exe(world, 101, "/usr/bin/dash");
	spawn(world, 102, "backup.py", world->python); /* a script */
	assert_name(world, 102, "backup.py#1");
	assert_exe(world, 102, "/usr/bin/python3.11");
	spawn(world, 103, "a-long-name-of-", long_name);
	assert_name(world, 103, "a-long-name-of-a-program#1");
	spawn(world, 104, "7", world->python); /* fexecve */
	assert_name(world, 104, "python3.11#1");
	spawn(world, 110, "exe", world->python); /* /proc/self/exe */
	assert_name(world, 110, "python3.11#2");
	spawn(world, 105, "6", memfd);
	assert_name(world, 105, "6#1");
	assert_int_equal(world->questions, 0);
	spawn(world, 106, "bas", world->bash); /* a beginning of the name is not the name */
	assert_name(world, 106, "bas#1");
	spawn(world, 107, "a-long-name-of-", long_name);
	assert_name(world, 107, "a-long-name-of-a-program#2");
	assert_int_equal(world->questions, 0);
	spawn(world, 108, "a-long-name-of-", world->dash);
	assert_name(world, 108, "a-long-name-of-a-shell#1");
	spawn(world, 109, "a-long-name-of-", world->python); /* a script */
	assert_name(world, 109, "a-long-name-of-#1");
	assert_int_equal(world->questions, 2);
}

/* A child is what its parent is, until it executes something itself. */
static void test_executable_of_a_child(void **state)
{
	struct world *world = *state;

	machine_fork(world->machine, 20, 101, SHELL, 101, SHELL);
	assert_exe(world, 101, "/usr/bin/bash");
	machine_comm(world->machine, 30, 101, 101, "sh", true);
	assert_exe(world, 101, "");
	map(world, 101, 0x400000, world->dash);
	map(world, 101, 0x500000, world->libc);
	assert_exe(world, 101, "/usr/bin/dash");
}

/* Samples between exec and the first mapping refer to the row that is settled later. */
static void test_sample_before_settling(void **state)
{
	struct world *world = *state;
	uint32_t task, process;

	machine_fork(world->machine, 20, 101, SHELL, 101, SHELL);
	machine_comm(world->machine, 30, 101, 101, "sh", true);
	process = machine_process_of(world->machine, 101);
	assert_string_equal(text(world, row(world, process)->program), "sh");
	assert_int_equal(row(world, process)->instance, 0);
	task = machine_task(world->machine, 31, 101, 101, NULL);
	world->profile->processes.items[process].dirty = false;
	map(world, 101, 0x400000, world->dash);
	assert_int_equal(machine_process_of(world->machine, 101), process);
	assert_name(world, 101, "sh#1");
	assert_true(row(world, process)->dirty);
	assert_int_equal(machine_task(world->machine, 32, 101, 101, NULL), task);
	/* Libraries that follow change nothing. */
	map(world, 101, 0x500000, world->libc);
	assert_name(world, 101, "sh#1");
}

/* Whatever ends the wait without a mapping: the comm it is. */
static void test_unsettled_ends(void **state)
{
	struct world *world = *state;
	uint32_t dead;

	for (int32_t pid = 101; pid <= 104; pid++) {
		machine_fork(world->machine, 20, pid, SHELL, pid, SHELL);
		machine_comm(world->machine, 30, pid, pid, "lost", true);
	}
	dead = machine_process_of(world->machine, 101);
	machine_exit(world->machine, 40, 101, 101);
	assert_int_equal(row(world, dead)->instance, 1);
	machine_fork(world->machine, 40, 110, 102, 110, 102);
	assert_name(world, 102, "lost#2");
	assert_name(world, 110, "lost#3");
	machine_comm(world->machine, 41, 103, 103, "bash", true);
	assert_name(world, 103, "bash#0");
	machine_finish(world->machine);
	assert_int_equal(row_of(world, 104)->end_ns, 0);
	assert_int_equal(row(world, row_of(world, 103)->parent)->instance, 4);
	assert_name(world, 104, "lost#5");
}

static void test_anonymous_mapping_settles_nothing(void **state)
{
	struct world *world = *state;

	machine_fork(world->machine, 20, 101, SHELL, 101, SHELL);
	machine_comm(world->machine, 30, 101, 101, "sh", true);
	map(world, 101, 0x300000, add_image(world, IMAGE_ANON, "//anon"));
	assert_int_equal(row_of(world, 101)->instance, 0);
	map(world, 101, 0x400000, world->dash);
	assert_name(world, 101, "sh#1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(test_scanned_process),
		IN_WORLD(test_scanned_names),
		IN_WORLD(test_scan_adds_once),
		IN_WORLD(test_refresh_finds_a_missed_exec),
		IN_WORLD(test_refresh_believes_a_rename),
		IN_WORLD(test_refresh_finds_a_reused_pid),
		IN_WORLD(test_scan_meets_child_first),
		IN_WORLD(test_command_begins_with_exec),
		IN_WORLD(test_command_whose_exec_was_not_seen),
		IN_WORLD(test_no_command_without_a_launch),
		IN_WORLD(test_fork_inherits),
		IN_WORLD(test_exec),
		IN_WORLD(test_exec_ends_at_the_third_mapping),
		IN_WORLD(test_exec_ends_at_the_vdso),
		IN_WORLD(test_program_of_exec),
		IN_WORLD(test_executable_of_a_child),
		IN_WORLD(test_sample_before_settling),
		IN_WORLD(test_unsettled_ends),
		IN_WORLD(test_anonymous_mapping_settles_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
