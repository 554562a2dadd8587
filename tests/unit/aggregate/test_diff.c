/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/diff.h"

#include <math.h>

#include "aggregate/fixture.h"

enum { SAMPLES = 600 };

/* A run of @SAMPLES samples, one each millisecond, whose functions are drawn from as many. */
struct run {
	struct fixture fixture;
	uint32_t task, stacks[8];
	size_t functions;
	struct cells cells;
	struct diff_probe probe;
};

static void run_init(struct run *run, size_t functions)
{
	*run = (struct run){ .functions = functions };
	fixture_init(&run->fixture);
	run->task = fixture_task(&run->fixture, fixture_process(&run->fixture, "cc", 10), "cc");
	for (size_t i = 0; i < functions; i++) {
		char name[16];

		snprintf(name, sizeof(name), "function%zu", i);
		run->stacks[i] = fixture_callee(&run->fixture, 0, "/bin/cc", name, 4);
	}
	cells_init(&run->cells, 0, SAMPLES * NS_PER_MS);
}

static void run_done(struct run *run)
{
	cells_done(&run->cells);
	fixture_done(&run->fixture);
}

/* Weights are no round numbers. Of each sample of the first function the probe has a part. */
static void add_samples(struct run *run, struct table *table, uint32_t drawn)
{
	for (uint64_t i = 0; i < SAMPLES; i++) {
		struct point point = { .time_ns = i * NS_PER_MS };
		uint32_t function, row;

		drawn = drawn * 1664525 + 1013904223;
		function = (drawn >> 16) % run->functions;
		point.total =
			fixture_total(run->task, run->stacks[function], MODE_USER, CONTEXT_TASK, 1);
		point.total.weight = 999983 + (drawn >> 8) % 1009;
		table_add_rows(table, &point, 1, &row);
		cells_add(&run->cells, diff_row_cell(1, row), point.time_ns,
			  (double)point.total.weight);
		if (function)
			continue;
		cells_add(&run->cells, diff_probe_cell(0, 0), point.time_ns,
			  (double)point.total.weight);
		run->probe.hits[0].samples++;
		run->probe.hits[0].weight += point.total.weight;
	}
}

static void add(struct diff *diff, struct run *run, enum diff_side side, uint32_t seed)
{
	struct table *table = table_new(fixture_labels(&run->fixture), &diff->keys);

	add_samples(run, table, seed);
	assert_int_equal(
		diff_add(diff, side, table, NULL, &run->probe, 1, &run->cells, SAMPLES * NS_PER_MS, NULL),
		0);
	table_free(table);
}

static struct diff *compare(struct run *old, struct run *new)
{
	struct key_list keys;
	struct diff *diff;

	assert_int_equal(keys_parse("symbol,image", &keys, NULL), 0);
	diff = diff_new(&keys, false);
	add(diff, old, DIFF_OLD, 1);
	add(diff, new, DIFF_NEW, 2);
	diff_finish(diff, DIFF_SHARE, 0.05);
	return diff;
}

/* A row that is all there is on both sides does not vary by what rounding leaves: its interval is
 * that of so many samples out of as many. */
static void a_row_that_is_everything(void **state)
{
	struct run old, new;
	struct diff *diff;

	(void)state;
	run_init(&old, 1);
	run_init(&new, 1);
	diff = compare(&old, &new);
	assert_int_equal(diff->rows.count, 1);
	assert_true(diff->rows.items[0].by[DIFF_SHARE].unevenness == 1);
	assert_true(isinf(diff->rows.items[0].by[DIFF_SHARE].freedom));
	assert_true(diff->rows.items[0].by[DIFF_SHARE].difference.high > 0.001);
	assert_int_equal(diff->rows.items[0].verdict, DIFF_WITHIN_NOISE);
	diff_free(diff);
	run_done(&old);
	run_done(&new);
}

/* What is asked of a function is what its row says, to the last figure: also how it varies. */
static void a_probe_is_as_its_row(void **state)
{
	struct run old, new;
	const struct change *row, *probe;
	struct diff *diff;
	size_t found = 8;

	(void)state;
	run_init(&old, 8);
	run_init(&new, 5);
	diff = compare(&old, &new);
	assert_int_equal(diff->rows.count, 8);
	assert_int_equal(diff->probes.count, 1);
	for (size_t i = 0; i < diff->rows.count; i++) {
		struct buf text = { 0 };

		diff_text(diff, &diff->rows.items[i], 0, &text);
		if (strcmp(buf_text(&text), "function0") == 0)
			found = i;
		buf_done(&text);
	}
	assert_in_range(found, 0, 7);
	row = diff->rows.items[found].by;
	probe = diff->probes.items[0].by;
	for (int measure = 0; measure < DIFF_MEASURES; measure++) {
		assert_true(probe[measure].before == row[measure].before);
		assert_true(probe[measure].after == row[measure].after);
		assert_true(probe[measure].unevenness == row[measure].unevenness);
		assert_true(probe[measure].difference.low == row[measure].difference.low);
		assert_true(probe[measure].difference.high == row[measure].difference.high);
	}
	diff_free(diff);
	run_done(&old);
	run_done(&new);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_that_is_everything),
		cmocka_unit_test(a_probe_is_as_its_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
