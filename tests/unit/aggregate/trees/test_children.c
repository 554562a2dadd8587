/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/stacks.h"

#include <errno.h>

static struct table *inclusive(struct fixture *fixture, const char *by)
{
	struct key_list keys = keys_of(by);
	struct table *stacks = stacks_table(fixture, by);
	struct table *table = children_new(stacks, &keys);

	table_free(stacks);
	table_finish(table, 0, 0);
	return table;
}

/* A line for each row: its keys, samples, samples of its own. */
static void assert_rows(const struct table *table, const char *wanted)
{
	struct buf text = { 0 };

	for (size_t i = 0; i < table->rows.count; i++) {
		const struct table_row *row = &table->rows.items[i];

		for (size_t key = 0; key < table->keys.count; key++) {
			table_text(table, row, key, &text);
			buf_add_char(&text, ' ');
		}
		buf_printf(&text, "%u %u\n", (unsigned)row->samples, (unsigned)row->self.samples);
	}
	assert_string_equal(buf_text(&text), wanted);
	buf_done(&text);
}

static void recursion_counts_once(void **state)
{
	struct fixture fixture;
	struct table *table;
	uint32_t task, main, inner;

	fixture_init(&fixture);
	task = fixture_task(&fixture, fixture_process(&fixture, "a", 1001), "a");
	main = fixture_chain(&fixture, 0, "/bin/a", "main");
	inner = fixture_chain(&fixture, main, "/bin/a", "f g f f");
	fixture_hit(&fixture, task, inner, MODE_USER, CONTEXT_TASK, 7);
	fixture_hit(&fixture, task, fixture_chain(&fixture, main, "/bin/a", "g f"), MODE_USER,
		    CONTEXT_TASK, 2);
	fixture_hit(&fixture, task, main, MODE_USER, CONTEXT_TASK, 1);
	table = inclusive(&fixture, "symbol");
	assert_true(table->inclusive);
	assert_rows(table, "main 10 1\nf 9 9\ng 9 0\n");
	assert_int_equal(table->sums[0].samples, 10);
	assert_float_equal(table_percent(table, &table->rows.items[1]), 90, 1e-9);
	table_free(table);
	table = inclusive(&fixture, "image");
	assert_rows(table, "/bin/a 10 10\n");
	table_free(table);
	fixture_done(&fixture);
}

static void keys_that_are_not_code_part_the_rows(void **state)
{
	struct fixture fixture;
	struct table *table;
	uint32_t one, two, main, work, call;

	fixture_init(&fixture);
	one = fixture_task(&fixture, fixture_process(&fixture, "one", 1001), "one");
	two = fixture_task(&fixture, fixture_process(&fixture, "two", 1002), "two");
	main = fixture_chain(&fixture, 0, "/bin/a", "main");
	work = fixture_chain(&fixture, main, "/bin/a", "work");
	call = fixture_chain(&fixture, work, "[kernel]", "sys_read");
	fixture_hit(&fixture, one, work, MODE_USER, CONTEXT_TASK, 5);
	fixture_hit(&fixture, one, call, MODE_KERNEL, CONTEXT_TASK, 3);
	fixture_hit(&fixture, two, call, MODE_KERNEL, CONTEXT_TASK, 1);
	table = inclusive(&fixture, "symbol,process,mode");
	assert_rows(table, "main one#1 user 5 0\n"
			   "work one#1 user 5 5\n"
			   "main one#1 kernel 3 0\n"
			   "work one#1 kernel 3 0\n"
			   "sys_read one#1 kernel 3 3\n"
			   "main two#1 kernel 1 0\n"
			   "work two#1 kernel 1 0\n"
			   "sys_read two#1 kernel 1 1\n");
	table_free(table);
	table = inclusive(&fixture, "image,symbol");
	assert_rows(table, "/bin/a main 9 0\n/bin/a work 9 5\n[kernel] sys_read 4 4\n");
	table_free(table);
	fixture_done(&fixture);
}

static void events_stay_apart(void **state)
{
	struct fixture fixture;
	struct total total;
	struct table *table;
	uint32_t task, work;

	fixture_init(&fixture);
	task = fixture_task(&fixture, fixture_process(&fixture, "a", 1001), "a");
	work = fixture_chain(&fixture, 0, "/bin/a", "main work");
	total = fixture_total(task, work, MODE_USER, CONTEXT_TASK, 4);
	fixture_add(&fixture, &total);
	total.event = fixture_event(&fixture, "cycles", "count");
	total.samples = 6;
	fixture_add(&fixture, &total);
	table = inclusive(&fixture, "symbol");
	assert_rows(table, "main 4 0\nwork 4 4\nmain 6 0\nwork 6 6\n");
	assert_int_equal(table->rows.items[2].event, 1);
	table_free(table);
	fixture_done(&fixture);
}

/* How often the samples have @name in their stack, the slow way. */
static uint64_t samples_with(const struct fixture *fixture, str_id name)
{
	const struct profile *profile = fixture->profile;
	uint64_t samples = 0;

	for (size_t i = 0; i < fixture->totals.rows.count; i++) {
		const struct total *total = &fixture->totals.rows.items[i];
		bool has = false;

		for (uint32_t at = total->stack; at; at = profile->stacks.items[at].parent) {
			uint32_t frame = profile->stacks.items[at].frame;
			uint32_t symbol = profile->frames.items[frame].symbol;

			has = has || profile->symbols.items[symbol].name == name;
		}
		samples += has ? total->samples : 0;
	}
	return samples;
}

static void equal_to_counting_stack_by_stack(void **state)
{
	struct fixture fixture;
	struct table *table;
	uint32_t random = 12345, task;
	size_t found = 0;

	fixture_init(&fixture);
	task = fixture_task(&fixture, fixture_process(&fixture, "a", 1001), "a");
	for (int i = 0; i < 400; i++) {
		uint32_t stack = 0;

		for (uint32_t depth = 0; depth < 1 + random % 12; depth++) {
			char name[8];

			random = random * 1664525 + 1013904223;
			snprintf(name, sizeof(name), "f%u", (random >> 16) % 9);
			stack = fixture_callee(&fixture, stack, "/bin/a", name, (random >> 28) % 3);
		}
		fixture_hit(&fixture, task, stack, MODE_USER, CONTEXT_TASK, 1 + (random >> 30));
	}
	table = inclusive(&fixture, "symbol");
	for (; found < table->rows.count; found++) {
		const struct table_row *row = &table->rows.items[found];
		str_id name = (str_id)table->values.items[row->values];

		assert_int_equal(row->samples, samples_with(&fixture, name));
		assert_int_equal(row->weight, row->samples * NS_PER_MS);
	}
	assert_int_equal(found, 9);
	table_free(table);
	fixture_done(&fixture);
}

static void keys_that_make_no_sense(void **state)
{
	struct key_list keys = keys_of("process,mode");
	struct err err = { "" };

	assert_int_equal(children_check(&keys, &err), -EINVAL);
	assert_non_null(strstr(err.text, "--by needs a key of code: function"));
	keys = keys_of("stack,symbol");
	assert_int_equal(children_check(&keys, &err), -EINVAL);
	assert_non_null(strstr(err.text, "'stack'"));
	keys = keys_of("process,address,mode");
	assert_int_equal(children_check(&keys, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recursion_counts_once),
		cmocka_unit_test(keys_that_are_not_code_part_the_rows),
		cmocka_unit_test(events_stay_apart),
		cmocka_unit_test(equal_to_counting_stack_by_stack),
		cmocka_unit_test(keys_that_make_no_sense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
