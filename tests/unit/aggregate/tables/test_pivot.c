/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/fixture.h"

#include <errno.h>

#include "aggregate/tables/details.h"
#include "aggregate/tables/pivot.h"

/* Two threads, two functions, two processors, two events. */
struct world {
	struct fixture fixture;
	uint32_t tasks[2], stacks[2];
};

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	struct fixture *fixture = &world->fixture;
	uint32_t process;

	fixture_init(fixture);
	fixture_event(fixture, "cycles", "count");
	process = fixture_process(fixture, "nginx", 4711);
	world->tasks[0] = fixture_task(fixture, process, "main");
	world->tasks[1] = fixture_task(fixture, process, "worker");
	world->stacks[0] = fixture_stack(fixture, "/bin/nginx", "parse", 0x100, SYMBOL_NAMED);
	world->stacks[1] = fixture_stack(fixture, "/bin/nginx", "reply", 0x200, SYMBOL_NAMED);
	fixture_labels(fixture);
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

static void add(struct world *world, struct table *table, int task, int stack, uint16_t cpu,
		uint8_t event, uint64_t samples)
{
	struct total total = fixture_total(world->tasks[task], world->stacks[stack], MODE_USER,
					   CONTEXT_TASK, samples);

	total.event = event;
	table_add_all(table, &(struct point){ .total = total, .cpu = cpu }, 1);
}

/* parse: 30 on processor 0, 10 on 1; reply: 60 on 0; of cycles: parse 5 on 1, by @keys. */
static struct table *make_table(struct world *world, const char *keys)
{
	struct key_list list;
	struct table *table;

	assert_int_equal(keys_parse(keys, &list, NULL), 0);
	table = table_new(&world->fixture.labels, &list);
	add(world, table, 0, 0, 0, 0, 30);
	add(world, table, 1, 0, 1, 0, 10);
	add(world, table, 1, 1, 0, 0, 60);
	add(world, table, 0, 0, 1, 1, 5);
	return table;
}

static struct pivot *make_columns(const struct table *fine, double threshold)
{
	struct pivot *pivot = NULL;
	struct err err = { "" };

	if (pivot_new(fine, fine, fine->keys.count - 1, &pivot, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(pivot_finish(pivot, threshold, 0, &err), 0);
	return pivot;
}

static void assert_column(const struct pivot *pivot, size_t column, const char *expected)
{
	struct buf text = { 0 };

	pivot_text(pivot, column, &text);
	assert_string_equal(buf_text(&text), expected);
	buf_done(&text);
}

static void assert_cell(const struct pivot *pivot, size_t row, size_t column, uint64_t samples,
			double percent)
{
	const struct table_row *here = &pivot->table->rows.items[row];

	assert_int_equal(pivot_cell(pivot, here, column)->samples, samples);
	assert_float_equal(pivot_percent(pivot, here, column), percent, 1e-9);
}

static void processors_side_by_side(void **state)
{
	struct table *fine = make_table(*state, "symbol,cpu");
	struct pivot *pivot = make_columns(fine, 0);
	const struct table *table = pivot->table;

	assert_int_equal(pivot->columns.count, 2);
	assert_column(pivot, 0, "0");
	assert_column(pivot, 1, "1");
	assert_int_equal(table->rows.count, 3);
	/* reply, then parse, then parse of the other event */
	assert_int_equal(table->rows.items[0].samples, 60);
	assert_float_equal(table_percent(table, &table->rows.items[0]), 60, 1e-9);
	assert_cell(pivot, 0, 0, 60, 100.0 * 60 / 90);
	assert_cell(pivot, 0, 1, 0, 0);
	assert_cell(pivot, 1, 0, 30, 100.0 * 30 / 90);
	assert_cell(pivot, 1, 1, 10, 100);
	assert_int_equal(table->rows.items[2].event, 1);
	assert_cell(pivot, 2, 0, 0, 0);
	assert_cell(pivot, 2, 1, 5, 100);
	pivot_free(pivot);
	table_free(fine);
}

static void texts_the_heaviest_first(void **state)
{
	struct table *fine = make_table(*state, "symbol,thread");
	struct pivot *pivot = make_columns(fine, 0);

	assert_column(pivot, 0, "worker");
	assert_column(pivot, 1, "main");
	assert_cell(pivot, 1, 0, 10, 100.0 * 10 / 70);
	assert_cell(pivot, 1, 1, 30, 100);
	pivot_free(pivot);
	table_free(fine);
}

static void events_side_by_side(void **state)
{
	struct table *fine = make_table(*state, "symbol,event");
	struct pivot *pivot = make_columns(fine, 0);

	assert_true(pivot->of_events);
	assert_column(pivot, 0, "cpu-clock");
	assert_column(pivot, 1, "cycles");
	assert_int_equal(pivot->table->rows.count, 2);
	/* All of the cycles are parse's, so it comes first. */
	assert_cell(pivot, 0, 0, 40, 40);
	assert_cell(pivot, 0, 1, 5, 100);
	assert_cell(pivot, 1, 0, 60, 60);
	assert_cell(pivot, 1, 1, 0, 0);
	/* Any event that reaches the threshold shows the row. */
	pivot_free(pivot);
	pivot = make_columns(fine, 50);
	assert_int_equal(pivot->table->rows.count, 2);
	assert_cell(pivot, 1, 0, 60, 60);
	pivot_free(pivot);
	pivot = make_columns(fine, 70);
	assert_int_equal(pivot->table->rows.count, 1);
	assert_cell(pivot, 0, 1, 5, 100);
	pivot_free(pivot);
	table_free(fine);
}

static void too_many_columns(void **state)
{
	struct world *world = *state;
	struct table *fine = make_table(world, "symbol,cpu");
	struct pivot *pivot = NULL;
	struct err err = { "" };

	for (int cpu = 0; cpu <= PIVOT_MAX_COLUMNS; cpu++)
		add(world, fine, 0, 0, (uint16_t)cpu, 0, 1);
	assert_int_equal(pivot_new(fine, fine, 1, &pivot, &err), -E2BIG);
	assert_null(pivot);
	assert_non_null(strstr(err.text, "--columns cpu would have more than"));
	table_free(fine);
}

static void parts_of_rows(void **state)
{
	struct world *world = *state;
	struct table *fine = make_table(world, "program,mode,cpu");
	struct details *details = details_new(fine);
	const struct table_row *row;

	add(world, fine, 0, 0, 1, 0, 1);
	table_finish(details->whole, 0, 0);
	assert_int_equal(details->whole->rows.count, 2);
	row = &details->whole->rows.items[0];
	assert_int_equal(row->samples, 100);
	assert_int_equal(details_count(details, row), 2);
	assert_int_equal(details_part(details, row, 0)->samples, 90);
	assert_int_equal(details_part(details, row, 1)->samples, 11);
	row = &details->whole->rows.items[1];
	assert_int_equal(details_count(details, row), 1);
	assert_int_equal(details_part(details, row, 0)->samples, 5);
	details_free(details);
	table_free(fine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(processors_side_by_side, set_up, tear_down),
		cmocka_unit_test_setup_teardown(texts_the_heaviest_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(events_side_by_side, set_up, tear_down),
		cmocka_unit_test_setup_teardown(too_many_columns, set_up, tear_down),
		cmocka_unit_test_setup_teardown(parts_of_rows, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
