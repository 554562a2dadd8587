/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What rows are made of: each part below its own row, in the order of addresses, none lost. */
#include "aggregate/fixture.h"

#include "aggregate/tables/details.h"

static void hit(struct fixture *fixture, uint32_t task, const char *name, uint64_t distance,
		uint64_t samples)
{
	fixture_hit(fixture, task, fixture_callee(fixture, 0, "/bin/cc", name, distance), MODE_USER,
		    CONTEXT_TASK, samples);
}

/* Two routines by turns, from higher addresses to lower ones and back. */
static void make(struct fixture *fixture)
{
	struct total other;
	uint32_t task;

	fixture_init(fixture);
	fixture_event(fixture, "cycles", "count");
	task = fixture_task(fixture, fixture_process(fixture, "cc", 10), "cc");
	hit(fixture, task, "parse", 8, 3);
	hit(fixture, task, "lex", 12, 5);
	hit(fixture, task, "parse", 2, 4);
	hit(fixture, task, "lex", 1, 6);
	hit(fixture, task, "parse", 5, 9);
	other = fixture_total(task, fixture_callee(fixture, 0, "/bin/cc", "lex", 12), MODE_USER,
			      CONTEXT_TASK, 8);
	other.event = 1;
	fixture_add(fixture, &other);
}

static struct table *by_address(struct fixture *fixture)
{
	struct key_list keys;
	struct table *table;

	assert_int_equal(keys_parse("symbol,address", &keys, NULL), 0);
	table = table_new(fixture_labels(fixture), &keys);
	for (size_t i = 0; i < fixture->totals.rows.count; i++)
		table_add_all(table, &(struct point){ .total = fixture->totals.rows.items[i] }, 1);
	return table;
}

static void expect_parts(const struct details *details, size_t at, const char *name, uint8_t event,
			 const uint64_t *samples, size_t count)
{
	const struct table_row *row = &details->whole->rows.items[at];
	struct buf text = { 0 };
	uint64_t sum = 0;

	table_text(details->whole, row, 0, &text);
	assert_string_equal(buf_text(&text), name);
	assert_int_equal(row->event, event);
	assert_int_equal(details_count(details, row), count);
	for (size_t i = 0; i < count; i++) {
		const struct table_row *part = details_part(details, row, i);

		assert_int_equal(part->event, event);
		assert_int_equal(part->samples, samples[i]);
		sum += samples[i];
	}
	assert_int_equal(row->samples, sum);
	assert_int_equal(row->weight, sum * NS_PER_MS);
	buf_done(&text);
}

static void test_parts_stand_below_their_rows(void **state)
{
	static const uint64_t parse[] = { 4, 9, 3 }, lex[] = { 6, 5 }, cycles[] = { 8 };
	struct fixture fixture;
	struct table *fine;
	struct details *details;

	make(&fixture);
	fine = by_address(&fixture);
	details = details_new(fine);
	assert_int_equal(details->whole->rows.count, 3);
	assert_int_equal(details->whole->keys.count, 1);
	expect_parts(details, 0, "parse", 0, parse, 3);
	expect_parts(details, 1, "lex", 0, lex, 2);
	expect_parts(details, 2, "lex", 1, cycles, 1);
	assert_int_equal(details->whole->sums[0].samples, 27);
	assert_int_equal(details->whole->sums[1].weight, 8 * NS_PER_MS);
	/* however the rows are sorted and cut afterwards */
	table_finish(details->whole, 0, 1);
	expect_parts(details, 0, "parse", 0, parse, 3);
	expect_parts(details, 1, "lex", 1, cycles, 1);
	details_free(details);
	table_free(fine);
	fixture_done(&fixture);
}

static void test_of_nothing(void **state)
{
	struct fixture fixture;
	struct table *fine;
	struct details *details;

	fixture_init(&fixture);
	fine = by_address(&fixture);
	details = details_new(fine);
	assert_int_equal(details->whole->rows.count, 0);
	details_free(details);
	details_free(NULL);
	table_free(fine);
	fixture_done(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts_stand_below_their_rows),
		cmocka_unit_test(test_of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
