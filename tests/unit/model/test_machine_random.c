/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random records against a model so plain that it cannot be wrong: an array of pages per process.
 */
#include "model/machine.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PIDS = 24, THREADS = 4, PAGES = 64, PAGE = 4096, IMAGES = 6, STEPS = 40000 };

struct plain_process {
	bool alive;
	bool threads[THREADS]; /* tid = pid + 100 * number */
	uint32_t pages[PAGES]; /* image; 0: nothing */
	char program[16];
	uint32_t execs;
};

struct world {
	struct profile *profile;
	struct machine *machine;
	uint32_t images[IMAGES]; /* of programs "p0" ... */
	struct plain_process plain[PIDS];
	unsigned seed;
	uint64_t time_ns;
};

static uint32_t pick(struct world *world, uint32_t limit)
{
	return (uint32_t)rand_r(&world->seed) % limit;
}

static int32_t pid_of(uint32_t index)
{
	return (int32_t)index + 1;
}

static void do_map(struct world *world, uint32_t at, uint32_t image)
{
	uint64_t first = pick(world, PAGES), last = first + pick(world, 8);
	struct mapping mapping = { .start = first * PAGE, .image = world->images[image] };

	last = last < PAGES ? last : PAGES - 1;
	mapping.end = (last + 1) * PAGE;
	machine_map(world->machine, world->time_ns, pid_of(at), &mapping);
	for (uint64_t page = first; page <= last; page++)
		world->plain[at].pages[page] = mapping.image;
}

static void do_fork(struct world *world, uint32_t at)
{
	uint32_t child = pick(world, PIDS);

	if (child == at)
		return;
	/* One that is alive was reused without an exit. */
	machine_fork(world->machine, world->time_ns, pid_of(child), pid_of(at), pid_of(child),
		     pid_of(at));
	world->plain[child] = world->plain[at];
	world->plain[child].execs = 0;
	memset(world->plain[child].threads, 0, sizeof(world->plain[child].threads));
	world->plain[child].threads[0] = true;
}

static void do_thread(struct world *world, uint32_t at)
{
	uint32_t number = 1 + pick(world, THREADS - 1);

	machine_fork(world->machine, world->time_ns, pid_of(at), pid_of(at),
		     pid_of(at) + 100 * (int32_t)number, pid_of(at));
	world->plain[at].threads[number] = true;
}

static void do_exec(struct world *world, uint32_t at)
{
	struct plain_process *plain = &world->plain[at];
	uint32_t image = pick(world, IMAGES);
	char program[16] = "p0";

	program[1] = (char)('0' + image);
	machine_comm(world->machine, world->time_ns, pid_of(at), pid_of(at), program, true);
	memset(plain->pages, 0, sizeof(plain->pages));
	memset(plain->threads, 0, sizeof(plain->threads));
	plain->threads[0] = true;
	plain->execs++;
	memcpy(plain->program, program, sizeof(program));
	do_map(world, at, image);
}

static void do_exit(struct world *world, uint32_t at)
{
	struct plain_process *plain = &world->plain[at];
	uint32_t number = pick(world, THREADS);

	machine_exit(world->machine, world->time_ns, pid_of(at),
		     pid_of(at) + 100 * (int32_t)number);
	plain->threads[number] = false;
	for (uint32_t i = 0; i < THREADS; i++) {
		if (plain->threads[i])
			return;
	}
	memset(plain, 0, sizeof(*plain));
}

static void assert_same(struct world *world, uint32_t at)
{
	const struct plain_process *plain = &world->plain[at];
	uint32_t id = machine_process_of(world->machine, pid_of(at));
	const struct process *row = &world->profile->processes.items[id];
	struct mapping found;

	assert_int_equal(id != 0, plain->alive);
	for (uint32_t i = 0; i < THREADS; i++)
		assert_int_equal(machine_tid_alive(world->machine, pid_of(at) + 100 * (int32_t)i),
				 plain->threads[i]);
	if (!plain->alive)
		return;
	assert_int_equal(row->end_ns, 0);
	assert_int_equal(row->exec_count, plain->execs);
	assert_string_equal(profile_text(world->profile, row->program), plain->program);
	for (uint64_t page = 0; page < PAGES; page++) {
		struct machine_space space = machine_space(world->machine, pid_of(at));
		enum code_place place = machine_find_code(&space, page * PAGE + 77, &found);

		assert_int_equal(place == CODE_MAPPED, plain->pages[page] != 0);
		if (place == CODE_MAPPED)
			assert_int_equal(found.image, plain->pages[page]);
	}
}

static void begin(struct world *world)
{
	struct machine_process init = { .pid = 1, .comm = "init", .executable = "/sbin/init" };

	world->profile = profile_new();
	world->machine = machine_new(world->profile, NULL, NULL);
	world->seed = 99;
	for (uint32_t i = 0; i < IMAGES; i++) {
		char path[] = "/bin/p0";
		struct image image = { .kind = IMAGE_FILE };

		path[6] = (char)('0' + i);
		image.path = strpool_intern(&world->profile->strings, path);
		world->images[i] = profile_image(world->profile, &image);
	}
	machine_add_process(world->machine, &init);
	world->plain[0].alive = world->plain[0].threads[0] = true;
	strcpy(world->plain[0].program, "init");
	world->time_ns = 10000000000;
}

/* Instance numbers of a program are 1, 2, 3 ... in order of the rows. */
static void assert_instances(const struct world *world)
{
	uint32_t *seen = calloc(strpool_count(&world->profile->strings), sizeof(*seen));

	assert_non_null(seen);
	for (size_t i = 1; i < world->profile->processes.count; i++) {
		const struct process *row = &world->profile->processes.items[i];

		assert_int_equal(row->instance, ++seen[row->program]);
	}
	free(seen);
}

static void test_random_records(void **state)
{
	static void (*const records[])(struct world *, uint32_t) = { do_fork, do_fork, do_thread,
								     do_exec, do_exit, do_exit };
	static struct world world;

	(void)state;
	begin(&world);
	for (int step = 0; step < STEPS; step++) {
		uint32_t at = pick(&world, PIDS), what = pick(&world, 10);

		world.time_ns += 1000;
		if (!world.plain[at].alive)
			at = 0;
		if (!world.plain[at].alive)
			break;
		if (what >= 6)
			do_map(&world, at, pick(&world, IMAGES));
		else if (at != 0 || records[what] != do_exit)
			records[what](&world, at);
		assert_same(&world, at);
		if (step % 50 == 0) {
			for (uint32_t i = 0; i < PIDS; i++)
				assert_same(&world, i);
		}
	}
	assert_true(world.plain[0].alive);
	assert_instances(&world);
	machine_free(world.machine);
	profile_free(world.profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_random_records) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
