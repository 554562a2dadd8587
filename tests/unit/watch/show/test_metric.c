/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/show/metric.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct metric_set parse(const char *names)
{
	struct metric_set set = { .count = 0 };
	struct err err;

	if (metric_set_parse(names, &set, &err) < 0)
		fail_msg("%s", err.text);
	return set;
}

static void refuse(const char *names, const char *part)
{
	struct metric_set set;
	struct err err;

	assert_true(metric_set_parse(names, &set, &err) < 0);
	if (!strstr(err.text, part))
		fail_msg("'%s' has no '%s'", err.text, part);
}

static double value(const char *name, const struct probe_counts *counts, double seconds)
{
	struct metric_set set = parse(name);
	const struct metric_counts all = { .counts = counts, .seconds = seconds };

	return metric_value(set.metrics[0], &set, &all);
}

static void test_names(void **state)
{
	(void)state;
	assert_non_null(metric_find("ipc"));
	assert_ptr_equal(metric_find("threadSeconds"), metric_find("walltime"));
	assert_null(metric_find("nothing"));
	for (size_t i = 0; i < metric_count(); i++)
		assert_ptr_equal(metric_find(metric_at(i)->name), metric_at(i));
	refuse("walltim", "did you mean 'walltime'");
	refuse("xyzzyxyzzy", "--help-metric");
	refuse("", "invalid list");
	refuse("entries,,exits", "invalid list");
	refuse("entries,", "invalid list");
	refuse("entries,entries", "twice");
}

static void test_needs(void **state)
{
	struct metric_set set = parse("entries");

	(void)state;
	assert_false(set.exits || set.virtual_time || set.latency || set.moved);
	set = parse("locality");
	assert_true(set.moved && !set.exits);
	set = parse("walltime");
	assert_true(set.exits && !set.virtual_time);
	set = parse("vtime/invoc");
	assert_true(set.exits && set.virtual_time && !set.errors);
	set = parse("errors/invoc");
	assert_true(set.exits && set.errors);
	set = parse("latency");
	assert_int_equal(set.count, 4);
	assert_true(set.latency && set.exits);
	set = parse("IPC,cycles/invoc,page-faults");
	assert_int_equal(set.counter_count, 3);
	assert_int_equal(set.counters[0], METRIC_COUNTER_INSTRUCTIONS);
	assert_int_equal(set.counters[1], METRIC_COUNTER_CYCLES);
	refuse("IPC,cache-miss-ratio,branch-miss-ratio,page-faults", "one counter too many");
}

static void test_values(void **state)
{
	const struct probe_counts counts = { .entries = 20,
					     .exits = 10,
					     .wall_ns = 3000000000,
					     .virtual_ns = 500000000,
					     .moved = 5,
					     .errors = 2,
					     .counters = { 300, 100 } };
	const struct probe_counts none = { .entries = 1 };

	(void)state;
	assert_float_equal(value("entries", &counts, 2), 10, 1e-9);
	assert_float_equal(value("entries", &counts, 0), 20, 1e-9);
	assert_float_equal(value("walltime", &counts, 2), 1.5, 1e-9);
	assert_float_equal(value("walltime", &counts, 0), 3, 1e-9);
	assert_float_equal(value("walltime/invoc", &counts, 2), 0.3, 1e-9);
	assert_float_equal(value("vtime/invoc", &counts, 2), 0.05, 1e-9);
	assert_float_equal(value("locality", &counts, 2), 0.25, 1e-9);
	assert_float_equal(value("errors/invoc", &counts, 2), 0.2, 1e-9);
	assert_float_equal(value("IPC", &counts, 2), 3, 1e-9);
	assert_float_equal(value("CPI", &counts, 2), 3,
			   1e-9); /* its counters come in its own order */
	assert_float_equal(value("instructions/invoc", &counts, 2), 30, 1e-9);
	assert_true(isnan(value("walltime/invoc", &none, 1)));
	assert_true(isnan(value("latency-p50", &counts, 1)));
}

static void test_quantiles(void **state)
{
	static const int64_t lowest[] = { 0, 10, 20, 40 };
	const struct probe_scale scale = { lowest, 4 };
	const uint64_t histogram[] = { 0, 10, 10, 0 }, empty[4] = { 0 }, last[] = { 0, 0, 0, 1 };

	(void)state;
	assert_float_equal(metric_quantile(histogram, &scale, 0.5), 20, 1e-9);
	assert_float_equal(metric_quantile(histogram, &scale, 0.25), 15, 1e-9);
	assert_float_equal(metric_quantile(histogram, &scale, 1), 40, 1e-9);
	assert_float_equal(metric_quantile(last, &scale, 0.5), 40, 1e-9);
	assert_true(isnan(metric_quantile(empty, &scale, 0.5)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_needs),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_quantiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
