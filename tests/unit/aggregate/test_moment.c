/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "aggregate/moment.h"
#include "base/clock.h"

/* 2026-11-21 02:00:00 UTC */
#define STARTED_S 1795226400ULL

static void spans(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{ "0", 0 },
		{ "2", 2 * NS_PER_S },
		{ "1.5", 1500 * NS_PER_MS },
		{ "0.000000001", 1 },
		{ "250ms", 250 * NS_PER_MS },
		{ "2.5ms", 2500000 },
		{ "7us", 7000 },
		{ "9ns", 9 },
		{ "3s", 3 * NS_PER_S },
		{ "10m", 600 * NS_PER_S },
		{ "10min", 600 * NS_PER_S },
		{ "2h", 7200 * NS_PER_S },
		{ "1d", 86400 * NS_PER_S },
		{ "1h30m", 5400 * NS_PER_S },
		{ "1m30.25s", 90250 * NS_PER_MS },
	};
	static const char *const bad[] = { "",
					   "-1",
					   "+1",
					   "x",
					   "1x",
					   "1h30",
					   ".5",
					   "1.",
					   "1e3",
					   " 1",
					   "1 s",
					   "0x10",
					   "ms",
					   "1..5s",
					   "inf",
					   "nan",
					   "101y",
					   "40000d",
					   "9999999999999999999999",
					   "1h1h1x" };
	uint64_t ns;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		if (moment_parse_span(good[i].text, &ns) < 0 || ns != good[i].ns)
			fail_msg("%s", good[i].text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (moment_parse_span(bad[i], &ns) != -EINVAL)
			fail_msg("'%s' is taken for %llu ns", bad[i], (unsigned long long)ns);
	}
}

/* A recording of @duration seconds from second 100 of the clock on. */
static void recording(struct moment_base *base, uint64_t duration)
{
	*base = (struct moment_base){ .start_ns = 100 * NS_PER_S,
				      .end_ns = (100 + duration) * NS_PER_S,
				      .start_real_ns = STARTED_S * NS_PER_S };
}

/* Milliseconds after the start of a recording of @duration seconds. */
static void assert_moment(uint64_t duration, const char *text, uint64_t expected_ms)
{
	struct moment_base base;
	struct moment moment;
	struct err err = { "" };
	uint64_t ns = 0;

	recording(&base, duration);
	if (moment_parse(text, &moment, &err) < 0 || moment_ns(&moment, &base, &ns, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	if (ns != 100 * NS_PER_S + expected_ms * NS_PER_MS)
		fail_msg("%s of %llu s is %lld ms after the start", text,
			 (unsigned long long)duration,
			 (long long)(ns - 100 * NS_PER_S) / (long long)NS_PER_MS);
}

static void within_the_recording(void **state)
{
	assert_moment(10, "0", 0);
	assert_moment(10, "2.5", 2500);
	assert_moment(10, "+2.5", 2500);
	assert_moment(10, "10m", 600000);
	assert_moment(10, "-3s", 7000);
	assert_moment(10, "-0", 10000);
	assert_moment(10, "-1h", 0);
	assert_moment(10, "50%", 5000);
	assert_moment(10, "12.5%", 1250);
	assert_moment(10, "100%", 10000);
	assert_moment(0, "50%", 0);
}

static void by_the_clock_on_the_wall(void **state)
{
	setenv("TZ", "UTC", 1);
	tzset();
	assert_moment(600, "02:05", 300000);
	assert_moment(600, "02:05:30.25", 330250);
	assert_moment(600, "2:05", 300000);
	assert_moment(600, "2026-11-21T02:05", 300000);
	assert_moment(600, "2026-11-21 02:05:01.5Z", 301500);
	assert_moment(600, "@1795226407.5", 7500);
	/* Before its start; after its end. */
	assert_moment(600, "01:00", 0);
	assert_moment(600, "2026-11-20", 0);
	assert_moment(600, "03:00", 3600000);
	assert_moment(600, "2026-11-22", 22 * 3600000ULL);
	/* Over midnight, and the last day that has it. */
	assert_moment(23 * 3600, "00:30", (22 * 3600 + 1800) * 1000ULL);
	assert_moment(72 * 3600, "03:00", 49 * 3600000ULL);
	assert_moment(72 * 3600, "01:00", 71 * 3600000ULL);
}

static void in_another_place(void **state)
{
	/* Two hours east of Greenwich. */
	setenv("TZ", "XYZ-2", 1);
	tzset();
	assert_moment(600, "04:05", 300000);
	assert_moment(600, "2026-11-21T04:05", 300000);
	assert_moment(600, "2026-11-21T02:05Z", 300000);
	setenv("TZ", "UTC", 1);
	tzset();
}

static void no_moments(void **state)
{
	static const char *const bad[] = {
		"",
		"tomorrow",
		"yesterdays",
		"24:00",
		"12:60",
		"12:5x",
		"12:00:60",
		"12:00:00.",
		"101%",
		"100.1%",
		"-5%",
		"5 %",
		"2026-13-01",
		"2026-02-30",
		"2026-11-21T",
		"2026-11-21x",
		"1969-12-31",
		"@",
		"@1x",
		"12:",
		"--3",
		"-",
		"2026-11-21T02:05ZZ",
		"@99999999999",
		"99999-01-01",
	};
	struct moment moment;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err = { "" };

		if (moment_parse(bad[i], &moment, &err) != -EINVAL ||
		    !strstr(err.text, "invalid time '"))
			fail_msg("'%s' is taken for a moment: %s", bad[i], err.text);
	}
}

static void unknown_time_of_day(void **state)
{
	struct moment_base base;
	struct moment moment;
	struct err err = { "" };
	uint64_t ns;

	recording(&base, 10);
	base.start_real_ns = 0;
	assert_int_equal(moment_parse("12:00", &moment, &err), 0);
	assert_int_equal(moment_ns(&moment, &base, &ns, &err), -ENODATA);
	assert_non_null(strstr(err.text, "no time of day"));
	assert_int_equal(moment_parse("3s", &moment, &err), 0);
	assert_int_equal(moment_ns(&moment, &base, &ns, &err), 0);
}

/* Seconds from the start of a history of an hour, whose clock is CLOCK_REALTIME; it ended 100 s ago. */
static void assert_in_history(const char *text, int64_t expected_s)
{
	const struct moment_base base = { .start_ns = STARTED_S * NS_PER_S,
					  .start_real_ns = STARTED_S * NS_PER_S,
					  .end_ns = (STARTED_S + 3600) * NS_PER_S,
					  .now_ns = (STARTED_S + 3700) * NS_PER_S };
	struct moment moment;
	struct err err = { "" };
	uint64_t ns = 0;

	if (moment_parse(text, &moment, &err) < 0 || moment_ns(&moment, &base, &ns, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	if ((int64_t)(ns / NS_PER_S) - (int64_t)STARTED_S != expected_s)
		fail_msg("%s is %lld s after the start", text,
			 (long long)(ns / NS_PER_S) - (long long)STARTED_S);
}

static void in_a_history(void **state)
{
	setenv("TZ", "UTC", 1);
	tzset();
	assert_in_history("10m", 3100);
	assert_in_history("2h", -3500); /* before its start */
	assert_in_history("+10m", 600);
	assert_in_history("-10s", 3590);
	assert_in_history("50%", 1800);
	assert_in_history("02:30", 1800);
	assert_in_history("2026-11-21T01:00Z", -3600);
	assert_in_history("@1795226401", 1);
}

/* Words for days are those of the clock on the wall. */
static void words_for_days(void **state)
{
	static const struct {
		const char *text;
		long day, second;
	} good[] = { { "today", 0, 0 },
		     { "yesterday", -1, 0 },
		     { "today 00:00:07", 0, 7 },
		     { "yesterday 14:05", -1, 50700 } };
	static const char *const bad[] = { "yesterda", "yesterdays", "today ", "today 25:00",
					   "now 3" };
	struct moment moment;
	struct err err;
	time_t midnight, again;

	setenv("TZ", "UTC", 1);
	tzset();
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		do { /* not over midnight */
			midnight = time(NULL) / 86400;
			assert_int_equal(moment_parse(good[i].text, &moment, &err), 0);
			again = time(NULL) / 86400;
		} while (midnight != again);
		assert_int_equal(moment.kind, MOMENT_REAL);
		assert_int_equal(moment.value / NS_PER_S,
				 (midnight + good[i].day) * 86400 + good[i].second);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(moment_parse(bad[i], &moment, &err), -EINVAL);
	assert_int_equal(moment_parse("now", &moment, &err), 0);
	assert_true(moment.value / NS_PER_S <= (uint64_t)time(NULL));
}

static int find_mark(void *context, const char *text, uint64_t *ret_ns, struct err *err)
{
	*ret_ns = *(uint64_t *)context;
	return strcmp(text, "a b") == 0 ? 0 : err_set(err, -ENODATA, "no mark %s", text);
}

static void at_marks(void **state)
{
	uint64_t time_ns = 105 * NS_PER_S, ns;
	struct moment_base base;
	struct moment moment;
	struct err err;

	recording(&base, 10);
	assert_int_equal(moment_parse("mark:", &moment, &err), -EINVAL);
	assert_int_equal(moment_parse("mark:a b", &moment, &err), 0);
	assert_true(moment_is_relative(&moment));
	assert_int_equal(moment_ns(&moment, &base, &ns, &err), -ENODATA);
	base.find_mark = find_mark;
	base.context = &time_ns;
	assert_int_equal(moment_ns(&moment, &base, &ns, &err), 0);
	assert_int_equal(ns, time_ns);
	assert_int_equal(moment_parse("mark:c", &moment, &err), 0);
	assert_int_equal(moment_ns(&moment, &base, &ns, &err), -ENODATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans),
		cmocka_unit_test(within_the_recording),
		cmocka_unit_test(by_the_clock_on_the_wall),
		cmocka_unit_test(in_another_place),
		cmocka_unit_test(no_moments),
		cmocka_unit_test(unknown_time_of_day),
		cmocka_unit_test(in_a_history),
		cmocka_unit_test(words_for_days),
		cmocka_unit_test(at_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
