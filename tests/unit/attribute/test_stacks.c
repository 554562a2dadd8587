/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attribute/stacks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "attribute/stack_spaces.h"
#include "base/xalloc.h"
#include "model/address_space.h"
#include "perf/perf_sample.h"

/* ---- what is published, played by the test ---- */

struct stack_spaces {
	char nothing;
};

/* Tables of this generation may still be in use. */
enum { LIVING = 2, ENDED = 1 };

static struct address_space *mappings;
static const struct machine_space nowhere;

struct stack_spaces *stack_spaces_new(const struct machine *machine, struct image_codes *codes,
				      struct stack_tables *tables)
{
	(void)machine;
	(void)codes;
	(void)tables;
	return xcalloc(1, sizeof(struct stack_spaces));
}

void stack_spaces_free(struct stack_spaces *spaces)
{
	free(spaces);
}

void stack_spaces_want(struct stack_spaces *spaces, const struct machine_space *now,
		       const struct user_stack *user)
{
	(void)spaces;
	(void)now;
	(void)user;
}

struct stack_origin stack_spaces_origin(const struct stack_spaces *spaces,
					const struct machine_space *now,
					const struct user_stack *user)
{
	(void)spaces;
	(void)now;
	(void)user;
	return (struct stack_origin){ .known = true, .serial = 1, .mappings = mappings };
}

bool stack_spaces_alive(const struct stack_spaces *spaces, uint64_t space, uint64_t generation)
{
	(void)spaces;
	(void)space;
	return generation == LIVING;
}

void stack_spaces_update(struct stack_spaces *spaces)
{
	(void)spaces;
}

/* ---- tests ---- */

static struct perf_record sample_at(const uint64_t *address, uint64_t generation)
{
	struct perf_record record = { .type = PERF_RECORD_SAMPLE, .pid = 100 };

	record.sample.user_stack = (struct user_stack){ .form = USER_STACK_ADDRESSES,
							.hash = *address,
							.space = 1,
							.generation = generation,
							.addresses = address,
							.count = 1 };
	return record;
}

static void remember(struct stacks *stacks, uint64_t address, uint64_t generation)
{
	struct perf_record record = sample_at(&address, generation);
	struct known_stack known = { .stack = (uint32_t)address };

	stacks_remember(stacks, &nowhere, &record, &known);
}

/* The number that was given with it; 0: it is not known, or not believed. */
static uint32_t known_at(const struct stacks *stacks, uint64_t address, uint64_t generation)
{
	struct perf_record record = sample_at(&address, generation);
	const struct known_stack *known = stacks_known(stacks, &nowhere, &record);

	return known ? known->stack : 0;
}

/* When there are many, those of tables that are gone are forgotten. Each stack is somewhere else
 * here: where one leads must not be taken for where another led. */
static void test_forgetting_keeps_where_stacks_lead(void **state)
{
	enum { MANY = 200000, LIVES = 77 };
	struct profile *profile = profile_new();
	struct machine *machine = machine_new(profile, NULL, NULL);
	const struct frames frames = { .profile = profile };
	const struct stacks_parts parts = { .frames = &frames, .machine = machine, .max_depth = 8 };
	struct stacks *stacks = stacks_new(&parts);

	(void)state;
	address_space_map(
		&mappings,
		&(struct mapping){ .start = LIVES, .end = LIVES + 1, .image = 1, .since = 1 });
	remember(stacks, LIVES, LIVING);
	for (uint64_t address = 1000; address < MANY; address++) {
		remember(stacks, address, ENDED);
		assert_int_equal(known_at(stacks, address, ENDED), address);
	}
	assert_int_equal(known_at(stacks, LIVES, LIVING), LIVES);
	assert_int_equal(known_at(stacks, 1000, ENDED), 0);
	/* Of what was kept only what leads there is not believed any more. */
	address_space_map(
		&mappings,
		&(struct mapping){ .start = MANY - 1, .end = MANY, .image = 2, .since = 2 });
	assert_int_equal(known_at(stacks, MANY - 1, ENDED), 0);
	assert_int_equal(known_at(stacks, MANY - 2, ENDED), MANY - 2);
	assert_int_equal(known_at(stacks, LIVES, LIVING), LIVES);
	stacks_free(stacks);
	address_space_unref(mappings);
	machine_free(machine);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forgetting_keeps_where_stacks_lead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
