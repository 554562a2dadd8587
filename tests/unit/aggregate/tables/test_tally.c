/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/fixture.h"

#include "aggregate/tables/tally.h"

/* Samples become the totals they came from, whatever their order. */
static void adds_up_what_is_alike(void **state)
{
	static const struct total kinds[] = {
		{ .task = 1, .stack = 1, .mode = MODE_USER },
		{ .task = 2, .stack = 1, .mode = MODE_USER },
		{ .task = 1, .stack = 2, .mode = MODE_USER },
		{ .task = 1, .stack = 1, .event = 1, .mode = MODE_USER },
		{ .task = 1, .stack = 1, .mode = MODE_KERNEL },
		{ .task = 1, .stack = 1, .mode = MODE_KERNEL, .context = CONTEXT_HARDIRQ },
	};
	enum { KINDS = sizeof(kinds) / sizeof(kinds[0]), ROUNDS = 50 };
	struct tally tally = { 0 };

	for (uint64_t round = 1; round <= ROUNDS; round++) {
		for (size_t kind = 0; kind < KINDS; kind++) {
			struct total sample = kinds[kind];

			sample.samples = 1;
			sample.weight = round * (kind + 1);
			sample.weight_squared = (double)sample.weight * (double)sample.weight;
			tally_add_all(&tally, &(const struct total *){ &sample }, 1);
		}
	}
	assert_int_equal(tally.rows.count, KINDS);
	for (size_t kind = 0; kind < KINDS; kind++) {
		const struct total *row = &tally.rows.items[kind];
		uint64_t factor = kind + 1;

		assert_int_equal(row->task, kinds[kind].task);
		assert_int_equal(row->context, kinds[kind].context);
		assert_int_equal(row->samples, ROUNDS);
		/* 1 + ... + 50 = 1275; of the squares 42925. */
		assert_int_equal(row->weight, 1275 * factor);
		assert_int_equal((uint64_t)row->weight_squared, 42925 * factor * factor);
	}
	tally_done(&tally);
}

/* Many at once are as many one by one: the same rows in the same order. */
static void many_at_once(void **state)
{
	enum { ROUNDS = 300 };
	struct tally single = { 0 }, many = { 0 };
	uint32_t drawn = 1;

	for (int round = 0; round < ROUNDS; round++) {
		struct total totals[TALLY_AT_ONCE];
		const struct total *each[TALLY_AT_ONCE];
		size_t count = (size_t)round % (TALLY_AT_ONCE + 1);

		for (size_t i = 0; i < count; i++) {
			drawn = drawn * 1664525 + 1013904223;
			totals[i] = (struct total){ .task = drawn >> 30,
						    .stack = (drawn >> 16) % 500,
						    .event = drawn >> 29 & 1,
						    .samples = 1,
						    .weight = drawn >> 12,
						    .weight_squared = drawn >> 20 };
			each[i] = &totals[i];
			tally_add_all(&single, &(const struct total *){ &totals[i] }, 1);
		}
		tally_add_all(&many, each, count);
	}
	assert_in_range(single.rows.count, 1000, 4000);
	assert_int_equal(many.rows.count, single.rows.count);
	assert_memory_equal(many.rows.items, single.rows.items,
			    single.rows.count * sizeof(*single.rows.items));
	tally_done(&single);
	tally_done(&many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_up_what_is_alike),
		cmocka_unit_test(many_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
