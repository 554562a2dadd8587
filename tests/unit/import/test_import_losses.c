/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "import/import_losses.h"

static struct profile *two_events(void)
{
	struct profile *profile = profile_new();

	profile->event_count = 2;
	for (size_t i = 0; i < 2; i++) {
		profile->events[i].samples = 10;
		profile->events[i].weight = 1000;
	}
	return profile;
}

static void take(struct import_losses *losses, uint32_t type, uint64_t time_ns, uint64_t count,
		 size_t event)
{
	const struct perf_record record = { .type = type,
					    .time_ns = time_ns,
					    .lost = { .count = count } };

	import_losses_take(losses, &record, true, event);
}

static const struct loss *lost(const struct profile *profile, size_t event)
{
	return &profile->events[event].loss[LOSS_RING_FULL];
}

/* Told by records of the one event that noticed, and counted for each. */
static void what_is_told_twice_was_lost_once(void **state)
{
	struct import_losses losses = { .throttles = { 0 } };
	struct profile *profile = two_events();

	take(&losses, PERF_RECORD_LOST, 50, 30, 0);
	take(&losses, PERF_RECORD_LOST, 60, 20, 0);
	take(&losses, PERF_RECORD_LOST_SAMPLES, 0, 35, 0);
	take(&losses, PERF_RECORD_LOST_SAMPLES, 0, 15, 1);
	import_losses_settle(&losses, profile);
	assert_int_equal(lost(profile, 0)->count, 35);
	assert_int_equal(lost(profile, 1)->count, 15);
	assert_int_equal(lost(profile, 1)->weight, 1500);
	profile_free(profile);
	import_losses_done(&losses);
}

/* What a processor dropped, the kernel tells as it happens, and counts it for no event. */
static void what_processors_drop_is_lost_besides(void **state)
{
	struct import_losses losses = { .throttles = { 0 } };
	struct profile *profile = two_events();

	take(&losses, PERF_RECORD_LOST, 50, 30, 0);
	take(&losses, PERF_RECORD_LOST_SAMPLES, 55, 10, 0);
	take(&losses, PERF_RECORD_LOST_SAMPLES, 0, 50, 0);
	import_losses_settle(&losses, profile);
	assert_int_equal(lost(profile, 0)->count, 60);
	profile_free(profile);
	import_losses_done(&losses);
}

/* perf was killed before it told the counts. */
static void records_alone_are_enough(void **state)
{
	struct import_losses losses = { .throttles = { 0 } };
	struct profile *profile = two_events();

	take(&losses, PERF_RECORD_LOST, 50, 30, 0);
	import_losses_settle(&losses, profile);
	assert_int_equal(lost(profile, 0)->count, 30);
	profile_free(profile);
	import_losses_done(&losses);
}

static void what_a_filter_passed_over_is_no_loss(void **state)
{
	const struct perf_record record = { .type = PERF_RECORD_LOST_SAMPLES,
					    .lost = { .count = 7, .filtered = true } };
	struct import_losses losses = { .throttles = { 0 } };
	struct profile *profile = two_events();

	import_losses_take(&losses, &record, true, 0);
	import_losses_settle(&losses, profile);
	assert_int_equal(lost(profile, 0)->count, 0);
	profile_free(profile);
	import_losses_done(&losses);
}

static void throttles_count_when_they_end(void **state)
{
	struct import_losses losses = { .throttles = { 0 } };
	struct perf_record record = { .type = PERF_RECORD_THROTTLE, .time_ns = 100, .id = 7 };
	struct event event = { .samples = 1 };

	import_losses_throttle(&losses, &record, true, &event);
	assert_int_equal(event.loss[LOSS_THROTTLED].count, 0);
	record.type = PERF_RECORD_UNTHROTTLE;
	record.time_ns = 130;
	import_losses_throttle(&losses, &record, true, &event);
	import_losses_throttle(&losses, &record, true, &event); /* of none */
	assert_int_equal(event.loss[LOSS_THROTTLED].count, 1);
	assert_int_equal(event.loss[LOSS_THROTTLED].weight, 30);
	import_losses_done(&losses);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_told_twice_was_lost_once),
		cmocka_unit_test(what_processors_drop_is_lost_besides),
		cmocka_unit_test(records_alone_are_enough),
		cmocka_unit_test(what_a_filter_passed_over_is_no_loss),
		cmocka_unit_test(throttles_count_when_they_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
