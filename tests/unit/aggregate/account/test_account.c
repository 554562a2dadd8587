/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/fixture.h"

#include <math.h>

#include "aggregate/account/account.h"

/* 20 s of capacity: 12 sampled, 6 idle, 0.5 iowait, 0.3 steal, 1 lost: 0.2 are left. */
static void make(struct fixture *fixture)
{
	struct run_facts *run;
	struct event *event;

	fixture_init(fixture);
	run = &fixture->profile->run;
	event = &fixture->profile->events[0];
	event->samples = 12000;
	event->weight = 12 * NS_PER_S;
	event->loss[LOSS_RING_FULL] = (struct loss){ 300, 300 * NS_PER_MS };
	event->loss[LOSS_MISSED_TICKS] = (struct loss){ 500, 500 * NS_PER_MS };
	event->loss[LOSS_THROTTLED] = (struct loss){ 0, 200 * NS_PER_MS };
	/* These samples are there all the same, and records have no time. */
	event->loss[LOSS_UNKNOWN_TASK] = (struct loss){ 9, 9 * NS_PER_S };
	event->loss[LOSS_TRACKING] = (struct loss){ 7, 0 };
	run->idle_ns = 6 * NS_PER_S;
	run->iowait_ns = NS_PER_S / 2;
	run->steal_ns = 300 * NS_PER_MS;
	run->stat_shortfall_ns = 2 * NS_PER_S;
}

static void closes(void **state)
{
	struct fixture fixture;
	struct account account;

	make(&fixture);
	account = account_of(fixture.profile);
	assert_null(account.missing);
	assert_int_equal(account.capacity_ns, 20 * NS_PER_S);
	assert_int_equal(account.sampled_ns, 12 * NS_PER_S);
	assert_int_equal(account.lost_ns, NS_PER_S);
	assert_int_equal(account.lost_by_reason_ns[LOSS_MISSED_TICKS], 500 * NS_PER_MS);
	assert_int_equal(account.lost_by_reason_ns[LOSS_UNKNOWN_TASK], 0);
	assert_int_equal(account.residue_ns, 200 * NS_PER_MS);
	assert_true(fabs(account.residue_percent - 1) < 1e-9);
	/* Reported separately, not part of the sum. */
	assert_true(fabs(account.shortfall_percent - 10) < 1e-9);
	fixture_done(&fixture);
}

static void residue_may_be_negative(void **state)
{
	struct fixture fixture;
	struct account account;

	make(&fixture);
	fixture.profile->run.idle_ns = 8 * NS_PER_S;
	account = account_of(fixture.profile);
	assert_true(account.residue_ns == -1800 * (int64_t)NS_PER_MS);
	assert_true(fabs(account.residue_percent + 9) < 1e-9);
	fixture_done(&fixture);
}

/* Ten seconds of two CPUs in two parts: the second of 4 s with 2 s idle, 1 s steal and 0.5 s lost. */
static void add_times(struct fixture *fixture)
{
	const struct cpu_time times[] = {
		{ 100 * NS_PER_S, 106 * NS_PER_S, 12 * NS_PER_S, 6 * NS_PER_S, 0, 0, 0 },
		{ 106 * NS_PER_S, 110 * NS_PER_S, 8 * NS_PER_S, 2 * NS_PER_S, NS_PER_S, NS_PER_S,
		  NS_PER_S / 2 },
	};

	make(fixture);
	for (size_t i = 0; i < 2; i++)
		profile_add_cpu_time(fixture->profile, &times[i]);
}

static void of_parts(void **state)
{
	struct fixture fixture;
	struct account account;

	add_times(&fixture);
	/* A sixth of the first part and half of the second one. */
	account = account_of_part(fixture.profile, 105 * NS_PER_S, 108 * NS_PER_S, 3 * NS_PER_S);
	assert_null(account.missing);
	assert_int_equal(account.capacity_ns, 6 * NS_PER_S);
	assert_int_equal(account.idle_ns, 2 * NS_PER_S);
	assert_int_equal(account.iowait_ns, NS_PER_S / 2);
	assert_int_equal(account.steal_ns, NS_PER_S / 2);
	assert_int_equal(account.lost_ns, NS_PER_S / 4);
	assert_int_equal(account.not_recorded_ns, 0);
	assert_int_equal(account.residue_ns, -(int64_t)(NS_PER_S / 4));
	/* Two seconds of what was asked for are after the end. */
	account = account_of_part(fixture.profile, 106 * NS_PER_S, 112 * NS_PER_S, 3 * NS_PER_S);
	assert_int_equal(account.capacity_ns, 8 * NS_PER_S);
	assert_int_equal(account.not_recorded_ns, 4 * NS_PER_S);
	assert_non_null(account_of_part(fixture.profile, 1, 2, 0).missing);
	fixture_done(&fixture);
}

/* What did not finish has an account of what is known. */
static void of_an_unfinished_one(void **state)
{
	struct fixture fixture;
	struct account account;

	add_times(&fixture);
	fixture.profile->run.end_ns = 0;
	account = account_of(fixture.profile);
	assert_null(account.missing);
	assert_int_equal(account.capacity_ns, 20 * NS_PER_S);
	assert_int_equal(account.idle_ns, 8 * NS_PER_S);
	assert_int_equal(account.sampled_ns, 12 * NS_PER_S);
	fixture_done(&fixture);
}

static void not_every_run_has_one(void **state)
{
	struct fixture fixture;

	make(&fixture);
	profile_set_text(&fixture.profile->run.scope, "command");
	assert_non_null(account_of(fixture.profile).missing);
	profile_set_text(&fixture.profile->run.scope, NULL);
	assert_non_null(account_of(fixture.profile).missing);
	profile_set_text(&fixture.profile->run.scope, "machine");
	assert_null(account_of(fixture.profile).missing);
	fixture.profile->run.end_ns = 0;
	assert_non_null(strstr(account_of(fixture.profile).missing, "did not finish"));
	assert_int_equal(account_wall_ns(fixture.profile), 0);
	fixture.profile->run.end_ns = 110 * NS_PER_S;
	fixture.profile->events[0].unit = fixture_text(&fixture, "count");
	assert_non_null(account_of(fixture.profile).missing);
	fixture_done(&fixture);
}

static void main_event_counts_time(void **state)
{
	struct fixture fixture;
	struct event *events;

	fixture_init(&fixture);
	events = fixture.profile->events;
	events[0].unit = fixture_text(&fixture, "count");
	fixture_event(&fixture, "cpu-clock", "ns");
	assert_int_equal(account_main_event(fixture.profile), 0);
	events[0].samples = 5;
	assert_int_equal(account_main_event(fixture.profile), 0);
	events[1].samples = 5;
	assert_int_equal(account_main_event(fixture.profile), 1);
	fixture_done(&fixture);
}

static void lost_samples(void **state)
{
	struct fixture fixture;

	make(&fixture);
	assert_int_equal(account_lost_samples(&fixture.profile->events[0]), 800);
	fixture_done(&fixture);
}

static void own_cost(void **state)
{
	struct fixture fixture;
	struct run_facts *run;

	make(&fixture);
	run = &fixture.profile->run;
	run->self_cpu_ns = 100 * NS_PER_MS;
	run->bpf_ns = 20 * NS_PER_MS;
	run->interrupt_ns = 80 * NS_PER_MS;
	assert_true(fabs(account_cost(fixture.profile).percent - 0.6) < 1e-9);
	run->interrupt_known = 1;
	assert_true(fabs(account_cost(fixture.profile).percent - 1) < 1e-9);
	assert_false(account_cost(fixture.profile).apart);
	assert_int_equal(account_cost(fixture.profile).once_ns, 0);
	run->recording_cpu_ns = 40 * NS_PER_MS;
	assert_true(fabs(account_cost(fixture.profile).percent - 0.7) < 1e-9);
	assert_true(account_cost(fixture.profile).apart);
	assert_int_equal(account_cost(fixture.profile).recording_ns, 40 * NS_PER_MS);
	assert_int_equal(account_cost(fixture.profile).once_ns, 60 * NS_PER_MS);
	fixture_done(&fixture);
}

/* A recording that is charged with more than all there was, or that has no duration. */
static void own_cost_without_sense(void **state)
{
	struct fixture fixture;
	struct run_facts *run;

	make(&fixture);
	run = &fixture.profile->run;
	run->self_cpu_ns = 30 * NS_PER_MS;
	run->recording_cpu_ns = 40 * NS_PER_MS;
	assert_int_equal(account_cost(fixture.profile).once_ns, 0);
	run->end_ns = 0;
	assert_true(account_cost(fixture.profile).percent == 0);
	fixture_done(&fixture);
}

/* Samples that are there do not count as lost, whatever else is missing. */
static void every_reason(void **state)
{
	static const enum loss_reason there[] = { LOSS_TRACKING, LOSS_UNKNOWN_TASK, LOSS_LATE,
						  LOSS_NOT_READ };
	uint64_t expected = 0;
	struct fixture fixture;
	struct event *event;

	fixture_init(&fixture);
	event = &fixture.profile->events[0];
	for (int i = 0; i < LOSS_COUNT; i++) {
		event->loss[i].count = 1ULL << i;
		expected |= 1ULL << i;
	}
	for (size_t i = 0; i < sizeof(there) / sizeof(*there); i++)
		expected &= ~(1ULL << there[i]);
	assert_int_equal(account_lost_samples(event), expected);
	fixture_done(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closes),
		cmocka_unit_test(residue_may_be_negative),
		cmocka_unit_test(of_parts),
		cmocka_unit_test(of_an_unfinished_one),
		cmocka_unit_test(not_every_run_has_one),
		cmocka_unit_test(main_event_counts_time),
		cmocka_unit_test(lost_samples),
		cmocka_unit_test(own_cost),
		cmocka_unit_test(own_cost_without_sense),
		cmocka_unit_test(every_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
