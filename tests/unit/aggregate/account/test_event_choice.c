/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/fixture.h"

#include <errno.h>

#include "aggregate/account/event_choice.h"

/* cpu-clock is 0. */
static void make_events(struct fixture *fixture)
{
	fixture_init(fixture);
	fixture_event(fixture, "page-faults@100", "count");	    /* 1 */
	fixture_event(fixture, "cpu/event=0x3c,umask=1/", "count"); /* 2 */
	fixture_event(fixture, "cycles", "count");		    /* 3 */
	fixture_event(fixture, "cycles,u", "count");		    /* 4 */
	fixture_event(fixture, "page-faults@7", "count");	    /* 5 */
}

/* @expected: the numbers of the chosen events, those that @text names followed by '!'. */
static void assert_chosen(const char *text, const char *expected)
{
	struct fixture fixture;
	struct event_choice choice;
	struct buf numbers = { 0 };
	struct err err = { "" };

	make_events(&fixture);
	if (event_choice_parse(fixture.profile, text, &choice, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	for (size_t i = 0; i < choice.count; i++)
		buf_printf(&numbers, "%u%s", choice.events[i], choice.named[i] ? "!" : "");
	assert_string_equal(buf_text(&numbers), expected);
	buf_done(&numbers);
	fixture_done(&fixture);
}

static void assert_unknown(const char *text, const char *because)
{
	struct fixture fixture;
	struct event_choice choice = { .count = 77 };
	struct err err = { "" };

	make_events(&fixture);
	assert_int_equal(event_choice_parse(fixture.profile, text, &choice, &err), -ENODATA);
	assert_string_equal(err.text, because);
	assert_int_equal(choice.count, 77);
	fixture_done(&fixture);
}

static void chosen(void **state)
{
	assert_chosen(NULL, "0!");
	assert_chosen("cycles", "3!");
	assert_chosen("cycles,cpu-clock", "3!0!");
	assert_chosen("cycles,cycles", "3!");
	/* names have commas */
	assert_chosen("cpu/event=0x3c,umask=1/,cpu-clock", "2!0!");
	assert_chosen("cycles,u,cycles", "4!3!");
	/* without the period, which may be several */
	assert_chosen("page-faults", "1!5!");
	assert_chosen("page-faults@7,page-faults", "5!1!");
	assert_chosen("*", "012345");
	assert_chosen("cycles*,*", "340125");
	(void)state;
}

static void unknown(void **state)
{
	assert_unknown("", "the profile has no event ''");
	assert_unknown("cpu-cloc", "the profile has no event 'cpu-cloc'");
	assert_unknown("cpu-clock,page,cycles", "the profile has no event 'page'");
	assert_unknown("cpu-clock,", "the profile has no event ''");
	assert_unknown("page-faults@", "the profile has no event 'page-faults@'");
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chosen),
		cmocka_unit_test(unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
