/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/fixture.h"

#include "aggregate/tables/hierarchy.h"

/* cc: main 50, memcpy 30, do_syscall 4; ld: memcpy 60; of another event cc's memcpy 8. */
static void make(struct fixture *fixture)
{
	uint32_t cc, ld, run, copy, kernel;
	struct total other;

	fixture_init(fixture);
	fixture_event(fixture, "cycles", "count");
	cc = fixture_task(fixture, fixture_process(fixture, "cc", 10), "cc");
	ld = fixture_task(fixture, fixture_process(fixture, "ld", 11), "ld");
	run = fixture_stack(fixture, "/bin/cc", "main", 0x100, SYMBOL_NAMED);
	copy = fixture_stack(fixture, "/lib/libc.so.6", "memcpy", 0x100, SYMBOL_NAMED);
	kernel = fixture_stack(fixture, "[kernel]", "do_syscall", 0x100, SYMBOL_NAMED);
	fixture_hit(fixture, ld, copy, MODE_USER, CONTEXT_TASK, 60);
	fixture_hit(fixture, cc, copy, MODE_USER, CONTEXT_TASK, 30);
	fixture_hit(fixture, cc, run, MODE_USER, CONTEXT_TASK, 50);
	fixture_hit(fixture, cc, kernel, MODE_KERNEL, CONTEXT_TASK, 4);
	other = fixture_total(cc, copy, MODE_USER, CONTEXT_TASK, 8);
	other.event = 1;
	fixture_add(fixture, &other);
}

/* The rows as a line each: level, name, samples; then "event N: M left out" where there are. */
static void show(const char *by, const char *sort, double threshold, size_t limit,
		 const char *expected)
{
	struct hierarchy *hierarchy;
	struct fixture fixture;
	struct buf text = { 0 };
	struct key_list keys;
	struct table *table;

	make(&fixture);
	assert_int_equal(keys_parse(by, &keys, NULL), 0);
	table = table_new(fixture_labels(&fixture), &keys);
	for (size_t i = 0; i < fixture.totals.rows.count; i++)
		table_add_all(table, &(struct point){ .total = fixture.totals.rows.items[i] }, 1);
	assert_int_equal(order_parse(sort, false, &table->order, NULL), 0);
	hierarchy = hierarchy_new(table, threshold, limit);
	for (size_t i = 0; i < hierarchy->rows.count; i++) {
		const struct hierarchy_row *at = &hierarchy->rows.items[i];
		const struct table *level = hierarchy->levels[at->level];

		buf_printf(&text, "%zu ", at->level);
		table_text(level, at->row, at->level, &text);
		buf_printf(&text, " %d\n", (int)at->row->samples);
		assert_int_equal(at->row->weight, at->row->samples * NS_PER_MS);
		assert_int_equal(level->sums[0].samples, 144);
		assert_int_equal(level->sums[1].samples, 8);
	}
	for (int event = 0; event < 2; event++) {
		if (hierarchy->left_out[event])
			buf_printf(&text, "event %d: %zu left out\n", event,
				   hierarchy->left_out[event]);
	}
	assert_string_equal(buf_text(&text), expected);
	buf_done(&text);
	hierarchy_free(hierarchy);
	table_free(table);
	fixture_done(&fixture);
}

/* The heaviest first on each level; a name that stands in several places has a row in each; events
 * stand apart. */
static void rows_stand_below_what_they_are_part_of(void **state)
{
	show("program,symbol", NULL, 0, 0,
	     "0 cc 84\n1 main 50\n1 memcpy 30\n1 do_syscall 4\n"
	     "0 ld 60\n1 memcpy 60\n"
	     "0 cc 8\n1 memcpy 8\n");
}

static void three_levels(void **state)
{
	show("mode,program,image", NULL, 0, 0,
	     "0 user 140\n1 cc 80\n2 /bin/cc 50\n2 /lib/libc.so.6 30\n1 ld 60\n2 /lib/libc.so.6 "
	     "60\n"
	     "0 kernel 4\n1 cc 4\n2 [kernel] 4\n"
	     "0 user 8\n1 cc 8\n2 /lib/libc.so.6 8\n");
}

static void one_level(void **state)
{
	show("symbol", NULL, 0, 0, "0 memcpy 90\n0 main 50\n0 do_syscall 4\n0 memcpy 8\n");
}

/* What is left out takes what is below it along, and is counted once. */
static void small_rows_are_left_out(void **state)
{
	show("mode,program,symbol", NULL, 25, 0,
	     "0 user 140\n1 cc 80\n2 main 50\n1 ld 60\n2 memcpy 60\n0 user 8\n1 cc 8\n2 memcpy 8\n"
	     "event 0: 2 left out\n");
}

/* A limit is one of each row's own parts. */
static void a_limit_holds_below_each_row(void **state)
{
	show("program,symbol", NULL, 0, 1,
	     "0 cc 84\n1 main 50\n0 cc 8\n1 memcpy 8\nevent 0: 3 left out\n");
	show("mode,program", NULL, 0, 1,
	     "0 user 140\n1 cc 80\n0 user 8\n1 cc 8\nevent 0: 2 left out\n");
}

/* A key that a level does not have has no say in its order. */
static void each_level_is_sorted(void **state)
{
	show("program,symbol", "symbol", 0, 0,
	     "0 cc 84\n1 do_syscall 4\n1 main 50\n1 memcpy 30\n0 ld 60\n1 memcpy 60\n"
	     "0 cc 8\n1 memcpy 8\n");
	show("symbol,program", "program", 0, 0,
	     "0 memcpy 90\n1 cc 30\n1 ld 60\n0 main 50\n1 cc 50\n0 do_syscall 4\n1 cc 4\n"
	     "0 memcpy 8\n1 cc 8\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_stand_below_what_they_are_part_of),
		cmocka_unit_test(three_levels),
		cmocka_unit_test(one_level),
		cmocka_unit_test(small_rows_are_left_out),
		cmocka_unit_test(a_limit_holds_below_each_row),
		cmocka_unit_test(each_level_is_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
