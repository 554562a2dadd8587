/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "attribute/record_losses.h"

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

static void take(struct record_losses *losses, uint32_t type, uint64_t time_ns, uint64_t count,
		 size_t event)
{
	const struct perf_record record = { .type = type,
					    .time_ns = time_ns,
					    .lost = { .count = count } };
	const struct record_origin origin = { .event = (int)event, .counts_losses = true };

	record_losses_take(losses, &record, &origin);
}

static const struct loss *lost(const struct profile *profile, size_t event)
{
	return &profile->events[event].loss[LOSS_RING_FULL];
}

/* Told by records of the one event that noticed, and counted for each. */
static void what_is_told_twice_was_lost_once(void **state)
{
	struct record_losses losses = { .throttles = { 0 } };
	struct profile *profile = two_events();

	take(&losses, PERF_RECORD_LOST, 50, 30, 0);
	take(&losses, PERF_RECORD_LOST, 60, 20, 0);
	take(&losses, PERF_RECORD_LOST_SAMPLES, 0, 35, 0);
	take(&losses, PERF_RECORD_LOST_SAMPLES, 0, 15, 1);
	record_losses_settle(&losses, profile);
	assert_int_equal(lost(profile, 0)->count, 35);
	assert_int_equal(lost(profile, 1)->count, 15);
	assert_int_equal(lost(profile, 1)->weight, 1500);
	profile_free(profile);
	record_losses_done(&losses);
}

/* What a processor dropped, the kernel tells as it happens, and counts it for no event. */
static void what_processors_drop_is_lost_besides(void **state)
{
	struct record_losses losses = { .throttles = { 0 } };
	struct profile *profile = two_events();

	take(&losses, PERF_RECORD_LOST, 50, 30, 0);
	take(&losses, PERF_RECORD_LOST_SAMPLES, 55, 10, 0);
	take(&losses, PERF_RECORD_LOST_SAMPLES, 0, 50, 0);
	record_losses_settle(&losses, profile);
	assert_int_equal(lost(profile, 0)->count, 60);
	profile_free(profile);
	record_losses_done(&losses);
}

/* perf was killed before it told the counts. */
static void records_alone_are_enough(void **state)
{
	struct record_losses losses = { .throttles = { 0 } };
	struct profile *profile = two_events();

	take(&losses, PERF_RECORD_LOST, 50, 30, 0);
	record_losses_settle(&losses, profile);
	assert_int_equal(lost(profile, 0)->count, 30);
	profile_free(profile);
	record_losses_done(&losses);
}

static void what_a_filter_passed_over_is_no_loss(void **state)
{
	const struct perf_record record = { .type = PERF_RECORD_LOST_SAMPLES,
					    .lost = { .count = 7, .filtered = true } };
	const struct record_origin origin = { .counts_losses = true };
	struct record_losses losses = { .throttles = { 0 } };
	struct profile *profile = two_events();

	record_losses_take(&losses, &record, &origin);
	assert_int_equal(losses.lost, 0);
	record_losses_settle(&losses, profile);
	assert_int_equal(lost(profile, 0)->count, 0);
	profile_free(profile);
	record_losses_done(&losses);
}

/* A record in the ring of an event that counts into none of the profile's, as those of mappings. */
static void losses_of_other_events_count_together(void **state)
{
	const struct perf_record record = { .type = PERF_RECORD_LOST, .lost = { .count = 7 } };
	const struct record_origin origin = { .event = RECORD_NO_EVENT };
	struct record_losses losses = { .throttles = { 0 } };
	struct profile *profile = two_events();

	take(&losses, PERF_RECORD_LOST, 50, 30, 1);
	record_losses_take(&losses, &record, &origin);
	assert_int_equal(losses.lost, 37);
	record_losses_settle(&losses, profile);
	assert_int_equal(lost(profile, 0)->count, 0);
	assert_int_equal(lost(profile, 1)->count, 30);
	profile_free(profile);
	record_losses_done(&losses);
}

/* ---- throttling ---- */

static void throttle(struct record_losses *losses, uint32_t type, uint64_t time_ns, uint32_t cpu,
		     const struct record_origin *origin, struct profile *profile)
{
	const struct perf_record record = { .type = type, .time_ns = time_ns, .id = 7, .cpu = cpu };

	record_losses_throttle(losses, &record, origin, profile);
}

static const struct loss *throttled(const struct profile *profile, size_t event)
{
	return &profile->events[event].loss[LOSS_THROTTLED];
}

static void throttles_count_when_they_end(void **state)
{
	const struct record_origin origin = { .event = 1, .is_time = true };
	struct record_losses losses = { .throttles = { 0 } };
	struct profile *profile = two_events();

	throttle(&losses, PERF_RECORD_THROTTLE, 100, 0, &origin, profile);
	throttle(&losses, PERF_RECORD_THROTTLE, 110, 0, &origin, profile); /* it is already */
	throttle(&losses, PERF_RECORD_THROTTLE, 120, 1, &origin, profile); /* another CPU */
	assert_int_equal(throttled(profile, 1)->count, 0);
	throttle(&losses, PERF_RECORD_UNTHROTTLE, 130, 0, &origin, profile);
	throttle(&losses, PERF_RECORD_UNTHROTTLE, 140, 0, &origin, profile); /* of none */
	assert_int_equal(throttled(profile, 1)->count, 1);
	assert_int_equal(throttled(profile, 1)->weight, 30);
	assert_int_equal(throttled(profile, 0)->count, 0);
	profile_free(profile);
	record_losses_done(&losses);
}

static void open_throttles_end_with_the_recording(void **state)
{
	const struct record_origin origin = { .event = 0, .is_time = true };
	struct record_losses losses = { .throttles = { 0 } };
	struct profile *profile = two_events();

	throttle(&losses, PERF_RECORD_THROTTLE, 100, 0, &origin, profile);
	throttle(&losses, PERF_RECORD_THROTTLE, 700, 1, &origin, profile); /* after the end */
	record_losses_end(&losses, 600, profile);
	record_losses_end(&losses, 900, profile);
	assert_int_equal(throttled(profile, 0)->count, 2);
	assert_int_equal(throttled(profile, 0)->weight, 500);
	profile_free(profile);
	record_losses_done(&losses);
}

/* Nanoseconds are no weight of an event that counts something else, and of the idle stream or of
 * events that count into none nothing is lost. */
static void only_time_weighs(void **state)
{
	const struct record_origin cycles = { .event = 1 };
	const struct record_origin idle = { .event = 0, .is_time = true, .idle = true };
	const struct record_origin none = { .event = RECORD_NO_EVENT };
	struct record_losses losses = { .throttles = { 0 } };
	struct profile *profile = two_events();

	throttle(&losses, PERF_RECORD_THROTTLE, 100, 0, &cycles, profile);
	throttle(&losses, PERF_RECORD_THROTTLE, 100, 1, &idle, profile);
	throttle(&losses, PERF_RECORD_THROTTLE, 100, 2, &none, profile);
	for (uint32_t cpu = 0; cpu < 3; cpu++)
		throttle(&losses, PERF_RECORD_UNTHROTTLE, 200, cpu, &cycles, profile);
	assert_int_equal(throttled(profile, 1)->count, 1);
	assert_int_equal(throttled(profile, 1)->weight, 0);
	assert_int_equal(throttled(profile, 0)->count, 0);
	profile_free(profile);
	record_losses_done(&losses);
}

/* A hostile recording: each throttle of another event's, and none ends. */
static void throttles_are_bounded(void **state)
{
	const struct record_origin origin = { .event = 0, .is_time = true };
	struct record_losses losses = { .throttles = { 0 } };
	struct profile *profile = two_events();

	losses.throttles.count = RECORD_LOSSES_MAX_THROTTLES;
	losses.throttles.capacity = RECORD_LOSSES_MAX_THROTTLES;
	losses.throttles.items =
		calloc(RECORD_LOSSES_MAX_THROTTLES, sizeof(*losses.throttles.items));
	throttle(&losses, PERF_RECORD_THROTTLE, 100, 0, &origin, profile);
	assert_int_equal(losses.throttles.count, RECORD_LOSSES_MAX_THROTTLES);
	profile_free(profile);
	record_losses_done(&losses);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_told_twice_was_lost_once),
		cmocka_unit_test(what_processors_drop_is_lost_besides),
		cmocka_unit_test(records_alone_are_enough),
		cmocka_unit_test(what_a_filter_passed_over_is_no_loss),
		cmocka_unit_test(losses_of_other_events_count_together),
		cmocka_unit_test(throttles_count_when_they_end),
		cmocka_unit_test(open_throttles_end_with_the_recording),
		cmocka_unit_test(only_time_weighs),
		cmocka_unit_test(throttles_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
