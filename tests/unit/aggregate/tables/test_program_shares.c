/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/fixture.h"

#include "aggregate/tables/program_shares.h"

struct world {
	struct fixture fixture;
	struct program_shares shares;
};

static uint32_t add(struct world *world, const char *program, int32_t pid, uint32_t parent)
{
	struct profile *profile = world->fixture.profile;
	uint32_t process = fixture_process(&world->fixture, program, pid);

	profile->processes.items[process].parent = parent;
	profile->processes.items[process].in_command = pid < 900;
	return process;
}

static void hit(struct world *world, uint32_t process, uint64_t samples)
{
	struct fixture *fixture = &world->fixture;
	uint32_t stack = fixture_stack(fixture, "/bin/x", "f", 0x100, SYMBOL_NAMED);

	fixture_hit(fixture, fixture_task(fixture, process, "x"), stack, MODE_USER, CONTEXT_TASK,
		    samples);
}

/* make forks twice; one child executes cc, the other true, which executes cc in its place. Beside it
 * a server that has a sample, and a child of it that has none. */
static void make(struct world *world)
{
	uint32_t make, child, other, server;

	*world = (struct world){ 0 };
	fixture_init(&world->fixture);
	make = add(world, "make", 100, 0);
	child = add(world, "make", 101, make);
	hit(world, add(world, "cc", 101, child), 30);
	other = add(world, "true", 102, add(world, "make", 102, make));
	hit(world, other, 5);
	hit(world, add(world, "cc", 102, other), 20);
	hit(world, make, 5);
	server = add(world, "server", 900, 0);
	hit(world, server, 40);
	add(world, "server", 901, server);
}

static const struct program_share *look(struct world *world, enum program_part part,
					const char *program)
{
	const struct tally *totals = &world->fixture.totals;

	program_shares_done(&world->shares);
	program_shares_make(world->fixture.profile, totals->rows.items, totals->rows.count, 0, part,
			    0, UINT64_MAX, &world->shares);
	for (size_t i = 0; i < world->shares.rows.count; i++) {
		str_id id = world->shares.rows.items[i].program;

		if (strcmp(profile_text(world->fixture.profile, id), program) == 0)
			return &world->shares.rows.items[i];
	}
	return NULL;
}

static void done(struct world *world)
{
	program_shares_done(&world->shares);
	fixture_done(&world->fixture);
}

static void runs_of_one_program_are_merged(void **state)
{
	const struct program_share *share;
	struct world world;

	make(&world);
	share = look(&world, PROGRAMS_OF_COMMAND, "cc");
	assert_ptr_equal(share, &world.shares.rows.items[0]);
	assert_int_equal(share->hits.samples, 50);
	assert_int_equal(share->hits.weight, 50 * NS_PER_MS);
	assert_int_equal(share->runs, 2);
	assert_int_equal(world.shares.sum.samples, 60);
	done(&world);
}

/* A child is not a run of its parent's program if it executes another one at once. */
static void children_that_execute_are_no_runs(void **state)
{
	struct world world;

	make(&world);
	assert_int_equal(look(&world, PROGRAMS_OF_COMMAND, "make")->runs, 1);
	assert_int_equal(look(&world, PROGRAMS_OF_COMMAND, "true")->runs, 1);
	assert_int_equal(world.shares.runs, 4);
	assert_int_equal(world.shares.processes, 3);
	done(&world);
}

static void parts_are_apart(void **state)
{
	struct world world;

	make(&world);
	assert_null(look(&world, PROGRAMS_OF_COMMAND, "server"));
	assert_null(look(&world, PROGRAMS_OF_OTHERS, "cc"));
	assert_int_equal(look(&world, PROGRAMS_OF_OTHERS, "server")->runs, 2);
	assert_int_equal(world.shares.sum.samples, 40);
	assert_int_equal(look(&world, PROGRAMS_ALL, "cc")->hits.samples, 50);
	assert_int_equal(world.shares.sum.samples, 100);
	assert_int_equal(world.shares.processes, 5);
	done(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_of_one_program_are_merged),
		cmocka_unit_test(children_that_execute_are_no_runs),
		cmocka_unit_test(parts_are_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
