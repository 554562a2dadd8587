/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/printed.h"

#include <jansson.h>
#include <math.h>

#include "present/rows/table_rows.h"

/* Prints and parses again: the parser is not ours. The caller frees with json_decref. */
static json_t *print_and_parse(struct printed *printed, const char *by)
{
	struct table *table;
	json_error_t error;
	json_t *parsed;

	printed_begin(printed, 1);
	table = printed_table(printed, by);
	table_rows_json(&printed->view, table, printed->out);
	parsed = json_loads(printed_end(printed), JSON_REJECT_DUPLICATES, &error);
	if (!parsed)
		fail_msg("line %d: %s\n%s", error.line, error.text, printed->text);
	table_free(table);
	return parsed;
}

static void assert_real(const json_t *value, double expected)
{
	assert_true(json_is_number(value));
	if (fabs(json_number_value(value) - expected) > 1e-6)
		fail_msg("%g is not %g", json_number_value(value), expected);
}

/* Every field that other programs rely on is there; a path names its way through the objects. */
static void header_is_complete(void **state)
{
	static const char *const names[] = {
		"version",
		"samples",
		"user",
		"kernel",
		"lost",
		"events",
		"cpus",
		"duration_s",
		"idle_s",
		"steal_s",
		"residue_percent",
		"unresolved_percent",
		"cost",
		"ring",
		"command",
		"scope",
		"not_visible",
		"account",
	};
	static const char *const cost[] = { "cpu_s", "interrupt_s", "bpf_s", "percent",
					    "max_rss_kb" };
	static const char *const event[] = { "name", "unit",   "clock",	 "rate_hz", "samples",
					     "user", "kernel", "weight", "lost" };
	struct printed printed;
	json_t *parsed, *header;

	printed_world(&printed);
	parsed = print_and_parse(&printed, "symbol");
	header = json_object_get(parsed, "header");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!json_object_get(header, names[i]))
			fail_msg("the header lacks %s", names[i]);
	}
	for (size_t i = 0; i < sizeof(cost) / sizeof(cost[0]); i++)
		assert_non_null(json_object_get(json_object_get(header, "cost"), cost[i]));
	for (size_t i = 0; i < sizeof(event) / sizeof(event[0]); i++)
		assert_non_null(json_object_get(
			json_array_get(json_object_get(header, "events"), 0), event[i]));
	assert_int_equal(json_object_size(json_object_get(header, "lost")), LOSS_COUNT);
	assert_true(json_is_null(json_object_get(header, "stacks")));
	json_decref(parsed);
	printed_done(&printed);
}

static void header_tells_how_stacks_end(void **state)
{
	struct completeness completeness = { .recorded = true, .whole = { 200, 2 } };
	struct broken_image broken = { .image = 1, .end = STACK_NO_ROWS, .hits = { 50, 1 } };
	struct printed printed;
	json_t *parsed, *stacks, *row;

	printed_world(&printed);
	profile_set_text(&printed.fixture.profile->run.stacks, "full");
	completeness.ends[STACK_COMPLETE].samples = 150;
	completeness.ends[STACK_NO_ROWS].samples = 50;
	*vec_push(&completeness.images) = broken;
	printed.completeness = &completeness;
	parsed = print_and_parse(&printed, "symbol");
	stacks = json_object_get(json_object_get(parsed, "header"), "stacks");
	row = json_array_get(json_object_get(stacks, "broken"), 0);
	assert_string_equal(json_string_value(json_object_get(stacks, "recorded")), "full");
	assert_float_equal(json_real_value(json_object_get(stacks, "complete_percent")), 75, 1e-9);
	assert_int_equal(json_object_size(json_object_get(stacks, "ends")), STACK_END_COUNT);
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(stacks, "ends"), "no rows")),
		50);
	assert_string_equal(json_string_value(json_object_get(row, "image")), "/lib/libc.so.6");
	assert_string_equal(json_string_value(json_object_get(row, "end")), "no rows");
	assert_int_equal(json_integer_value(json_object_get(row, "samples")), 50);
	json_decref(parsed);
	completeness_done(&completeness);
	printed_done(&printed);
}

static void header_has_the_figures(void **state)
{
	struct printed printed;
	struct run_facts *run;
	json_t *parsed, *header, *event;

	printed_world(&printed);
	run = &printed.fixture.profile->run;
	run->self_cpu_ns = 40 * NS_PER_MS;
	run->ring_kb = 512;
	run->ring_high_water_permille = 125;
	printed.fixture.profile->events[0].loss[LOSS_MISSED_TICKS] = (struct loss){ 7, 7000000 };
	profile_set_text(&run->not_visible, "no kernel: why\nno others: why");
	parsed = print_and_parse(&printed, "symbol");
	header = json_object_get(parsed, "header");
	assert_int_equal(json_integer_value(json_object_get(header, "version")), 1);
	assert_int_equal(json_integer_value(json_object_get(header, "samples")), 1000);
	assert_int_equal(json_integer_value(json_object_get(header, "user")), 340);
	assert_int_equal(json_integer_value(json_object_get(header, "kernel")), 660);
	assert_real(json_object_get(header, "duration_s"), 10);
	assert_real(json_object_get(header, "idle_s"), 19);
	assert_real(json_object_get(header, "residue_percent"), -0.035);
	assert_real(json_object_get(header, "unresolved_percent"), 4);
	assert_real(json_object_get(header, "bracketed_percent"), 10);
	assert_string_equal(json_string_value(json_object_get(header, "command")), "./netperf4.sh");
	assert_int_equal(json_array_size(json_object_get(header, "not_visible")), 2);
	assert_int_equal(json_integer_value(
				 json_object_get(json_object_get(header, "lost"), "missed_ticks")),
			 7);
	assert_real(json_object_get(json_object_get(header, "ring"), "high_water_percent"), 12.5);
	assert_real(json_object_get(json_object_get(header, "cost"), "percent"), 0.2);
	event = json_array_get(json_object_get(header, "events"), 0);
	assert_string_equal(json_string_value(json_object_get(event, "clock")), "timer");
	assert_real(json_object_get(event, "rate_hz"), 1000);
	assert_int_equal(json_integer_value(json_object_get(event, "lost")), 7);
	json_decref(parsed);
	printed_done(&printed);
}

/* Nothing is 0 that is merely not known. */
static void unknown_is_null(void **state)
{
	struct printed printed;
	json_t *parsed, *header;

	printed_world(&printed);
	profile_set_text(&printed.fixture.profile->run.scope, "command");
	printed.fixture.profile->run.end_ns = 0;
	printed.fixture.profile->run.cpus = 0;
	profile_set_text(&printed.fixture.profile->run.command, NULL);
	parsed = print_and_parse(&printed, "symbol");
	header = json_object_get(parsed, "header");
	assert_true(json_is_null(json_object_get(header, "duration_s")));
	assert_true(json_is_null(json_object_get(header, "cpus")));
	assert_true(json_is_null(json_object_get(header, "idle_s")));
	assert_true(json_is_null(json_object_get(header, "steal_s")));
	assert_true(json_is_null(json_object_get(header, "residue_percent")));
	assert_true(json_is_null(json_object_get(header, "account")));
	assert_true(json_is_null(json_object_get(header, "command")));
	header = json_object_get(header, "cost");
	assert_true(json_is_null(json_object_get(header, "interrupt_s")));
	assert_true(json_is_null(json_object_get(header, "max_rss_kb")));
	json_decref(parsed);
	printed_done(&printed);
}

static void rows(void **state)
{
	struct printed printed;
	json_t *parsed, *all, *row;

	printed_world(&printed);
	parsed = print_and_parse(&printed, "process,pid,event,address");
	all = json_object_get(parsed, "rows");
	assert_int_equal(json_array_size(all), 7);
	row = json_array_get(all, 0);
	assert_string_equal(json_string_value(json_object_get(row, "process")), "netperf#1");
	assert_int_equal(json_integer_value(json_object_get(row, "pid")), 11000);
	assert_string_equal(json_string_value(json_object_get(row, "address")), "0x204");
	assert_string_equal(json_string_value(json_object_get(row, "event")), "cpu-clock");
	assert_int_equal(json_integer_value(json_object_get(row, "samples")), 500);
	assert_int_equal(json_integer_value(json_object_get(row, "weight")), 500000000);
	assert_real(json_object_get(row, "percent"), 50);
	assert_true(json_number_value(json_object_get(row, "low")) < 50);
	assert_true(json_number_value(json_object_get(row, "high")) > 50);
	json_decref(parsed);
	printed_done(&printed);
}

static void any_name_stays_json(void **state)
{
	struct printed printed;
	json_t *parsed, *row;
	uint32_t task;

	printed_world(&printed);
	profile_set_text(&printed.fixture.profile->run.command, "\xff\"\n");
	task = fixture_task(&printed.fixture, fixture_process(&printed.fixture, "q\"\\\n\xfe", 9),
			    "t");
	fixture_hit(&printed.fixture, task, 1, MODE_USER, CONTEXT_TASK, 5000);
	parsed = print_and_parse(&printed, "program");
	row = json_array_get(json_object_get(parsed, "rows"), 0);
	assert_string_equal(json_string_value(json_object_get(row, "program")), "q\"\\\n\\xfe");
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(parsed, "header"), "command")),
		"\\xff\"\n");
	json_decref(parsed);
	printed_done(&printed);
}

static json_int_t lost_for(const json_t *header, const char *reason)
{
	return json_integer_value(json_object_get(json_object_get(header, "lost"), reason));
}

/* The header has every reason; what an event lost is the sum of those that take samples away. */
static void losses_are_consistent(void **state)
{
	struct printed printed;
	json_t *parsed, *header, *event;
	json_int_t sum = 0;

	printed_world(&printed);
	for (int i = 0; i < LOSS_COUNT; i++) {
		printed.fixture.profile->events[0].loss[i].count = 1u << i;
		sum += 1 << i;
	}
	parsed = print_and_parse(&printed, "symbol");
	header = json_object_get(parsed, "header");
	event = json_array_get(json_object_get(header, "events"), 0);
	assert_int_equal(lost_for(header, "late"), 1 << LOSS_LATE);
	sum -= lost_for(header, "late") + lost_for(header, "tracking") +
	       lost_for(header, "unknown_task") + lost_for(header, "not_read");
	assert_int_equal(json_integer_value(json_object_get(event, "lost")), sum);
	json_decref(parsed);
	printed_done(&printed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(losses_are_consistent),
		cmocka_unit_test(header_is_complete),
		cmocka_unit_test(header_tells_how_stacks_end),
		cmocka_unit_test(header_has_the_figures),
		cmocka_unit_test(unknown_is_null),
		cmocka_unit_test(rows),
		cmocka_unit_test(any_name_stays_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
