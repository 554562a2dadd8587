/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/waits.h"

#include "aggregate/account/off_cpu_account.h"

static void make(const struct fixture *fixture, struct off_cpu_account *ret_account)
{
	off_cpu_account_make(fixture->profile, fixture->totals.rows.items,
			     fixture->totals.rows.count, ret_account);
}

static uint64_t sum_of(const struct off_cpu_account *account)
{
	uint64_t sum = 0;

	for (int i = 0; i < WAIT_COUNT; i++)
		sum += account->parts_ns[i];
	return sum;
}

/* The exact times are divided as the waits that were recorded are, and still add up. */
static void the_account_adds_up(void **state)
{
	struct waits waits;
	struct off_cpu_account account;

	waits_make(&waits);
	make(&waits.fixture, &account);
	assert_true(account.known);
	assert_true(account.of_command);
	assert_int_equal(account.threads, 1);
	assert_int_equal(account.whole_ns, 1000 * NS_PER_MS);
	assert_int_equal(sum_of(&account), account.whole_ns);
	assert_int_equal(account.parts_ns[WAIT_RUNNING], 200 * NS_PER_MS);
	assert_int_equal(account.user_ns, 150 * NS_PER_MS); /* 3 of 4 samples */
	assert_int_equal(account.kernel_ns, 50 * NS_PER_MS);
	assert_int_equal(account.parts_ns[WAIT_RUNNABLE], 100 * NS_PER_MS);
	/* 700 ms of blocked time as 400 to 160 */
	assert_int_equal(account.parts_ns[WAIT_LOCK], 500 * NS_PER_MS);
	assert_int_equal(account.parts_ns[WAIT_SLEEP], 200 * NS_PER_MS);
	assert_int_equal(account.parts_ns[WAIT_BLOCKED], 0);
	off_cpu_account_done(&account);
	waits_done(&waits);
}

static const char *name_of(const struct waits *waits, uint32_t symbol)
{
	const struct profile *profile = waits->fixture.profile;

	return symbol ? profile_text(profile, profile->symbols.items[symbol].name) : NULL;
}

static void places_tell_who_asked_and_who_woke(void **state)
{
	struct waits waits;
	struct off_cpu_account account;
	const struct wait_place *place;

	waits_make(&waits);
	make(&waits.fixture, &account);
	assert_int_equal(account.places.count, 2);
	place = &account.places.items[0];
	assert_int_equal(place->wait, WAIT_LOCK);
	assert_string_equal(name_of(&waits, place->kernel), "futex_wait");
	assert_string_equal(name_of(&waits, place->user), "pthread_mutex_lock");
	assert_string_equal(name_of(&waits, place->caller), "work");
	assert_string_equal(profile_text(waits.fixture.profile, place->waker), "client");
	assert_int_equal(place->samples, 4);
	assert_int_equal(place->weight, 400 * NS_PER_MS);
	/* Of the other only the kernel's part was seen. */
	place = &account.places.items[1];
	assert_int_equal(place->wait, WAIT_SLEEP);
	assert_string_equal(name_of(&waits, place->kernel), "do_nanosleep");
	assert_null(name_of(&waits, place->user));
	assert_null(name_of(&waits, place->caller));
	assert_int_equal(place->waker, 0);
	off_cpu_account_done(&account);
	waits_done(&waits);
}

static void without_a_command_all_threads_count(void **state)
{
	struct waits waits;
	struct off_cpu_account account;

	waits_make(&waits);
	waits.fixture.profile->processes.items[waits.command].in_command = false;
	make(&waits.fixture, &account);
	assert_false(account.of_command);
	assert_int_equal(account.threads, 2);
	assert_int_equal(account.whole_ns, 6000 * NS_PER_MS);
	assert_int_equal(sum_of(&account), account.whole_ns);
	off_cpu_account_done(&account);
	waits_done(&waits);
}

/* No wait was recorded: what the threads waited for is not known, but that they did. */
static void waits_that_were_not_recorded(void **state)
{
	struct waits waits;
	struct off_cpu_account account;

	waits_make(&waits);
	waits.fixture.totals.rows.count -= waits.recorded;
	make(&waits.fixture, &account);
	assert_int_equal(account.parts_ns[WAIT_BLOCKED], 700 * NS_PER_MS);
	assert_int_equal(sum_of(&account), account.whole_ns);
	assert_int_equal(account.places.count, 0);
	off_cpu_account_done(&account);
	waits_done(&waits);
}

static void nothing_was_asked_for(void **state)
{
	struct fixture fixture;
	struct off_cpu_account account;

	fixture_init(&fixture);
	make(&fixture, &account);
	assert_false(account.known);
	off_cpu_account_done(&account);
	fixture_done(&fixture);
}

/* Threads' events are not where the times of a report come from. */
static void the_clock_stays_the_main_event(void **state)
{
	struct waits waits;
	struct off_cpu_account account;

	waits_make(&waits);
	waits.fixture.profile->events[0].samples = 0;
	assert_int_equal(account_main_event(waits.fixture.profile), 0);
	assert_true(account_is_of_threads(waits.fixture.profile, waits.waits));
	assert_false(account_is_of_threads(waits.fixture.profile, 0));
	make(&waits.fixture, &account);
	off_cpu_account_done(&account);
	waits_done(&waits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_account_adds_up),
		cmocka_unit_test(places_tell_who_asked_and_who_woke),
		cmocka_unit_test(without_a_command_all_threads_count),
		cmocka_unit_test(waits_that_were_not_recorded),
		cmocka_unit_test(nothing_was_asked_for),
		cmocka_unit_test(the_clock_stays_the_main_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
