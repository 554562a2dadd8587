/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attribute/stack_spaces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/vec.h"
#include "place/files/image_files.h"
#include "sampling/stack_tables.h"

enum { SHELL = 100, SPACE = 7, MOST_IMAGES = 8 };

/* ---- the kernel side, played by the test ---- */

struct stack_tables {
	size_t published, dropped;
	uint64_t space, dropped_space; /* the last ones */
	uint64_t generation;
	VEC(struct stack_range) ranges;
};

bool stack_tables_has_image(const struct stack_tables *tables, uint32_t image)
{
	(void)tables;
	(void)image;
	return true;
}

int stack_tables_add_image(struct stack_tables *tables, uint32_t image,
			   const struct unwind_table *rows)
{
	(void)tables;
	(void)image;
	(void)rows;
	fail();
	return 0;
}

int stack_tables_set_space(struct stack_tables *tables, uint64_t space,
			   const struct stack_space_table *table)
{
	tables->published++;
	tables->space = space;
	tables->generation = table->generation;
	tables->ranges.count = 0;
	for (size_t i = 0; i < table->range_count; i++)
		*vec_push(&tables->ranges) = table->ranges[i];
	return 0;
}

void stack_tables_drop_space(struct stack_tables *tables, uint64_t space)
{
	tables->dropped++;
	tables->dropped_space = space;
}

void stack_tables_settle(struct stack_tables *tables)
{
	(void)tables;
}

/* ---- the world ---- */

struct world {
	struct profile *profile;
	struct machine *machine;
	struct image_files *files;
	struct image_codes *codes;
	struct stack_tables tables;
	struct stack_spaces *spaces;
	uint32_t code, memory; /* images: nothing was read of, and made at run time */
};

static uint32_t add_image(struct world *world, enum image_kind kind, const char *path)
{
	const struct image image = { .kind = kind,
				     .path = strpool_intern(&world->profile->strings, path) };

	return profile_image(world->profile, &image);
}

static void map(struct world *world, uint64_t start, uint32_t image)
{
	machine_map(world->machine, 10, SHELL,
		    &(struct mapping){ .start = start, .end = start + 0x1000, .image = image });
}

static int begin(void **state)
{
	static struct world world;
	const struct machine_process shell = { .pid = SHELL,
					       .comm = "sh",
					       .executable = "/bin/sh" };

	world = (struct world){ .profile = profile_new() };
	world.machine = machine_new(world.profile, NULL, NULL);
	world.files = image_files_new(world.profile, MOST_IMAGES);
	world.codes = image_codes_new(world.profile, world.files, NULL);
	world.spaces = stack_spaces_new(world.machine, world.codes, &world.tables);
	world.code = add_image(&world, IMAGE_FILE, "/bin/sh");
	world.memory = add_image(&world, IMAGE_ANON, "//anon");
	machine_add_process(world.machine, &shell);
	map(&world, 0x1000, world.code);
	map(&world, 0x5000, world.memory);
	*state = &world;
	return 0;
}

static int end(void **state)
{
	struct world *world = *state;

	stack_spaces_free(world->spaces);
	image_codes_free(world->codes);
	image_files_free(world->files);
	machine_free(world->machine);
	profile_free(world->profile);
	vec_free(&world->tables.ranges);
	return 0;
}

static void want(struct world *world, uint64_t space)
{
	struct machine_space now = machine_space(world->machine, SHELL);

	stack_spaces_want(world->spaces, &now, &(struct user_stack){ .space = space });
}

static struct stack_origin origin(struct world *world, uint64_t space, uint64_t generation)
{
	struct machine_space now = machine_space(world->machine, SHELL);
	const struct user_stack user = { .space = space, .generation = generation };

	return stack_spaces_origin(world->spaces, &now, &user);
}

/* ---- tests ---- */

/* A space is published when a stack of it was wanted, with all that its process has mapped. */
static void wanted_spaces_are_published(void **state)
{
	struct world *world = *state;

	stack_spaces_update(world->spaces);
	assert_int_equal(world->tables.published, 0);
	want(world, SPACE);
	want(world, SPACE);
	stack_spaces_update(world->spaces);
	assert_int_equal(world->tables.published, 1);
	assert_int_equal(world->tables.space, SPACE);
	assert_int_not_equal(world->tables.generation, 0);
	assert_int_equal(world->tables.ranges.count, 2);
	assert_int_equal(world->tables.ranges.items[0].start, 0x1000);
	assert_int_equal(world->tables.ranges.items[0].end, 0x2000);
	assert_int_equal(world->tables.ranges.items[0].image, world->code);
	assert_int_equal(world->tables.ranges.items[1].start, 0x5000);
	stack_spaces_update(world->spaces);
	assert_int_equal(world->tables.published, 1);
}

/* An image that no stack led through yet is to be waited for; then it is walked as it can be. */
static void images_are_read_on_demand(void **state)
{
	struct world *world = *state;
	const struct mapping memory = { .start = 0x5000, .end = 0x6000, .image = world->memory };

	want(world, SPACE);
	stack_spaces_update(world->spaces);
	assert_int_equal(world->tables.ranges.items[1].kind, STACK_MAP_WAITING);
	(void)image_codes_at(world->codes, &memory, 0x5010);
	want(world, SPACE);
	stack_spaces_update(world->spaces);
	assert_int_equal(world->tables.ranges.items[0].kind, STACK_MAP_WAITING);
	assert_int_equal(world->tables.ranges.items[1].kind, STACK_MAP_FRAME_POINTERS);
}

/* Samples taken before a publication are read after it: the last ones count. */
static void changes_are_published(void **state)
{
	enum { COUNT = STACK_SPACES_GENERATIONS + 1 };
	struct world *world = *state;
	uint64_t generations[COUNT];

	want(world, SPACE);
	for (size_t i = 0; i < COUNT; i++) {
		stack_spaces_update(world->spaces);
		assert_int_equal(world->tables.published, i + 1);
		generations[i] = world->tables.generation;
		map(world, 0x10000 * (i + 1), world->code);
	}
	assert_false(stack_spaces_alive(world->spaces, SPACE, generations[0]));
	assert_false(origin(world, SPACE, generations[0]).known);
	for (size_t i = 1; i < COUNT; i++) {
		assert_true(generations[i - 1] < generations[i]);
		assert_true(stack_spaces_alive(world->spaces, SPACE, generations[i]));
		assert_true(origin(world, SPACE, generations[i]).known);
	}
	for (size_t i = 2; i < COUNT; i++)
		assert_true(origin(world, SPACE, generations[i - 1]).serial <
			    origin(world, SPACE, generations[i]).serial);
	assert_false(stack_spaces_alive(world->spaces, SPACE + 1, generations[1]));
}

/* The serial shows which mappings changed since the tables were made. Only those are rejected. */
static void the_origin_tells_what_changed(void **state)
{
	struct world *world = *state;
	struct stack_origin made;

	want(world, SPACE);
	stack_spaces_update(world->spaces);
	map(world, 0x5000, world->code);
	made = origin(world, SPACE, world->tables.generation);
	assert_true(made.known);
	assert_true(address_space_unchanged(made.mappings, 0x1000, 0x2000, made.serial));
	assert_false(address_space_unchanged(made.mappings, 0x5000, 0x6000, made.serial));
}

static void stacks_without_tables_are_as_of_now(void **state)
{
	struct world *world = *state;
	struct stack_origin made = origin(world, SPACE, 0);

	assert_true(made.known);
	assert_true(made.serial == UINT64_MAX);
	assert_ptr_equal(made.mappings, machine_space(world->machine, SHELL).mappings);
	assert_false(origin(world, SPACE, 1).known);
}

/* exec makes another program of the process: no table outlives it. */
static void exec_withdraws(void **state)
{
	struct world *world = *state;
	uint64_t generation;

	want(world, SPACE);
	stack_spaces_update(world->spaces);
	generation = world->tables.generation;
	machine_comm(world->machine, 20, SHELL, SHELL, "cat", true);
	assert_false(origin(world, SPACE, generation).known);
	stack_spaces_update(world->spaces);
	assert_int_equal(world->tables.dropped, 1);
	assert_int_equal(world->tables.dropped_space, SPACE);
	assert_int_equal(world->tables.published, 1);
	assert_false(stack_spaces_alive(world->spaces, SPACE, generation));
}

/* The scan was ahead of the record of its birth, and its row starts over: what it had then is void.
 */
static void a_birth_that_comes_late_withdraws(void **state)
{
	struct world *world = *state;
	uint32_t row = machine_process_of(world->machine, SHELL);

	want(world, SPACE);
	stack_spaces_update(world->spaces);
	machine_fork(world->machine, 20, SHELL, 1, SHELL, 1);
	assert_int_equal(machine_process_of(world->machine, SHELL), row);
	assert_false(origin(world, SPACE, world->tables.generation).known);
	stack_spaces_update(world->spaces);
	assert_int_equal(world->tables.published, 2);
	assert_true(origin(world, SPACE, world->tables.generation).known);
}

/* The others are found as before. */
static void exit_withdraws(void **state)
{
	enum { OTHERS = 50 };
	struct world *world = *state;

	want(world, SPACE);
	for (int i = 1; i <= OTHERS; i++) {
		struct machine_space now;

		machine_fork(world->machine, 20, SHELL + i, SHELL, SHELL + i, SHELL);
		now = machine_space(world->machine, SHELL + i);
		stack_spaces_want(world->spaces, &now,
				  &(struct user_stack){ .space = SPACE + (uint64_t)i });
	}
	stack_spaces_update(world->spaces);
	assert_int_equal(world->tables.published, 1 + OTHERS);
	machine_exit(world->machine, 30, SHELL, SHELL);
	stack_spaces_update(world->spaces);
	assert_int_equal(world->tables.dropped, 1);
	assert_int_equal(world->tables.dropped_space, SPACE);
	for (uint64_t i = 1; i <= OTHERS; i++)
		assert_true(stack_spaces_alive(world->spaces, SPACE + i, i + 1));
}

static void what_cannot_be_published_is_not(void **state)
{
	struct world *world = *state;
	struct stack_spaces *without = stack_spaces_new(world->machine, world->codes, NULL);
	struct machine_space now = machine_space(world->machine, SHELL);
	const struct machine_space none = { 0 };

	want(world, 0); /* the space is not known */
	stack_spaces_want(world->spaces, &none, &(struct user_stack){ .space = SPACE });
	stack_spaces_update(world->spaces);
	stack_spaces_want(without, &now, &(struct user_stack){ .space = SPACE });
	stack_spaces_update(without);
	assert_int_equal(world->tables.published, 0);
	assert_int_equal(world->tables.dropped, 0);
	stack_spaces_free(without);
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(wanted_spaces_are_published),
		IN_WORLD(images_are_read_on_demand),
		IN_WORLD(changes_are_published),
		IN_WORLD(the_origin_tells_what_changed),
		IN_WORLD(stacks_without_tables_are_as_of_now),
		IN_WORLD(exec_withdraws),
		IN_WORLD(a_birth_that_comes_late_withdraws),
		IN_WORLD(exit_withdraws),
		IN_WORLD(what_cannot_be_published_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
