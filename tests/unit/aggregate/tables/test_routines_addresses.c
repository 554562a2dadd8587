/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/fixture.h"

#include "aggregate/tables/routines.h"

/* A stack at @distance bytes into a function of 64 bytes. */
static uint32_t place(struct fixture *fixture, uint32_t image, const char *name, uint64_t start,
		      uint64_t distance)
{
	struct symbol symbol = { .image = image,
				 .name = fixture_text(fixture, name),
				 .start = start,
				 .size = 64,
				 .kind = SYMBOL_NAMED };
	struct frame frame = { .image = image,
			       .offset = start + distance,
			       .address = start + distance,
			       .address_known = true,
			       .symbol = profile_symbol(fixture->profile, &symbol) };

	return profile_stack(fixture->profile, 0, profile_frame(fixture->profile, &frame));
}

/* Two processes in two functions of one library, one of them in the kernel too; hits come in no
 * order. */
static void make(struct fixture *fixture)
{
	struct image library = { .path = 0 }, kernel = { .kind = IMAGE_KERNEL };
	uint32_t a, b, image, core;

	fixture_init(fixture);
	library.path = fixture_text(fixture, "/lib/libc.so.6");
	image = profile_image(fixture->profile, &library);
	core = profile_image(fixture->profile, &kernel);
	a = fixture_task(fixture, fixture_process(fixture, "a", 1), "a");
	b = fixture_task(fixture, fixture_process(fixture, "b", 2), "b");
	fixture_hit(fixture, a, place(fixture, image, "memcpy", 0x1000, 9), MODE_USER, CONTEXT_TASK,
		    3);
	fixture_hit(fixture, a, place(fixture, image, "strlen", 0x800, 2), MODE_USER, CONTEXT_TASK,
		    50);
	fixture_hit(fixture, b, place(fixture, image, "memcpy", 0x1000, 0), MODE_USER, CONTEXT_TASK,
		    4);
	fixture_hit(fixture, b, place(fixture, image, "memcpy", 0x1000, 9), MODE_USER, CONTEXT_TASK,
		    5);
	fixture_hit(fixture, a, place(fixture, core, "schedule", 0x20, 8), MODE_KERNEL,
		    CONTEXT_TASK, 6);
	fixture_hit(fixture, a, place(fixture, core, "schedule", 0x20, 8), MODE_KERNEL,
		    CONTEXT_HARDIRQ, 7);
}

static struct addresses collect(struct fixture *fixture, enum routines_part part,
				struct routines *ret_routines)
{
	struct addresses addresses;

	routines_make(fixture->profile, fixture->totals.rows.items, fixture->totals.rows.count,
		      part, ret_routines);
	routines_addresses(fixture->profile, fixture->totals.rows.items, fixture->totals.rows.count,
			   part, &addresses);
	return addresses;
}

static const struct routine *routine_called(const struct fixture *fixture,
					    const struct routines *routines, const char *name)
{
	for (size_t i = 0; i < routines->rows.count; i++) {
		uint32_t symbol = routines->rows.items[i].symbol;

		if (strcmp(profile_text(fixture->profile,
					fixture->profile->symbols.items[symbol].name),
			   name) == 0)
			return &routines->rows.items[i];
	}
	fail_msg("no %s", name);
	return NULL;
}

static uint64_t address_of(const struct fixture *fixture, const struct address *address)
{
	return fixture->profile->frames.items[address->frame].address;
}

static void in_order_and_added_up(void **state)
{
	struct fixture fixture;
	struct routines routines;
	struct addresses addresses;
	const struct address *rows;
	size_t count;

	make(&fixture);
	addresses = collect(&fixture, ROUTINES_ALL, &routines);
	rows = routines_addresses_of(&addresses, routine_called(&fixture, &routines, "memcpy"),
				     &count);
	assert_int_equal(count, 2);
	assert_int_equal(address_of(&fixture, &rows[0]), 0x1000);
	assert_int_equal(rows[0].split.user.samples, 4);
	assert_int_equal(address_of(&fixture, &rows[1]), 0x1009);
	assert_int_equal(rows[1].split.user.samples, 8);
	assert_int_equal(rows[1].split.user.weight, 8 * NS_PER_MS);
	rows = routines_addresses_of(&addresses, routine_called(&fixture, &routines, "strlen"),
				     &count);
	assert_int_equal(count, 1);
	assert_int_equal(rows[0].split.user.samples, 50);
	rows = routines_addresses_of(&addresses, routine_called(&fixture, &routines, "schedule"),
				     &count);
	assert_int_equal(count, 1);
	assert_int_equal(rows[0].split.system.samples, 6);
	assert_int_equal(rows[0].split.interrupts.samples, 7);
	routines_addresses_done(&addresses);
	routines_done(&routines);
	fixture_done(&fixture);
}

static void only_the_part_that_counts(void **state)
{
	struct fixture fixture;
	struct routines all, routines;
	struct addresses addresses;
	size_t count;

	make(&fixture);
	addresses = collect(&fixture, ROUTINES_ALL, &all);
	routines_addresses_done(&addresses);
	addresses = collect(&fixture, ROUTINES_KERNEL, &routines);
	assert_int_equal(addresses.rows.count, 1);
	routines_addresses_of(&addresses, routine_called(&fixture, &all, "memcpy"), &count);
	assert_int_equal(count, 0);
	routines_addresses_of(&addresses, routine_called(&fixture, &all, "schedule"), &count);
	assert_int_equal(count, 1);
	routines_addresses_done(&addresses);
	routines_done(&routines);
	routines_done(&all);
	fixture_done(&fixture);
}

static void nothing_hit(void **state)
{
	struct routine routine = { .symbol = 1, .image = 1 };
	struct addresses addresses;
	struct fixture fixture;
	size_t count = 7;

	fixture_init(&fixture);
	routines_addresses(fixture.profile, NULL, 0, ROUTINES_ALL, &addresses);
	routines_addresses_of(&addresses, &routine, &count);
	assert_int_equal(count, 0);
	routines_addresses_done(&addresses);
	fixture_done(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_order_and_added_up),
		cmocka_unit_test(only_the_part_that_counts),
		cmocka_unit_test(nothing_hit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
