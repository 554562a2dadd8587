/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/grown.h"

#include <jansson.h>

#include "present/rows/tree_rows.h"

static void world(struct grown *grown)
{
	uint32_t main;

	grown_init(grown);
	main = fixture_chain(&grown->fixture, 0, "/bin/a", "main");
	grown_hit(grown, fixture_callee(&grown->fixture, main, "/lib/b", "a,\"b\"\n", 4), 75);
	grown_hit(grown, main, 25);
}

static void csv_rows_know_their_parents(void **state)
{
	struct grown grown;
	FILE *out;

	world(&grown);
	out = grown_begin(&grown, "pid,function", "function", &(struct prune_limits){ 0 });
	tree_rows_csv(&(struct tree_part){ "tree", grown.tree, &grown.prune }, 1, out);
	assert_string_equal(
		grown_end(&grown),
		"part,id,parent,depth,pid,function,image,event,samples,weight,percent,low,high,"
		"self_samples,self_weight,self_percent\n"
		"tree,1,0,1,1001,,,cpu-clock,100,100000000,100.0000,96.3007,100.0000,0,0,0.0000\n"
		"tree,2,1,2,1001,main,/bin/a,cpu-clock,100,100000000,100.0000,96.3007,100.0000,"
		"25,25000000,25.0000\n"
		"tree,3,2,3,1001,\"a,\"\"b\"\"\\x0a\",/lib/b,cpu-clock,75,75000000,75.0000,65.6955,"
		"82.4548,75,75000000,75.0000\n");
	grown_done(&grown);
}

static void json_rows_are_json(void **state)
{
	struct grown grown;
	struct tree_part parts[2];
	json_t *rows, *row;
	FILE *out;

	world(&grown);
	out = grown_begin(&grown, "pid,function", "function", &(struct prune_limits){ 0 });
	parts[0] = (struct tree_part){ "callers", grown.tree, &grown.prune };
	parts[1] = (struct tree_part){ "callees", grown.tree, &grown.prune };
	tree_rows_json(parts, 2, out);
	rows = json_loads(grown_end(&grown), 0, NULL);
	assert_int_equal(json_array_size(rows), 6);
	row = json_array_get(rows, 0);
	assert_int_equal(json_integer_value(json_object_get(row, "pid")), 1001);
	assert_true(json_is_null(json_object_get(row, "function")));
	row = json_array_get(rows, 5);
	assert_string_equal(json_string_value(json_object_get(row, "part")), "callees");
	assert_string_equal(json_string_value(json_object_get(row, "function")), "a,\"b\"\n");
	assert_string_equal(json_string_value(json_object_get(row, "image")), "/lib/b");
	assert_int_equal(json_integer_value(json_object_get(row, "id")), 6);
	assert_int_equal(json_integer_value(json_object_get(row, "parent")), 5);
	assert_int_equal(json_integer_value(json_object_get(row, "self_samples")), 75);
	json_decref(rows);
	grown_done(&grown);
}

static void what_is_hidden_has_no_row(void **state)
{
	struct grown grown;
	json_t *rows;
	FILE *out;

	world(&grown);
	out = grown_begin(&grown, "image", "image", &(struct prune_limits){ .max_depth = 1 });
	tree_rows_json(&(struct tree_part){ "tree", grown.tree, &grown.prune }, 1, out);
	rows = json_loads(grown_end(&grown), 0, NULL);
	assert_int_equal(json_array_size(rows), 1);
	assert_string_equal(json_string_value(json_object_get(json_array_get(rows, 0), "image")),
			    "/bin/a");
	json_decref(rows);
	grown_done(&grown);
}

static void no_rows_at_all(void **state)
{
	struct grown grown;
	json_t *rows;
	FILE *out;

	world(&grown);
	out = grown_begin(&grown, "image", "image", &(struct prune_limits){ .threshold = 101 });
	tree_rows_json(&(struct tree_part){ "tree", grown.tree, &grown.prune }, 1, out);
	rows = json_loads(grown_end(&grown), 0, NULL);
	assert_true(json_is_array(rows));
	assert_int_equal(json_array_size(rows), 0);
	json_decref(rows);
	grown_done(&grown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv_rows_know_their_parents),
		cmocka_unit_test(json_rows_are_json),
		cmocka_unit_test(what_is_hidden_has_no_row),
		cmocka_unit_test(no_rows_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
