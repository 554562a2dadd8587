/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/diff/diff.h"

#include <math.h>

#include "aggregate/fixture.h"

enum { SAMPLES = 600 };

/* A run of @SAMPLES samples, one each millisecond, whose functions are drawn from as many. */
struct run {
	struct fixture fixture;
	uint32_t task, stacks[8];
	size_t functions;
	size_t probes; /* 0 or 1 */
	struct cells cells;
	struct diff_probe probe;
};

static void run_init(struct run *run, size_t functions)
{
	*run = (struct run){ .functions = functions };
	fixture_init(&run->fixture);
	run->task = fixture_task(&run->fixture, fixture_process(&run->fixture, "cc", 10), "cc");
	for (size_t i = 0; i < functions; i++) {
		char name[32];

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
		cells_add(&run->cells, diff_row_cell(run->probes, row), point.time_ns,
			  (double)point.total.weight);
		if (function || !run->probes)
			continue;
		cells_add(&run->cells, diff_probe_cell(0, 0), point.time_ns,
			  (double)point.total.weight);
		run->probe.hits[0].samples++;
		run->probe.hits[0].weight += point.total.weight;
	}
}

/* How runs are added. */
struct way {
	size_t probes;	  /* 0 or 1 */
	uint64_t kernels; /* the kernel's part of all weights, in percent */
};

static void add(struct diff *diff, struct run *run, enum diff_side side, uint32_t seed,
		struct way way)
{
	struct table *table = table_new(fixture_labels(&run->fixture), &diff->keys);
	uint64_t kernel[8] = { 0 };

	run->probes = way.probes;
	add_samples(run, table, seed);
	for (size_t i = 0; i < table->rows.count; i++)
		kernel[i] = table->rows.items[i].weight * way.kernels / 100;
	assert_int_equal(diff_add(diff, side, table, kernel, &run->probe, way.probes, &run->cells,
				  SAMPLES * NS_PER_MS, NULL),
			 0);
	table_free(table);
}

static struct diff *compare(struct run *old, struct run *new)
{
	const struct way way = { .probes = 1 };
	struct key_list keys;
	struct diff *diff;

	assert_int_equal(keys_parse("symbol,image", &keys, NULL), 0);
	diff = diff_new(&keys, false);
	add(diff, old, DIFF_OLD, 1, way);
	add(diff, new, DIFF_NEW, 2, way);
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

enum { A_SIDE = 3, FUNCTIONS = 5 };

/* Runs of one program, three a side. The changes of the share of its functions are left in
 * @ret_changes. */
static void compare_runs(struct way way, struct change ret_changes[FUNCTIONS])
{
	struct run runs[2 * A_SIDE];
	struct key_list keys;
	struct diff *diff;

	assert_int_equal(keys_parse("symbol,image", &keys, NULL), 0);
	diff = diff_new(&keys, false);
	for (uint32_t i = 0; i < 2 * A_SIDE; i++) {
		run_init(&runs[i], FUNCTIONS);
		add(diff, &runs[i], i < A_SIDE ? DIFF_OLD : DIFF_NEW, 1 + i, way);
	}
	diff_finish(diff, DIFF_SHARE, 0.05);
	assert_int_equal(diff->rows.count, FUNCTIONS);
	for (size_t i = 0; i < FUNCTIONS; i++)
		ret_changes[i] = diff->rows.items[i].by[DIFF_SHARE];
	diff_free(diff);
	for (size_t i = 0; i < 2 * A_SIDE; i++)
		run_done(&runs[i]);
}

static double width_of(const struct change *change)
{
	return change->difference.high - change->difference.low;
}

/* A probe changes no row: it is a part of the rows and adds no information. */
static void a_probe_tells_nothing_of_rows(void **state)
{
	struct change without[FUNCTIONS], with[FUNCTIONS];

	(void)state;
	compare_runs((struct way){ .probes = 0 }, without);
	compare_runs((struct way){ .probes = 1 }, with);
	for (size_t i = 0; i < FUNCTIONS; i++) {
		assert_true(without[i].difference.low == with[i].difference.low);
		assert_true(without[i].difference.high == with[i].difference.high);
		assert_true(without[i].p == with[i].p);
	}
}

/* The kernel's work is expected to differ more from run to run; more than half of a row makes it
 * such work. */
static void the_kernels_rows_vary_more(void **state)
{
	struct change users[FUNCTIONS], half[FUNCTIONS], kernels[FUNCTIONS];

	(void)state;
	compare_runs((struct way){ .kernels = 0 }, users);
	compare_runs((struct way){ .kernels = 49 }, half);
	compare_runs((struct way){ .kernels = 51 }, kernels);
	for (size_t i = 0; i < FUNCTIONS; i++) {
		assert_true(width_of(&half[i]) == width_of(&users[i]));
		assert_true(width_of(&kernels[i]) > 1.02 * width_of(&users[i]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_that_is_everything),
		cmocka_unit_test(a_probe_is_as_its_row),
		cmocka_unit_test(a_probe_tells_nothing_of_rows),
		cmocka_unit_test(the_kernels_rows_vary_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
