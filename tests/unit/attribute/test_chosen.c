/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which processes of the machine are kept, as they fork and run programs. */
#include "attribute/chosen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/perf_record.h"

enum { SHELL = 100, CHILD = 101, GRANDCHILD = 102 };

struct world {
	struct who who;
	struct profile *profile;
	struct machine *machine;
	uint64_t time_ns;
};

/* A shell that runs, and what is chosen. */
static void begin(struct world *world, const char *words)
{
	const struct machine_process shell = { .pid = SHELL,
					       .comm = "sh",
					       .executable = "/bin/sh" };
	struct err err;

	*world = (struct world){ .profile = profile_new(), .time_ns = 1000 };
	world->machine = machine_new(world->profile, NULL, NULL);
	machine_add_process(world->machine, &shell);
	assert_int_equal(who_add(&world->who, WHO_PROCESS, words, &err), 0);
}

static void end(struct world *world)
{
	machine_free(world->machine);
	profile_free(world->profile);
	who_done(&world->who);
}

static void forks(struct world *world, int32_t parent, int32_t pid)
{
	const struct perf_record record = { .type = PERF_RECORD_FORK,
					    .pid = pid,
					    .tid = pid,
					    .task = { .parent_pid = parent,
						      .parent_tid = parent } };

	chosen_before(&world->who, world->profile, world->machine, &record);
	machine_fork(world->machine, world->time_ns++, pid, parent, pid, parent);
}

static void execs(struct world *world, int32_t pid, const char *comm)
{
	const struct perf_record record = { .type = PERF_RECORD_COMM,
					    .pid = pid,
					    .tid = pid,
					    .comm = { .comm = comm, .exec = true } };

	chosen_before(&world->who, world->profile, world->machine, &record);
	machine_comm(world->machine, world->time_ns++, pid, pid, comm, true);
	chosen_exec(&world->who, world->profile, machine_process_of(world->machine, pid), comm);
}

/* Of a sample taken now. */
static bool is_kept(struct world *world, int32_t pid)
{
	return chosen_task(&world->who, world->profile,
			   machine_task(world->machine, world->time_ns, pid, pid, NULL));
}

static bool is_marked(const struct world *world, int32_t pid)
{
	return world->profile->processes.items[machine_process_of(world->machine, pid)].in_command;
}

static void a_name_that_starts_later(void **state)
{
	struct world world;

	(void)state;
	begin(&world, "server");
	forks(&world, SHELL, CHILD);
	assert_false(is_kept(&world, CHILD));
	execs(&world, CHILD, "server");
	assert_true(is_kept(&world, CHILD));
	assert_true(is_marked(&world, CHILD));
	forks(&world, CHILD, GRANDCHILD);
	execs(&world, GRANDCHILD, "helper");
	assert_true(is_kept(&world, GRANDCHILD));
	assert_false(is_kept(&world, SHELL));
	end(&world);
}

/* What it starts is chosen, even if it was never sampled itself. */
static void a_parent_without_samples(void **state)
{
	struct world world;

	(void)state;
	begin(&world, "sh");
	forks(&world, SHELL, CHILD);
	execs(&world, CHILD, "cc1");
	assert_true(is_kept(&world, CHILD));
	end(&world);
}

static void a_process_that_becomes_another(void **state)
{
	struct world world;

	(void)state;
	begin(&world, "sh");
	execs(&world, SHELL, "server");
	assert_true(is_kept(&world, SHELL));
	end(&world);
	begin(&world, "server");
	execs(&world, SHELL, "server");
	assert_true(is_kept(&world, SHELL));
	execs(&world, SHELL, "other");
	assert_true(is_kept(&world, SHELL));
	end(&world);
}

/* The kernel cuts names at 15 characters: another program may begin alike. */
static void long_names(void **state)
{
	struct world world;

	(void)state;
	begin(&world, "very-long-name-");
	execs(&world, SHELL, "very-long-name-");
	assert_false(is_marked(&world, SHELL));
	end(&world);
	begin(&world, "very-long-name");
	execs(&world, SHELL, "very-long-name");
	assert_true(is_marked(&world, SHELL));
	end(&world);
}

static void everybody(void **state)
{
	struct world world;
	uint32_t task;

	(void)state;
	begin(&world, "server");
	task = machine_task(world.machine, world.time_ns, SHELL, SHELL, NULL);
	assert_true(chosen_task(NULL, world.profile, task));
	assert_false(is_marked(&world, SHELL));
	end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_that_starts_later),
		cmocka_unit_test(a_parent_without_samples),
		cmocka_unit_test(a_process_that_becomes_another),
		cmocka_unit_test(long_names),
		cmocka_unit_test(everybody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
