/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine with a shell on it, for tests of what processes and threads become. */
#ifndef TESTS_UNIT_MODEL_MACHINE_WORLD_H
#define TESTS_UNIT_MODEL_MACHINE_WORLD_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/machine.h"

enum { SHELL = 100 };

struct world {
	struct profile *profile;
	struct machine *machine;
	uint32_t bash, dash, libc, python, vdso;
	unsigned questions; /* about cut names */
};

/* The only link in this world. */
static inline const char *complete(void *context, const char *comm, uint32_t image)
{
	static const char link[] = "a-long-name-of-a-shell";
	struct world *world = context;

	world->questions++;
	return strncmp(link, comm, strlen(comm)) == 0 && image == world->dash ? link : NULL;
}

static inline uint32_t add_image(struct world *world, enum image_kind kind, const char *path)
{
	struct image image = { .kind = kind,
			       .path = strpool_intern(&world->profile->strings, path) };

	return profile_image(world->profile, &image);
}

static inline int new_world(void **state)
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
	world->machine = machine_new(world->profile, complete, world);
	world->bash = add_image(world, IMAGE_FILE, "/usr/bin/bash");
	world->dash = add_image(world, IMAGE_FILE, "/usr/bin/dash");
	world->libc = add_image(world, IMAGE_FILE, "/lib/libc.so.6");
	world->python = add_image(world, IMAGE_FILE, "/usr/bin/python3.11");
	world->vdso = add_image(world, IMAGE_VDSO, "[vdso]");
	machine_add_process(world->machine, &shell);
	machine_map(world->machine, 0, SHELL,
		    &(struct mapping){ 0x10000, 0x20000, 0, world->bash, 0 });
	*state = world;
	return 0;
}

static inline int free_world(void **state)
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

static inline enum code_place find_code(const struct world *world, int32_t pid, uint64_t address,
					struct mapping *ret_mapping)
{
	struct machine_space space = machine_space(world->machine, pid);

	return machine_find_code(&space, address, ret_mapping);
}

static const char *text(const struct world *world, str_id id)
{
	return profile_text(world->profile, id);
}

static inline void assert_exe(const struct world *world, int32_t pid, const char *expected)
{
	assert_string_equal(text(world, row_of(world, pid)->exe), expected);
}

/* "program#instance" of a pid as it is now; static storage of the test. */
static inline void assert_name(const struct world *world, int32_t pid, const char *expected)
{
	const struct process *process = row_of(world, pid);
	char name[64];

	snprintf(name, sizeof(name), "%s#%u", text(world, process->program), process->instance);
	assert_string_equal(name, expected);
}

static inline void assert_task(struct world *world, int32_t pid, int32_t tid, const char *program,
			       const char *comm)
{
	uint32_t id = machine_task(world->machine, 999, pid, tid, NULL);
	struct task task = world->profile->tasks.items[id];

	assert_int_equal(task.tid, tid);
	assert_string_equal(text(world, task.comm), comm);
	assert_string_equal(text(world, row(world, task.process)->program), program);
}

static inline void map(struct world *world, int32_t pid, uint64_t start, uint32_t image)
{
	machine_map(world->machine, 50, pid,
		    &(struct mapping){ start, start + 0x10000, 0, image, 0 });
}

/* fork, then exec of a program that maps @image first */
static inline void spawn(struct world *world, int32_t pid, const char *comm, uint32_t image)
{
	machine_fork(world->machine, 20, pid, SHELL, pid, SHELL);
	machine_comm(world->machine, 30, pid, pid, comm, true);
	map(world, pid, 0x400000, image);
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, new_world, free_world)

#endif
