/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/fixture.h"

#include "aggregate/scope.h"

/* A shell with its child, and another program. */
struct world {
	struct fixture fixture;
	uint32_t shell, child, other;
	uint32_t stack;
};

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	struct fixture *fixture = &world->fixture;

	fixture_init(fixture);
	world->shell = fixture_task(fixture, fixture_process(fixture, "sh", 10), "sh");
	world->child = fixture_task(fixture, fixture_process(fixture, "cc1", 11), "cc1");
	world->other = fixture_task(fixture, fixture_process(fixture, "nginx", 12), "nginx");
	fixture->profile->processes.items[1].in_command = true;
	fixture->profile->processes.items[2].in_command = true;
	world->stack = fixture_stack(fixture, "/bin/sh", "main", 0x100, SYMBOL_NAMED);
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct world *world = *state;

	fixture_done(&world->fixture);
	free(world);
	return 0;
}

static struct total hits(const struct world *world, uint32_t task, uint64_t samples)
{
	return fixture_total(task, world->stack, MODE_USER, CONTEXT_TASK, samples);
}

static void the_command_comes_first(void **state)
{
	const struct world *world = *state;
	const struct profile *profile = world->fixture.profile;
	struct total totals[] = { hits(world, world->other, 1), hits(world, world->shell, 2),
				  hits(world, world->other, 3), hits(world, world->child, 4),
				  hits(world, world->other, 5) };
	uint64_t command = 0, others = 0;

	assert_int_equal(scope_divide(profile, totals, 5), 2);
	for (size_t i = 0; i < 5; i++)
		*(i < 2 ? &command : &others) += totals[i].samples;
	assert_int_equal(command, 2 + 4);
	assert_int_equal(others, 1 + 3 + 5);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(scope_has(profile, totals[i].task), i < 2);
}

static void all_or_nothing_is_of_the_command(void **state)
{
	const struct world *world = *state;
	const struct profile *profile = world->fixture.profile;
	struct total all[] = { hits(world, world->shell, 1), hits(world, world->child, 2) };
	struct total none[] = { hits(world, world->other, 1), hits(world, world->other, 2) };

	assert_int_equal(scope_divide(profile, all, 2), 2);
	assert_int_equal(scope_divide(profile, none, 2), 0);
	assert_int_equal(scope_divide(profile, NULL, 0), 0);
}

static void parts_are_of_one_event(void **state)
{
	const struct world *world = *state;
	struct total totals[] = { hits(world, world->other, 1), hits(world, world->shell, 2),
				  hits(world, world->child, 4), hits(world, world->child, 8) };
	struct scope_parts parts;

	totals[3].event = 1;
	parts = scope_parts(world->fixture.profile, totals, 4, 0);
	assert_int_equal(parts.command, (2 + 4) * NS_PER_MS);
	assert_int_equal(parts.others, 1 * NS_PER_MS);
}

static void it_has_names(void **state)
{
	struct world *world = *state;
	struct profile *profile = world->fixture.profile;

	assert_string_equal(scope_words(profile, SCOPE_MACHINE), " of the machine");
	assert_string_equal(scope_words(profile, SCOPE_COMMAND), " of the chosen processes");
	assert_string_equal(scope_subject(profile), "the chosen processes");
	profile_set_text(&profile->run.command, "sh -c make");
	assert_string_equal(scope_words(profile, SCOPE_COMMAND), " of the command");
	assert_string_equal(scope_subject(profile), "the command");
	profile_set_text(&profile->run.scope, "perf");
	assert_string_equal(scope_words(profile, SCOPE_MACHINE), "");
	assert_string_equal(scope_name(SCOPE_MACHINE), "machine");
	assert_string_equal(scope_name(SCOPE_COMMAND), "command");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_command_comes_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(all_or_nothing_is_of_the_command, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(parts_are_of_one_event, set_up, tear_down),
		cmocka_unit_test_setup_teardown(it_has_names, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
