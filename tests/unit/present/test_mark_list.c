/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/mark_list.h"

#include "aggregate/fixture.h"

static void add_mark(struct fixture *fixture, double at_s, const char *text)
{
	struct profile *profile = fixture->profile;

	*vec_push(&profile->marks) = (struct mark){
		.time_ns = profile->run.start_ns + (uint64_t)(int64_t)(at_s * (double)NS_PER_S),
		.text = fixture_text(fixture, text),
	};
}

static void assert_list(const struct view *view, const char *wanted)
{
	struct buf text = { 0 };

	mark_list_add(view, &text);
	assert_string_equal(buf_text(&text), wanted);
	buf_done(&text);
}

static void the_last_ones_are_listed(void **state)
{
	struct fixture fixture;
	struct view view = { 0 };

	(void)state;
	setenv("TZ", "UTC", 1);
	fixture_init(&fixture);
	view.labels = fixture_labels(&fixture);
	assert_list(&view, "");
	fixture.profile->run.start_realtime_ns = 86398 * NS_PER_S;
	add_mark(&fixture, 1.5, "second");
	add_mark(&fixture, 0.5, "a\nb");
	assert_list(&view, "a\\x0ab 23:59:58, second 23:59:59");
	add_mark(&fixture, 3, "tomorrow");
	assert_list(&view, "a\\x0ab 1970-01-01 23:59:58, second 1970-01-01 23:59:59, "
			   "tomorrow 1970-01-02 00:00:01");
	for (int i = 4; i < 9; i++)
		add_mark(&fixture, i, "a text of many words that would fill the line alone");
	add_mark(&fixture, 9, "end");
	for (int i = 0; i < 3; i++)
		add_mark(&fixture, 10 + i, i ? "again" : "once");
	assert_list(&view, "a text of many word...ill the line alone 00:00:06, end 00:00:07, "
			   "once 00:00:08, again 00:00:09, again 00:00:10 (7 earlier)");
	/* Nothing says when that was. */
	fixture.profile->run.start_realtime_ns = 0;
	view.since = "1";
	view.from_ns = fixture.profile->run.start_ns + NS_PER_S;
	view.to_ns = fixture.profile->run.start_ns + 3 * NS_PER_S;
	assert_list(&view, "second +1.5 s");
	fixture_done(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_ones_are_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
