/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads, ids that are used again, and what no record reports. */
#include "model/machine_world.h"

static void test_threads(void **state)
{
	struct world *world = *state;
	uint32_t process = machine_process_of(world->machine, SHELL);

	machine_fork(world->machine, 20, SHELL, SHELL, 150, SHELL);
	assert_int_equal(world->profile->processes.count, process + 1);
	assert_task(world, SHELL, 150, "bash", "bash");
	machine_comm(world->machine, 21, SHELL, 150, "worker", false);
	assert_task(world, SHELL, 150, "bash", "worker");
	assert_task(world, SHELL, SHELL, "bash", "bash");
	machine_fork(world->machine, 22, SHELL, SHELL, 151, 150);
	assert_task(world, SHELL, 151, "bash", "worker");
	machine_add_thread(world->machine, SHELL, 152, "scanned");
	assert_task(world, SHELL, 152, "bash", "scanned");
	machine_add_thread(world->machine, SHELL, 152, "again");
	assert_task(world, SHELL, 152, "bash", "again");
}

/* prctl(PR_SET_NAME) changes a thread's name and never a program. */
static void test_rename(void **state)
{
	struct world *world = *state;
	uint32_t before = machine_task(world->machine, 20, SHELL, SHELL, NULL), after;

	machine_comm(world->machine, 21, SHELL, SHELL, "phase-2", false);
	after = machine_task(world->machine, 22, SHELL, SHELL, NULL);
	assert_int_not_equal(before, after);
	assert_task(world, SHELL, SHELL, "bash", "phase-2");
	machine_comm(world->machine, 23, SHELL, SHELL, "bash", false);
	assert_int_equal(machine_task(world->machine, 24, SHELL, SHELL, NULL), before);
}

/* A renamed thread that execs a script: what counts is the comm as of exec. */
static void test_rename_before_settling(void **state)
{
	struct world *world = *state;

	machine_comm(world->machine, 30, SHELL, SHELL, "bash", true);
	machine_comm(world->machine, 31, SHELL, SHELL, "other", false);
	map(world, SHELL, 0x400000, world->bash);
	assert_name(world, SHELL, "bash#2");
}

static void test_leader_exits_first(void **state)
{
	struct world *world = *state;
	uint32_t process = machine_process_of(world->machine, SHELL);
	struct mapping found;

	machine_fork(world->machine, 20, SHELL, SHELL, 150, SHELL);
	machine_exit(world->machine, 30, SHELL, SHELL);
	assert_false(machine_tid_alive(world->machine, SHELL));
	assert_true(machine_tid_alive(world->machine, 150));
	assert_int_equal(row(world, process)->end_ns, 0);
	assert_int_equal(find_code(world, SHELL, 0x10000, &found), CODE_MAPPED);
	assert_task(world, SHELL, 150, "bash", "bash");
	machine_exit(world->machine, 40, SHELL, 150);
	assert_int_equal(row(world, process)->end_ns, 40);
	assert_int_equal(machine_process_of(world->machine, SHELL), 0);
}

/* Thread 150 calls exec: the kernel ends the others, the leader included, and 150 takes over the
 * number of the leader (de_thread in fs/exec.c). No exit of 150 is ever reported. */
static void test_thread_execs(void **state)
{
	struct world *world = *state;

	machine_fork(world->machine, 20, SHELL, SHELL, 150, SHELL);
	machine_fork(world->machine, 20, SHELL, SHELL, 151, SHELL);
	machine_exit(world->machine, 30, SHELL, 151);
	machine_exit(world->machine, 30, SHELL, SHELL);
	machine_comm(world->machine, 31, SHELL, SHELL, "python3.11", true);
	map(world, SHELL, 0x400000, world->python);
	assert_false(machine_tid_alive(world->machine, 150));
	assert_false(machine_tid_alive(world->machine, 151));
	assert_task(world, SHELL, SHELL, "python3.11", "python3.11");
	machine_exit(world->machine, 40, SHELL, SHELL);
	assert_int_equal(machine_process_of(world->machine, SHELL), 0);
}

/* The last samples of a task come after its exit record. */
static void test_sample_after_exit(void **state)
{
	struct world *world = *state;
	size_t rows = world->profile->processes.count;
	uint32_t task = machine_task(world->machine, 20, SHELL, SHELL, NULL);
	bool known = false;

	machine_fork(world->machine, 21, SHELL, SHELL, 150, SHELL);
	machine_comm(world->machine, 22, SHELL, 150, "worker", false);
	machine_exit(world->machine, 30, SHELL, SHELL);
	machine_exit(world->machine, 30, SHELL, 150);
	assert_task(world, SHELL, 150, "bash", "worker");
	assert_false(machine_tid_alive(world->machine, SHELL));
	assert_int_equal(machine_task(world->machine, 31, SHELL, SHELL, &known), task);
	assert_true(known);
	assert_int_equal(world->profile->processes.count, rows);
	/* After a new fork the pid is another process. */
	machine_fork(world->machine, 40, SHELL, 1, SHELL, 1);
	assert_int_not_equal(machine_task(world->machine, 41, SHELL, SHELL, &known), task);
}

static void test_pid_reused_without_exit(void **state)
{
	struct world *world = *state;
	uint32_t first, second;

	spawn(world, 101, "python3.11", world->python);
	first = machine_process_of(world->machine, 101);
	machine_fork(world->machine, 500, 101, SHELL, 101, SHELL);
	second = machine_process_of(world->machine, 101);
	assert_int_not_equal(first, second);
	assert_int_equal(row(world, first)->end_ns, 500);
	assert_int_equal(row(world, second)->start_ns, 500);
	assert_int_equal(row(world, second)->exec_count, 0);
	assert_string_equal(text(world, row(world, second)->program), "bash");
}

/* A thread's number may come back as a process, and a process's as a thread. */
static void test_tid_reused_without_exit(void **state)
{
	struct world *world = *state;
	uint32_t lost;

	machine_fork(world->machine, 20, SHELL, SHELL, 150, SHELL);
	machine_fork(world->machine, 30, 150, SHELL, 150, SHELL);
	assert_task(world, 150, 150, "bash", "bash");
	lost = machine_process_of(world->machine, 150);
	machine_exit(world->machine, 40, SHELL, SHELL);
	assert_int_equal(machine_process_of(world->machine, SHELL), 0);
	machine_fork(world->machine, 50, 200, 1, 200, 1);
	machine_fork(world->machine, 60, 200, 200, 150, 200);
	assert_int_equal(machine_process_of(world->machine, 150), 0);
	assert_int_equal(row(world, lost)->end_ns, 60);
}

/* The ring is read after the scan: its records lead once more to the state that /proc showed. */
static void test_scan_ahead_of_records(void **state)
{
	struct world *world = *state;
	struct machine_process child = { .pid = 101,
					 .parent_pid = SHELL,
					 .start_ns = 1000000000,
					 .comm = "python3.11",
					 .executable = "/usr/bin/python3.11" };
	uint32_t first = machine_add_process(world->machine, &child);

	map(world, 101, 0x400000, world->python);
	machine_fork(world->machine, 1007000000, 101, SHELL, 101, SHELL);
	assert_int_equal(machine_process_of(world->machine, 101), first);
	assert_name(world, 101, "bash#2");
	machine_comm(world->machine, 1007100000, 101, 101, "python3.11", true);
	map(world, 101, 0x400000, world->python);
	assert_name(world, 101, "python3.11#1");
	/* Much later the number is another process's. */
	machine_fork(world->machine, 2000000000, 101, SHELL, 101, SHELL);
	assert_int_not_equal(row_of(world, 101)->parent, first);
	assert_name(world, 101, "bash#3");
}

static void test_unknown_pids(void **state)
{
	struct world *world = *state;
	struct machine_process told = {
		.pid = 500, .parent_pid = SHELL, .comm = "late", .executable = "/usr/bin/late"
	};
	struct mapping found;
	bool known = true;
	uint32_t task = machine_task(world->machine, 20, 500, 501, &known);

	assert_false(known);
	assert_task(world, 500, 501, "[unknown]", "[unknown]");
	map(world, 500, 0x400000, world->libc);
	assert_int_equal(find_code(world, 500, 0x400000, &found), CODE_MAPPED);
	machine_add_process(world->machine, &told);
	machine_add_thread(world->machine, 500, 501, "thread");
	assert_int_equal(world->profile->tasks.items[task].process,
			 machine_process_of(world->machine, 500));
	machine_task(world->machine, 21, 500, 501, &known);
	assert_true(known);
	assert_task(world, 500, 501, "late", "thread");
	machine_comm(world->machine, 30, 600, 600, "told", false);
	assert_task(world, 600, 600, "told", "told");
	machine_exit(world->machine, 30, 700, 700);
	assert_int_equal(machine_process_of(world->machine, 700), 0);
	machine_fork(world->machine, 30, 801, 800, 801, 800);
	assert_name(world, 801, "[unknown]#4");
	machine_comm(world->machine, 30, 900, 900, "bash", true);
	map(world, 900, 0x400000, world->bash);
	assert_name(world, 900, "bash#2");
}

static void test_idle_and_buckets(void **state)
{
	struct world *world = *state;
	uint32_t other = machine_bucket_task(world->machine, "[other namespace]");
	struct mapping found;
	bool known = false;

	assert_task(world, 0, 0, "[idle]", "swapper");
	machine_task(world->machine, 1, 0, 0, &known);
	assert_true(known);
	assert_int_equal(find_code(world, 0, 0x1000, &found), CODE_UNMAPPED);
	assert_int_equal(machine_bucket_task(world->machine, "[other namespace]"), other);
	assert_int_not_equal(machine_bucket_task(world->machine, "[exiting]"), other);
	assert_int_equal(machine_task(world->machine, 1, -1, -1, NULL),
			 machine_bucket_task(world->machine, "[exiting]"));
}

static void test_kernel_threads(void **state)
{
	struct world *world = *state;
	struct machine_process kthreadd = { .pid = 2, .comm = "kthreadd", .kernel_thread = true };

	machine_add_process(world->machine, &kthreadd);
	machine_fork(world->machine, 20, 300, 2, 300, 2);
	machine_comm(world->machine, 21, 300, 300, "kworker/1:2", false);
	assert_name(world, 300, "kworker/1:2#1");
	assert_true(row_of(world, 300)->kernel_thread);
	machine_comm(world->machine, 22, 300, 300, "renamed", false);
	assert_name(world, 300, "kworker/1:2#1");
	machine_fork(world->machine, 23, 301, 2, 301, 2);
	machine_comm(world->machine, 24, 301, 301, "kworker/1:3", false);
	assert_name(world, 301, "kworker/1:3#1");
	/* A user-mode helper: modprobe started by a kernel thread. */
	machine_fork(world->machine, 25, 302, 300, 302, 300);
	machine_comm(world->machine, 26, 302, 302, "dash", true);
	map(world, 302, 0x400000, world->dash);
	assert_name(world, 302, "dash#1");
	assert_false(row_of(world, 302)->kernel_thread);
	assert_name(world, 2, "kthreadd#1");
}

static void test_facts_without_record(void **state)
{
	struct world *world = *state;
	uint32_t id = machine_process_of(world->machine, SHELL);
	struct process *shell = &world->profile->processes.items[id];

	shell->dirty = false;
	machine_set_uid(world->machine, SHELL, 1000);
	machine_set_cgroup(world->machine, SHELL, "/lxc/web");
	assert_false(shell->dirty);
	machine_set_uid(world->machine, SHELL, 0);
	assert_int_equal(shell->uid, 0);
	assert_true(shell->dirty);
	machine_set_cgroup(world->machine, SHELL, "/system.slice/cron.service");
	assert_string_equal(text(world, shell->container), "");
	machine_set_uid(world->machine, 4711, 0);
	machine_set_cgroup(world->machine, 4711, "/");
	assert_int_equal(machine_process_of(world->machine, 4711), 0);
}

/* Every thread and process that ever was: the ids of the living stay right. */
static void test_many_generations(void **state)
{
	struct world *world = *state;
	const struct process *last;

	for (int32_t i = 0; i < 30000; i++) {
		int32_t pid = 1000 + i % 500;

		machine_fork(world->machine, 20, pid, SHELL, pid, SHELL);
		machine_fork(world->machine, 20, pid, pid, pid + 5000, pid);
		machine_exit(world->machine, 30, pid, pid);
		machine_exit(world->machine, 30, pid, pid + 5000);
		assert_int_equal(machine_process_of(world->machine, pid), 0);
	}
	last = row(world, (uint32_t)world->profile->processes.count - 1);
	assert_int_equal(last->instance, 30001);
	assert_int_equal(last->end_ns, 30);
}

static void test_free_nothing(void **state)
{
	(void)state;
	machine_free(NULL);
}

/* Serials show whether a copy of a process's mappings is still right. */
static void test_space_serials(void **state)
{
	struct profile *profile = profile_new();
	struct machine *machine = machine_new(profile, NULL, NULL);
	struct image image = { .kind = IMAGE_FILE, .path = 0, .inode = 5 };
	struct mapping mapping = { 0x1000, 0x2000, 0, profile_image(profile, &image), 0 };
	struct machine_space born, mapped, executed;

	(void)state;
	assert_int_equal(machine_space(machine, 9).process, 0);
	machine_fork(machine, 10, 9, 1, 9, 1);
	born = machine_space(machine, 9);
	assert_true(born.process > 0 && born.begun == born.changed);
	machine_map(machine, 11, 9, &mapping);
	mapped = machine_space(machine, 9);
	assert_true(mapped.changed > born.changed);
	assert_int_equal(mapped.begun, born.begun);
	machine_map(machine, 12, 9, &mapping);
	assert_int_equal(machine_space(machine, 9).changed, mapped.changed);
	machine_comm(machine, 13, 9, 9, "other", true);
	executed = machine_space(machine, 9);
	assert_true(executed.begun > mapped.changed && executed.in_exec);
	assert_int_equal(address_space_count(executed.mappings), 0);
	machine_free(machine);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_space_serials),
		IN_WORLD(test_threads),
		IN_WORLD(test_rename),
		IN_WORLD(test_rename_before_settling),
		IN_WORLD(test_leader_exits_first),
		IN_WORLD(test_thread_execs),
		IN_WORLD(test_sample_after_exit),
		IN_WORLD(test_pid_reused_without_exit),
		IN_WORLD(test_tid_reused_without_exit),
		IN_WORLD(test_scan_ahead_of_records),
		IN_WORLD(test_unknown_pids),
		IN_WORLD(test_idle_and_buckets),
		IN_WORLD(test_kernel_threads),
		IN_WORLD(test_facts_without_record),
		IN_WORLD(test_many_generations),
		IN_WORLD(test_free_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
