/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/fixture.h"

#include <errno.h>

#include "aggregate/tables/table.h"

static void add(struct fixture *fixture, struct table *table, uint32_t task, uint32_t stack,
		uint16_t cpu, uint64_t samples, uint64_t weight)
{
	struct total total = fixture_total(task, stack, MODE_USER, CONTEXT_TASK, samples);

	total.weight = weight;
	table_add_all(table, &(struct point){ .total = total, .cpu = cpu }, 1);
	(void)fixture;
}

/* The letters of the rows a (cpu 10, weighs 3, 1 sample), b (cpu 9, 1, 5), c (cpu 10, 2, 2) as the
 * order has them. */
static void assert_order(const char *text, bool reversed, const char *expected)
{
	struct fixture fixture;
	struct key_list keys;
	struct order order;
	struct table *table;
	struct buf letters = { 0 };
	struct err err = { "" };
	uint32_t task;

	fixture_init(&fixture);
	task = fixture_task(&fixture, fixture_process(&fixture, "p", 1), "p");
	assert_int_equal(keys_parse("symbol,cpu", &keys, &err), 0);
	if (order_parse(text, reversed, &order, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	assert_int_equal(order_check(&order, &keys, false, &err), 0);
	for (const char *name = "bca"; *name; name++) {
		char symbol[2] = { *name };

		fixture_stack(&fixture, "/bin/p", symbol, (uint64_t)*name * 16, SYMBOL_NAMED);
	}
	table = table_new(fixture_labels(&fixture), &keys);
	/* Stacks were made in the order b, c, a. */
	add(&fixture, table, task, 2, 10, 2, 2);
	add(&fixture, table, task, 3, 10, 1, 3);
	add(&fixture, table, task, 1, 9, 5, 1);
	table->order = order;
	table_finish(table, 0, 0);
	for (size_t i = 0; i < table->rows.count; i++)
		table_text(table, &table->rows.items[i], 0, &letters);
	if (strcmp(buf_text(&letters), expected) != 0)
		fail_msg("%s: %s, not %s", text ? text : "NULL", buf_text(&letters), expected);
	assert_float_equal(table->rows.items[2].accumulated, 100, 1e-9);
	buf_done(&letters);
	table_free(table);
	fixture_done(&fixture);
}

/* Many rows, of two events: in order of events, then of weight, then as they were made. */
static void many_rows_are_in_order_of_weight(void **state)
{
	enum { ROWS = 2000, WEIGHTS = 300 };
	struct fixture fixture;
	struct key_list keys;
	struct table *table;
	uint64_t samples = 0;

	(void)state;
	fixture_init(&fixture);
	fixture_event(&fixture, "cycles", "count");
	assert_int_equal(keys_parse("tid", &keys, NULL), 0);
	table = table_new(fixture_labels(&fixture), &keys);
	for (uint32_t i = 0; i < ROWS; i++) {
		uint64_t value = i;
		struct table_row *row = table_row(table, hash_u64(i) % 2, &value);

		row->weight = hash_u64(i + 7) % WEIGHTS << 20;
		row->samples = i;
	}
	order_sort(&(struct order){ .count = 0 }, table);
	for (size_t i = 0; i < ROWS; i++) {
		const struct table_row *row = &table->rows.items[i];
		uint64_t made = table->values.items[row->values];

		assert_int_equal(row->samples, made);
		assert_int_equal(row->weight, hash_u64(made + 7) % WEIGHTS << 20);
		assert_int_equal(row->event, hash_u64(made) % 2);
		samples += made;
		if (!i || row[-1].event < row->event)
			continue;
		assert_int_equal(row[-1].event, row->event);
		assert_true(row[-1].weight > row->weight ||
			    (row[-1].weight == row->weight && row[-1].samples < made));
	}
	assert_int_equal(samples, ROWS * (ROWS - 1) / 2);
	table_free(table);
	fixture_done(&fixture);
}

static void orders(void **state)
{
	assert_order(NULL, false, "acb");
	assert_order(NULL, true, "bca");
	assert_order("weight", false, "acb");
	assert_order("samples", false, "bca");
	assert_order("samples", true, "acb");
	assert_order("symbol", false, "abc");
	assert_order("symbol", true, "cba");
	/* 9 is below 10; then what weighs more */
	assert_order("cpu", false, "bac");
	assert_order("cpu,symbol", false, "bac");
	assert_order("cpu,samples", false, "bca");
}

static void assert_wrong(const char *text, const char *because)
{
	struct order order;
	struct key_list keys;
	struct err err = { "" };
	int rc = order_parse(text, false, &order, &err);

	assert_int_equal(keys_parse("symbol,cpu", &keys, NULL), 0);
	if (rc == 0)
		rc = order_check(&order, &keys, false, &err);
	assert_int_equal(rc, -EINVAL);
	if (!strstr(err.text, because))
		fail_msg("%s: '%s' lacks '%s'", text, err.text, because);
}

static void wrong_orders(void **state)
{
	assert_wrong("", "unknown key ''");
	assert_wrong("symbl", "did you mean 'symbol'");
	assert_wrong("symbol,symbol", "twice");
	assert_wrong("symbol,,cpu", "empty");
	assert_wrong("symbol,", "empty");
	assert_wrong("process", "add it to --by");
	assert_wrong("self", "--children");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_rows_are_in_order_of_weight),
		cmocka_unit_test(orders),
		cmocka_unit_test(wrong_orders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
