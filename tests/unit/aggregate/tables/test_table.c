/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/fixture.h"

#include <math.h>

#include "aggregate/tables/table.h"

/* main 50, memcpy 30 (20 + 10 in two processes), do_syscall 20; and 8 of another event. */
static void make(struct fixture *fixture)
{
	uint32_t a, b, run, copy, kernel;
	struct total other;

	fixture_init(fixture);
	fixture_event(fixture, "cycles", "count");
	a = fixture_task(fixture, fixture_process(fixture, "cc", 10), "cc");
	b = fixture_task(fixture, fixture_process(fixture, "cc", 11), "cc");
	run = fixture_stack(fixture, "/bin/cc", "main", 0x100, SYMBOL_NAMED);
	copy = fixture_stack(fixture, "/lib/libc.so.6", "memcpy", 0x100, SYMBOL_NAMED);
	kernel = fixture_stack(fixture, "[kernel]", "do_syscall", 0x100, SYMBOL_NAMED);
	fixture_hit(fixture, b, copy, MODE_USER, CONTEXT_TASK, 10);
	fixture_hit(fixture, a, run, MODE_USER, CONTEXT_TASK, 50);
	fixture_hit(fixture, a, copy, MODE_USER, CONTEXT_TASK, 20);
	fixture_hit(fixture, a, kernel, MODE_KERNEL, CONTEXT_TASK, 20);
	other = fixture_total(a, copy, MODE_USER, CONTEXT_TASK, 8);
	other.event = 1;
	fixture_add(fixture, &other);
}

static struct table *group(struct fixture *fixture, const char *by, double threshold, size_t limit)
{
	struct key_list keys;
	struct table *table;

	assert_int_equal(keys_parse(by, &keys, NULL), 0);
	table = table_new(fixture_labels(fixture), &keys);
	for (size_t i = 0; i < fixture->totals.rows.count; i++)
		table_add_all(table, &(struct point){ .total = fixture->totals.rows.items[i] }, 1);
	table_finish(table, threshold, limit);
	return table;
}

static void assert_row(const struct table *table, size_t at, const char *text, uint8_t event,
		       uint64_t samples, double percent)
{
	const struct table_row *row = &table->rows.items[at];
	struct buf buf = { 0 };

	assert_true(at < table->rows.count);
	for (size_t key = 0; key < table->keys.count; key++) {
		buf_add_str(&buf, key ? "," : "");
		table_text(table, row, key, &buf);
	}
	assert_string_equal(buf_text(&buf), text);
	assert_int_equal(row->event, event);
	assert_int_equal(row->samples, samples);
	assert_int_equal(row->weight, samples * NS_PER_MS);
	assert_true(fabs(table_percent(table, row) - percent) < 1e-9);
	buf_done(&buf);
}

/* Rows are found without anything being added to them, and made where there are none. */
static void rows_are_found(void **state)
{
	static const char *const lists[] = { "symbol", "pid,symbol" }; /* by place, by index */

	(void)state;
	for (size_t by = 0; by < 2; by++) {
		struct fixture fixture;
		struct point points[80]; /* more than are looked for at once */
		uint32_t rows[80], made;
		struct key_list keys;
		struct table *table;
		size_t count;

		make(&fixture);
		count = fixture.totals.rows.count;
		assert_int_equal(keys_parse(lists[by], &keys, NULL), 0);
		table = table_new(fixture_labels(&fixture), &keys);
		for (size_t i = 0; i < 80; i++)
			points[i] = (struct point){ .total = fixture.totals.rows.items[i % count] };
		table_add_all(table, points + 1, count - 1);
		made = (uint32_t)table->rows.count;
		table_find_all(table, points + 1, 79, rows + 1);
		for (size_t i = 1; i < count; i++) {
			const struct table_row *row = &table->rows.items[rows[i]];
			struct buf wanted = { 0 }, text = { 0 };

			keys.items[keys.count - 1]->text(
				table->labels,
				keys_value(keys.items[keys.count - 1], table->labels, &points[i]),
				&wanted);
			table_text(table, row, keys.count - 1, &text);
			assert_string_equal(buf_text(&text), buf_text(&wanted));
			assert_int_equal(row->event, points[i].total.event);
			assert_true(row->samples >= points[i].total.samples);
			buf_done(&text);
			buf_done(&wanted);
		}
		/* The first point was not added: with the process its row is one that was made. */
		assert_int_equal(table->rows.count, by ? made + 1 : made);
		assert_int_equal(rows[count], by ? made : rows[2]);
		assert_int_equal(table->sums[0].samples, 90);
		table_free(table);
		fixture_done(&fixture);
	}
}

/* Whether they were met before or not, points have the rows that they would be added to. */
static void many_points(void **state)
{
	enum { STACKS = 300, TASKS = 60, POINTS = 60000, FEW_AT_ONCE = 64 };
	static const char *const keys_by[] = { "thread,stack", "process,symbol,mode",
					       "cpu,symbol" };
	uint32_t stacks[STACKS], tasks[TASKS], added[FEW_AT_ONCE], found[FEW_AT_ONCE];
	struct point points[FEW_AT_ONCE];
	struct fixture fixture;
	uint64_t random = 1;

	(void)state;
	make(&fixture);
	for (unsigned i = 0; i < STACKS; i++)
		stacks[i] = fixture_stack(&fixture, "/bin/cc", "f", i * 16, SYMBOL_NAMED);
	for (unsigned i = 0; i < TASKS; i++)
		tasks[i] =
			fixture_task(&fixture, fixture_process(&fixture, "cc", 100 + (int)i), "cc");
	for (size_t k = 0; k < sizeof(keys_by) / sizeof(keys_by[0]); k++) {
		struct key_list keys;
		struct table *table;

		assert_int_equal(keys_parse(keys_by[k], &keys, NULL), 0);
		table = table_new(fixture_labels(&fixture), &keys);
		for (unsigned i = 0; i < POINTS; i += FEW_AT_ONCE) {
			for (unsigned j = 0; j < FEW_AT_ONCE; j++) {
				random = random * 6364136223846793005ULL + 1442695040888963407ULL;
				points[j] = (struct point){ .total = fixture_total(
								    tasks[(random >> 33) % TASKS],
								    stacks[(random >> 40) % STACKS],
								    random >> 63, CONTEXT_TASK, 1),
							    .cpu = (uint16_t)(random >> 61 & 1) };
			}
			table_add_rows(table, points, FEW_AT_ONCE, added);
			table_find_all(table, points, FEW_AT_ONCE, found);
			assert_memory_equal(added, found, sizeof(added));
		}
		table_free(table);
	}
	fixture_done(&fixture);
}

static void one_key(void **state)
{
	struct fixture fixture;
	struct table *table;

	make(&fixture);
	table = group(&fixture, "symbol", 0, 0);
	assert_int_equal(table->rows.count, 4);
	assert_row(table, 0, "main", 0, 50, 50);
	assert_row(table, 1, "memcpy", 0, 30, 30);
	assert_row(table, 2, "do_syscall", 0, 20, 20);
	/* The other event stands alone. */
	assert_row(table, 3, "memcpy", 1, 8, 100);
	assert_int_equal(table->sums[0].samples, 100);
	assert_int_equal(table->sums[1].samples, 8);
	table_free(table);
	fixture_done(&fixture);
}

/* The rows that come to 60 percent are the first two of an event that has 50, 30 and 20; one that
 * has it all at once is kept as well. */
static void rows_that_cover_a_share(void **state)
{
	struct fixture fixture;
	struct key_list keys;
	struct table *table;

	make(&fixture);
	assert_int_equal(keys_parse("symbol", &keys, NULL), 0);
	table = table_new(fixture_labels(&fixture), &keys);
	for (size_t i = 0; i < fixture.totals.rows.count; i++)
		table_add_all(table, &(struct point){ .total = fixture.totals.rows.items[i] }, 1);
	table->cover = 60;
	table_finish(table, 0, 0);
	assert_int_equal(table->rows.count, 3);
	assert_row(table, 0, "main", 0, 50, 50);
	assert_row(table, 1, "memcpy", 0, 30, 30);
	assert_row(table, 2, "memcpy", 1, 8, 100);
	assert_int_equal(table->sums[0].rows, 3);
	table_free(table);
	fixture_done(&fixture);
}

/* Three rows of 23 in 1000 are 6.9 percent, though their percents in floating point are less. */
static void rows_that_cover_it_exactly(void **state)
{
	enum { HEAVY = 3, LIGHT = 42 };
	struct fixture fixture;
	struct key_list keys;
	struct table *table;
	uint32_t task;

	(void)state;
	fixture_init(&fixture);
	task = fixture_task(&fixture, fixture_process(&fixture, "cc", 10), "cc");
	for (int i = 0; i <= HEAVY + LIGHT; i++) {
		uint64_t samples = i < HEAVY ? 23 : i < HEAVY + LIGHT ? 22 : 7;
		char name[32];

		snprintf(name, sizeof(name), "function%d", i);
		fixture_hit(
			&fixture, task,
			fixture_stack(&fixture, "/bin/cc", name, 0x100 * (uint64_t)i, SYMBOL_NAMED),
			MODE_USER, CONTEXT_TASK, samples);
	}
	assert_int_equal(keys_parse("symbol", &keys, NULL), 0);
	table = table_new(fixture_labels(&fixture), &keys);
	for (size_t i = 0; i < fixture.totals.rows.count; i++)
		table_add_all(table, &(struct point){ .total = fixture.totals.rows.items[i] }, 1);
	table->cover = 6.9;
	table_finish(table, 0, 0);
	assert_int_equal(table->sums[0].samples, 1000);
	assert_int_equal(table->rows.count, HEAVY);
	table_free(table);
	fixture_done(&fixture);
}

/* An event whose samples stand for nothing is left as it is. */
static void rows_without_weight_are_not_covered(void **state)
{
	struct fixture fixture;
	struct key_list keys;
	struct table *table;

	make(&fixture);
	assert_int_equal(keys_parse("symbol", &keys, NULL), 0);
	table = table_new(fixture_labels(&fixture), &keys);
	for (size_t i = 0; i < fixture.totals.rows.count; i++) {
		struct total total = fixture.totals.rows.items[i];

		total.weight = 0;
		table_add_all(table, &(struct point){ .total = total }, 1);
	}
	table->cover = 60;
	table_finish(table, 0, 0);
	assert_int_equal(table->rows.count, 4);
	table_free(table);
	fixture_done(&fixture);
}

static void several_keys(void **state)
{
	struct fixture fixture;
	struct table *table;

	make(&fixture);
	table = group(&fixture, "process,mode,image", 0, 0);
	assert_int_equal(table->rows.count, 5);
	assert_row(table, 0, "cc#1,user,/bin/cc", 0, 50, 50);
	/* Equal weights: in order of appearance. */
	assert_row(table, 1, "cc#1,user,/lib/libc.so.6", 0, 20, 20);
	assert_row(table, 2, "cc#1,kernel,[kernel]", 0, 20, 20);
	assert_row(table, 3, "cc#2,user,/lib/libc.so.6", 0, 10, 10);
	assert_row(table, 4, "cc#1,user,/lib/libc.so.6", 1, 8, 100);
	table_free(table);
	fixture_done(&fixture);
}

static void cut_rows_stay_in_the_sum(void **state)
{
	struct fixture fixture;
	struct table *table;

	make(&fixture);
	table = group(&fixture, "symbol", 25, 0);
	assert_int_equal(table->rows.count, 3);
	assert_row(table, 1, "memcpy", 0, 30, 30);
	assert_row(table, 2, "memcpy", 1, 8, 100);
	assert_int_equal(table->sums[0].rows, 3);
	assert_int_equal(table->sums[0].samples, 100);
	table_free(table);
	/* A row at the threshold stays. */
	table = group(&fixture, "symbol", 30, 0);
	assert_int_equal(table->rows.count, 3);
	table_free(table);
	table = group(&fixture, "symbol", 0, 1);
	assert_int_equal(table->rows.count, 2);
	assert_row(table, 0, "main", 0, 50, 50);
	assert_row(table, 1, "memcpy", 1, 8, 100);
	table_free(table);
	fixture_done(&fixture);
}

static void interval_is_that_of_the_event(void **state)
{
	struct fixture fixture;
	struct interval interval;
	struct table *table;

	make(&fixture);
	table = group(&fixture, "symbol", 0, 0);
	interval = table_interval(table, &table->rows.items[2]);
	/* 20 of 100 equal weights. */
	assert_true(fabs(interval.low - 0.1333669) < 1e-6);
	assert_true(fabs(interval.high - 0.2888292) < 1e-6);
	table_free(table);
	fixture_done(&fixture);
}

static void frames_of_tables_by_address(void **state)
{
	struct fixture fixture;
	struct table *table;
	uint32_t frame = 77;

	make(&fixture);
	table = group(&fixture, "symbol", 0, 0);
	assert_false(table_frame(table, &table->rows.items[0], &frame));
	assert_int_equal(frame, 77);
	table_free(table);
	table = group(&fixture, "mode,address", 0, 0);
	assert_true(table_frame(table, &table->rows.items[0], &frame));
	assert_string_equal(profile_text(fixture.profile,
					 fixture.profile->symbols
						 .items[fixture.profile->frames.items[frame].symbol]
						 .name),
			    "main");
	table_free(table);
	fixture_done(&fixture);
}

/* Functions and processes enough that rows are many, with the points that hit them. */
static void make_many(struct fixture *fixture, struct point *points, size_t count)
{
	enum { FUNCTIONS = 200, TASKS = 5 };
	uint32_t stacks[FUNCTIONS], tasks[TASKS], drawn = 1;
	char name[32];

	fixture_init(fixture);
	fixture_event(fixture, "cycles", "count");
	for (int i = 0; i < TASKS; i++)
		tasks[i] = fixture_task(fixture, fixture_process(fixture, "cc", 10 + i), "cc");
	for (int i = 0; i < FUNCTIONS; i++) {
		snprintf(name, sizeof(name), "function%d", i);
		stacks[i] =
			fixture_stack(fixture, "/bin/cc", name, 0x100 * (uint64_t)i, SYMBOL_NAMED);
	}
	for (size_t i = 0; i < count; i++) {
		drawn = drawn * 1664525 + 1013904223;
		points[i].total = fixture_total(tasks[(drawn >> 8) % TASKS],
						stacks[(drawn >> 16) % FUNCTIONS], MODE_USER,
						CONTEXT_TASK, 1 + (drawn >> 12) % 9);
		points[i].total.event = drawn >> 31;
		points[i].cpu = (uint16_t)(drawn >> 28);
	}
}

/* Many at once are as many one by one: the same rows in the same order. */
static void assert_many_as_single(const char *by)
{
	enum { COUNT = 5000 };
	static struct point points[COUNT];
	struct fixture fixture;
	struct table *single, *many;
	struct key_list keys;

	make_many(&fixture, points, COUNT);
	assert_int_equal(keys_parse(by, &keys, NULL), 0);
	single = table_new(fixture_labels(&fixture), &keys);
	many = table_new(fixture_labels(&fixture), &keys);
	for (size_t i = 0; i < COUNT; i++)
		table_add_all(single, &points[i], 1);
	for (size_t i = 0, next = 0; i < COUNT; i = next) {
		next = i + i % 97 + 1 < COUNT ? i + i % 97 + 1 : COUNT;
		table_add_all(many, points + i, next - i);
	}
	assert_true(single->rows.count > 100);
	assert_int_equal(many->rows.count, single->rows.count);
	assert_memory_equal(many->rows.items, single->rows.items,
			    single->rows.count * sizeof(*single->rows.items));
	assert_memory_equal(many->values.items, single->values.items,
			    single->values.count * sizeof(*single->values.items));
	assert_memory_equal(many->sums, single->sums, sizeof(single->sums));
	table_free(single);
	table_free(many);
	fixture_done(&fixture);
}

static void many_at_once(void **state)
{
	assert_many_as_single("symbol");
	assert_many_as_single("process,function,cpu");
	/* Without bounds on its values. */
	assert_many_as_single("pid,address,image");
}

/* Two places of one function are one row by symbol and file, its namesake in another file another;
 * also a row that is asked for by its values, be they what some frame has or what none has. */
static void several_keys_about_code(void **state)
{
	struct fixture fixture;
	struct key_list keys;
	struct table *table;
	uint32_t task, stacks[3];
	uint64_t values[3], *copy;

	(void)state;
	fixture_init(&fixture);
	task = fixture_task(&fixture, fixture_process(&fixture, "cc", 10), "cc");
	stacks[0] = fixture_callee(&fixture, 0, "/bin/cc", "copy", 4);
	stacks[1] = fixture_callee(&fixture, 0, "/bin/cc", "copy", 8);
	stacks[2] = fixture_callee(&fixture, 0, "/lib/libc.so.6", "copy", 4);
	assert_int_equal(keys_parse("symbol,mode,image", &keys, NULL), 0);
	table = table_new(fixture_labels(&fixture), &keys);
	for (size_t i = 0; i < 3; i++) {
		struct total total = fixture_total(task, stacks[i], MODE_USER, CONTEXT_TASK, i + 1);

		table_add_all(table, &(struct point){ .total = total }, 1);
	}
	assert_int_equal(table->rows.count, 2);
	copy = &table->values.items[table->rows.items[1].values];
	memcpy(values, copy, sizeof(values));
	assert_ptr_equal(table_row(table, 0, values), &table->rows.items[1]);
	values[2] = fixture_text(&fixture, "copy");
	assert_int_equal(table_row(table, 0, values)->samples, 0);
	assert_ptr_equal(table_row(table, 0, values), &table->rows.items[2]);
	table_finish(table, 0, 0);
	assert_row(table, 0, "copy,user,/bin/cc", 0, 3, 50);
	assert_row(table, 1, "copy,user,/lib/libc.so.6", 0, 3, 50);
	table_free(table);
	fixture_done(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_of_tables_by_address),
		cmocka_unit_test(rows_are_found),
		cmocka_unit_test(many_points),
		cmocka_unit_test(one_key),
		cmocka_unit_test(rows_that_cover_a_share),
		cmocka_unit_test(rows_that_cover_it_exactly),
		cmocka_unit_test(rows_without_weight_are_not_covered),
		cmocka_unit_test(many_at_once),
		cmocka_unit_test(several_keys),
		cmocka_unit_test(several_keys_about_code),
		cmocka_unit_test(cut_rows_stay_in_the_sum),
		cmocka_unit_test(interval_is_that_of_the_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
