/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "attribute/dispatch.h"

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

/* The source of every record: *context. */
static struct record_origin give(void *context, const struct perf_record *record)
{
	(void)record;
	return *(const struct record_origin *)context;
}

static void take_of(struct dispatch *dispatch, const struct perf_record *record,
		    const struct record_origin *origin)
{
	static const struct dispatch_hooks no_hooks;

	dispatch->hooks = &no_hooks;
	dispatch->source = (struct record_source){ give, (void *)origin };
	assert_int_equal(dispatch_take(dispatch, record), 0);
}

static void take(struct dispatch *dispatch, uint32_t type, uint64_t time_ns, uint64_t count,
		 size_t event)
{
	const struct perf_record record = { .type = type,
					    .time_ns = time_ns,
					    .lost = { .count = count } };
	const struct record_origin origin = { .event = (int)event, .counts_losses = true };

	take_of(dispatch, &record, &origin);
}

static const struct loss *lost(const struct profile *profile, size_t event)
{
	return &profile->events[event].loss[LOSS_RING_FULL];
}

/* The records are of the one event that noticed; the counts are of each event. */
static void a_loss_reported_twice_counts_once(void **state)
{
	struct profile *profile = two_events();
	struct dispatch dispatch = { .profile = profile };

	take(&dispatch, PERF_RECORD_LOST, 50, 30, 0);
	take(&dispatch, PERF_RECORD_LOST, 60, 20, 0);
	take(&dispatch, PERF_RECORD_LOST_SAMPLES, 0, 35, 0);
	take(&dispatch, PERF_RECORD_LOST_SAMPLES, 0, 15, 1);
	dispatch_settle_losses(&dispatch);
	assert_int_equal(lost(profile, 0)->count, 35);
	assert_int_equal(lost(profile, 1)->count, 15);
	assert_int_equal(lost(profile, 1)->weight, 1500);
	profile_free(profile);
	dispatch_done(&dispatch);
}

/* The kernel reports what a processor dropped as it happens, and counts it for no event. */
static void what_processors_drop_is_lost_besides(void **state)
{
	struct profile *profile = two_events();
	struct dispatch dispatch = { .profile = profile };

	take(&dispatch, PERF_RECORD_LOST, 50, 30, 0);
	take(&dispatch, PERF_RECORD_LOST_SAMPLES, 55, 10, 0);
	take(&dispatch, PERF_RECORD_LOST_SAMPLES, 0, 50, 0);
	dispatch_settle_losses(&dispatch);
	assert_int_equal(lost(profile, 0)->count, 60);
	profile_free(profile);
	dispatch_done(&dispatch);
}

/* perf was killed before it wrote the counts. */
static void records_alone_are_enough(void **state)
{
	struct profile *profile = two_events();
	struct dispatch dispatch = { .profile = profile };

	take(&dispatch, PERF_RECORD_LOST, 50, 30, 0);
	dispatch_settle_losses(&dispatch);
	assert_int_equal(lost(profile, 0)->count, 30);
	profile_free(profile);
	dispatch_done(&dispatch);
}

static void what_a_filter_passed_over_is_no_loss(void **state)
{
	const struct perf_record record = { .type = PERF_RECORD_LOST_SAMPLES,
					    .lost = { .count = 7, .filtered = true } };
	const struct record_origin origin = { .counts_losses = true };
	struct profile *profile = two_events();
	struct dispatch dispatch = { .profile = profile };

	take_of(&dispatch, &record, &origin);
	assert_int_equal(dispatch.lost, 0);
	dispatch_settle_losses(&dispatch);
	assert_int_equal(lost(profile, 0)->count, 0);
	profile_free(profile);
	dispatch_done(&dispatch);
}

/* A record in the ring of an event that counts into none of the profile's, as those of mappings. */
static void losses_of_other_events_count_together(void **state)
{
	const struct perf_record record = { .type = PERF_RECORD_LOST, .lost = { .count = 7 } };
	const struct record_origin origin = { .event = RECORD_NO_EVENT };
	struct profile *profile = two_events();
	struct dispatch dispatch = { .profile = profile };

	take(&dispatch, PERF_RECORD_LOST, 50, 30, 1);
	take_of(&dispatch, &record, &origin);
	assert_int_equal(dispatch.lost, 37);
	dispatch_settle_losses(&dispatch);
	assert_int_equal(lost(profile, 0)->count, 0);
	assert_int_equal(lost(profile, 1)->count, 30);
	profile_free(profile);
	dispatch_done(&dispatch);
}

/* ---- throttling ---- */

static void throttle(struct dispatch *dispatch, uint32_t type, uint64_t time_ns, uint32_t cpu,
		     const struct record_origin *origin)
{
	const struct perf_record record = { .type = type, .time_ns = time_ns, .id = 7, .cpu = cpu };

	take_of(dispatch, &record, origin);
}

static const struct loss *throttled(const struct profile *profile, size_t event)
{
	return &profile->events[event].loss[LOSS_THROTTLED];
}

static void throttles_count_when_they_end(void **state)
{
	const struct record_origin origin = { .event = 1, .is_time = true };
	struct profile *profile = two_events();
	struct dispatch dispatch = { .profile = profile };

	throttle(&dispatch, PERF_RECORD_THROTTLE, 100, 0, &origin);
	throttle(&dispatch, PERF_RECORD_THROTTLE, 110, 0, &origin); /* it is already */
	throttle(&dispatch, PERF_RECORD_THROTTLE, 120, 1, &origin); /* another CPU */
	assert_int_equal(throttled(profile, 1)->count, 0);
	throttle(&dispatch, PERF_RECORD_UNTHROTTLE, 130, 0, &origin);
	throttle(&dispatch, PERF_RECORD_UNTHROTTLE, 140, 0, &origin); /* of none */
	assert_int_equal(throttled(profile, 1)->count, 1);
	assert_int_equal(throttled(profile, 1)->weight, 30);
	assert_int_equal(throttled(profile, 0)->count, 0);
	profile_free(profile);
	dispatch_done(&dispatch);
}

static void open_throttles_end_with_the_recording(void **state)
{
	const struct record_origin origin = { .event = 0, .is_time = true };
	struct profile *profile = two_events();
	struct dispatch dispatch = { .profile = profile };

	throttle(&dispatch, PERF_RECORD_THROTTLE, 100, 0, &origin);
	throttle(&dispatch, PERF_RECORD_THROTTLE, 700, 1, &origin); /* after the end */
	dispatch_end(&dispatch, 600);
	dispatch_end(&dispatch, 900);
	assert_int_equal(throttled(profile, 0)->count, 2);
	assert_int_equal(throttled(profile, 0)->weight, 500);
	profile_free(profile);
	dispatch_done(&dispatch);
}

/* Nanoseconds are no weight of an event that counts something else, and of the idle stream or of
 * events that count into none nothing is lost. */
static void only_time_weighs(void **state)
{
	const struct record_origin cycles = { .event = 1 };
	const struct record_origin idle = { .event = 0, .is_time = true, .idle = true };
	const struct record_origin none = { .event = RECORD_NO_EVENT };
	struct profile *profile = two_events();
	struct dispatch dispatch = { .profile = profile };

	throttle(&dispatch, PERF_RECORD_THROTTLE, 100, 0, &cycles);
	throttle(&dispatch, PERF_RECORD_THROTTLE, 100, 1, &idle);
	throttle(&dispatch, PERF_RECORD_THROTTLE, 100, 2, &none);
	for (uint32_t cpu = 0; cpu < 3; cpu++)
		throttle(&dispatch, PERF_RECORD_UNTHROTTLE, 200, cpu, &cycles);
	assert_int_equal(throttled(profile, 1)->count, 1);
	assert_int_equal(throttled(profile, 1)->weight, 0);
	assert_int_equal(throttled(profile, 0)->count, 0);
	profile_free(profile);
	dispatch_done(&dispatch);
}

/* A hostile recording: each throttle of another event's, and none ends. */
static void throttles_are_bounded(void **state)
{
	const struct record_origin origin = { .event = 0, .is_time = true };
	struct profile *profile = two_events();
	struct dispatch dispatch = { .profile = profile };

	dispatch.throttles.count = DISPATCH_MAX_THROTTLES;
	dispatch.throttles.capacity = DISPATCH_MAX_THROTTLES;
	dispatch.throttles.items =
		calloc(DISPATCH_MAX_THROTTLES, sizeof(*dispatch.throttles.items));
	throttle(&dispatch, PERF_RECORD_THROTTLE, 100, 0, &origin);
	assert_int_equal(dispatch.throttles.count, DISPATCH_MAX_THROTTLES);
	profile_free(profile);
	dispatch_done(&dispatch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loss_reported_twice_counts_once),
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
