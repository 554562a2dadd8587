/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/machine.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SHELL = 100 };

struct world {
	struct profile *profile;
	struct machine *machine;
	uint32_t bash, dash, libc, python, vdso;
	unsigned link_questions;
};

/* /bin/sh is the only link in this world. */
static bool is_link(void *context, const char *comm, uint32_t image)
{
	struct world *world = context;

	world->link_questions++;
	return strcmp(comm, "sh") == 0 && image == world->dash;
}

static uint32_t add_image(struct world *world, enum image_kind kind, const char *path)
{
	struct image image = { .kind = kind,
			       .path = strpool_intern(&world->profile->strings, path) };

	return profile_image(world->profile, &image);
}

static int new_world(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	struct machine_process shell = { .pid = SHELL,
					 .parent_pid = 1,
					 .start_ns = 10,
					 .uid = 1000,
					 .comm = "bash",
					 .executable = "/usr/bin/bash",
					 .cgroup = "/lxc/web" };

	assert_non_null(world);
	world->profile = profile_new();
	world->machine = machine_new(world->profile, is_link, world);
	world->bash = add_image(world, IMAGE_FILE, "/usr/bin/bash");
	world->dash = add_image(world, IMAGE_FILE, "/usr/bin/dash");
	world->libc = add_image(world, IMAGE_FILE, "/lib/libc.so.6");
	world->python = add_image(world, IMAGE_FILE, "/usr/bin/python3.11");
	world->vdso = add_image(world, IMAGE_VDSO, "[vdso]");
	machine_add_process(world->machine, &shell);
	machine_map(world->machine, 0, SHELL,
		    &(struct mapping){ 0x10000, 0x20000, 0, world->bash });
	*state = world;
	return 0;
}

static int free_world(void **state)
{
	struct world *world = *state;

	machine_free(world->machine);
	profile_free(world->profile);
	free(world);
	return 0;
}

static const struct process *row(const struct world *world, uint32_t id)
{
	return &world->profile->processes.items[id];
}

static const struct process *row_of(const struct world *world, int32_t pid)
{
	return row(world, machine_process_of(world->machine, pid));
}

static const char *text(const struct world *world, str_id id)
{
	return profile_text(world->profile, id);
}

/* "program#instance" of a pid as it is now; static storage of the test. */
static void assert_name(const struct world *world, int32_t pid, const char *expected)
{
	const struct process *process = row_of(world, pid);
	char name[64];

	snprintf(name, sizeof(name), "%s#%u", text(world, process->program), process->instance);
	assert_string_equal(name, expected);
}

static void assert_task(struct world *world, int32_t pid, int32_t tid, const char *program,
			const char *comm)
{
	uint32_t id = machine_task(world->machine, 999, pid, tid, NULL);
	struct task task = world->profile->tasks.items[id];

	assert_int_equal(task.tid, tid);
	assert_string_equal(text(world, task.comm), comm);
	assert_string_equal(text(world, row(world, task.process)->program), program);
}

static void map(struct world *world, int32_t pid, uint64_t start, uint32_t image)
{
	machine_map(world->machine, 50, pid, &(struct mapping){ start, start + 0x10000, 0, image });
}

/* fork, then exec of a program that maps @image first */
static void spawn(struct world *world, int32_t pid, const char *comm, uint32_t image)
{
	machine_fork(world->machine, 20, pid, SHELL, pid, SHELL);
	machine_comm(world->machine, 30, pid, pid, comm, true);
	map(world, pid, 0x400000, image);
}

static void test_scanned_process(void **state)
{
	struct world *world = *state;
	struct mapping found;

	assert_name(world, SHELL, "bash#1");
	assert_string_equal(text(world, row_of(world, SHELL)->container), "web");
	assert_string_equal(text(world, row_of(world, SHELL)->cgroup), "/lxc/web");
	assert_int_equal(row_of(world, SHELL)->uid, 1000);
	assert_task(world, SHELL, SHELL, "bash", "bash");
	assert_int_equal(machine_find_code(world->machine, SHELL, 0x12345, &found), CODE_MAPPED);
	assert_int_equal(found.image, world->bash);
	assert_int_equal(machine_find_code(world->machine, SHELL, 0x20000, &found), CODE_UNMAPPED);
	assert_int_equal(machine_find_code(world->machine, 4711, 0x12345, &found), CODE_UNMAPPED);
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

	machine_add_process(world->machine, &script);
	machine_add_process(world->machine, &kernel);
	machine_add_process(world->machine, &long_name);
	assert_name(world, 201, "a-long-name-of-#1");
	assert_name(world, 202, "kworker/0:1H#1");
	assert_true(row_of(world, 202)->kernel_thread);
	assert_name(world, 203, "a-long-name-of-a-program#1");
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
	assert_int_not_equal(machine_find_code(world->machine, SHELL, 0x12345, &found),
			     CODE_MAPPED);
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
	assert_int_equal(machine_find_code(world->machine, 101, 0x10000, &found), CODE_MAPPED);
	/* Shared until changed: neither sees what the other maps. */
	map(world, 101, 0x10000, world->libc);
	machine_find_code(world->machine, SHELL, 0x10000, &found);
	assert_int_equal(found.image, world->bash);
	machine_find_code(world->machine, 101, 0x10000, &found);
	assert_int_equal(found.image, world->libc);
}

static void test_exec(void **state)
{
	struct world *world = *state;
	const struct process *before, *after;
	struct mapping found;

	machine_fork(world->machine, 20, 101, SHELL, 101, SHELL);
	machine_comm(world->machine, 30, 101, 101, "python3.11", true);
	assert_int_equal(machine_find_code(world->machine, 101, 0x10000, &found), CODE_EXEC);
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
	assert_int_equal(machine_find_code(world->machine, 101, 0x10000, &found), CODE_EXEC);
	assert_int_equal(machine_find_code(world->machine, 101, 0x400000, &found), CODE_MAPPED);
	map(world, 101, 0x600000, world->vdso);
	assert_int_equal(machine_find_code(world->machine, 101, 0x10000, &found), CODE_UNMAPPED);
}

/* A program without an interpreter or vdso maps more than an exec does. */
static void test_exec_ends_at_the_third_mapping(void **state)
{
	struct world *world = *state;
	struct mapping found;

	spawn(world, 101, "bash", world->bash);
	map(world, 101, 0x400000, world->bash); /* told twice: by two tracking events */
	map(world, 101, 0x500000, world->libc);
	map(world, 101, 0x500000, world->libc);
	assert_int_equal(machine_find_code(world->machine, 101, 0x10000, &found), CODE_EXEC);
	map(world, 101, 0x600000, world->libc);
	assert_int_equal(machine_find_code(world->machine, 101, 0x10000, &found), CODE_UNMAPPED);
}

/* A static program has no interpreter: its vdso is the second range, and the last. */
static void test_exec_ends_at_the_vdso(void **state)
{
	struct world *world = *state;
	struct mapping found;

	spawn(world, 101, "bash", world->bash);
	map(world, 101, 0x500000, world->vdso);
	assert_int_equal(machine_find_code(world->machine, 101, 0x10000, &found), CODE_UNMAPPED);
}

static void test_program_of_exec(void **state)
{
	struct world *world = *state;
	uint32_t long_name = add_image(world, IMAGE_FILE, "/opt/a-long-name-of-a-program");
	uint32_t memfd = add_image(world, IMAGE_FILE, "/memfd:runc_cloned:/proc/self/exe");

	spawn(world, 101, "sh", world->dash); /* a link */
	assert_name(world, 101, "dash#1");
	spawn(world, 102, "backup.py", world->python); /* a script */
	assert_name(world, 102, "backup.py#1");
	assert_int_equal(world->link_questions, 2);
	spawn(world, 103, "a-long-name-of-", long_name);
	assert_name(world, 103, "a-long-name-of-a-program#1");
	spawn(world, 104, "7", world->python); /* fexecve */
	assert_name(world, 104, "python3.11#1");
	assert_int_equal(world->link_questions, 2);
	spawn(world, 105, "6", memfd);
	assert_name(world, 105, "6#1");
	spawn(world, 106, "bas", world->bash); /* a beginning of the name is not the name */
	assert_name(world, 106, "bas#1");
	spawn(world, 107, "a-long-name-of-", long_name);
	assert_name(world, 107, "a-long-name-of-a-program#2");
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
	assert_name(world, 101, "dash#1");
	assert_true(row(world, process)->dirty);
	assert_int_equal(machine_task(world->machine, 32, 101, 101, NULL), task);
	/* Libraries that follow change nothing. */
	map(world, 101, 0x500000, world->libc);
	assert_name(world, 101, "dash#1");
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
	assert_name(world, 101, "dash#1");
}

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
	assert_int_equal(machine_find_code(world->machine, SHELL, 0x10000, &found), CODE_MAPPED);
	assert_task(world, SHELL, 150, "bash", "bash");
	machine_exit(world->machine, 40, SHELL, 150);
	assert_int_equal(row(world, process)->end_ns, 40);
	assert_int_equal(machine_process_of(world->machine, SHELL), 0);
}

/* Thread 150 calls exec: the kernel ends the others, the leader included, and 150 takes over the
 * number of the leader (de_thread in fs/exec.c). No exit of 150 is ever told. */
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
	/* Reborn, the number is somebody else. */
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

/* The ring is read after the scan: it tells once more how a process came to be what /proc said. */
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
	assert_int_equal(machine_find_code(world->machine, 500, 0x400000, &found), CODE_MAPPED);
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
	assert_int_equal(machine_find_code(world->machine, 0, 0x1000, &found), CODE_UNMAPPED);
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

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, new_world, free_world)

/* A copy of a process's mappings can tell whether it is still right. */
static void test_space_serials(void **state)
{
	struct profile *profile = profile_new();
	struct machine *machine = machine_new(profile, NULL, NULL);
	struct image image = { .kind = IMAGE_FILE, .path = 0, .inode = 5 };
	struct mapping mapping = { 0x1000, 0x2000, 0, profile_image(profile, &image) };
	struct machine_space born, mapped, executed;

	(void)state;
	assert_int_equal(machine_space(machine, 9).process, 0);
	machine_fork(machine, 10, 9, 1, 9, 1);
	born = machine_space(machine, 9);
	assert_true(born.process > 0 && born.replaced == born.changed);
	machine_map(machine, 11, 9, &mapping);
	mapped = machine_space(machine, 9);
	assert_true(mapped.changed > born.changed);
	assert_int_equal(mapped.replaced, born.replaced);
	machine_map(machine, 12, 9, &mapping);
	assert_int_equal(machine_space(machine, 9).changed, mapped.changed);
	machine_comm(machine, 13, 9, 9, "other", true);
	executed = machine_space(machine, 9);
	assert_true(executed.replaced > mapped.changed && executed.in_exec);
	assert_int_equal(address_space_count(executed.mappings), 0);
	machine_free(machine);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_space_serials),
		IN_WORLD(test_scanned_process),
		IN_WORLD(test_scanned_names),
		IN_WORLD(test_scan_adds_once),
		IN_WORLD(test_refresh_finds_a_missed_exec),
		IN_WORLD(test_refresh_believes_a_rename),
		IN_WORLD(test_refresh_finds_a_reused_pid),
		IN_WORLD(test_scan_meets_child_first),
		IN_WORLD(test_fork_inherits),
		IN_WORLD(test_exec),
		IN_WORLD(test_exec_ends_at_the_third_mapping),
		IN_WORLD(test_exec_ends_at_the_vdso),
		IN_WORLD(test_program_of_exec),
		IN_WORLD(test_sample_before_settling),
		IN_WORLD(test_unsettled_ends),
		IN_WORLD(test_anonymous_mapping_settles_nothing),
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
