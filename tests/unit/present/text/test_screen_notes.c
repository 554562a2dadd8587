/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/printed.h"

#include "present/text/screen_notes.h"

static const char *print_within(struct printed *printed, size_t lines)
{
	printed_begin(printed, VIEW_SCREEN);
	screen_notes_print(&printed->view, 200, lines, printed->out);
	return printed_end(printed);
}

static const char *print(struct printed *printed)
{
	return print_within(printed, SIZE_MAX);
}

/* A profile whose account closes: 1 s was sampled, 19 s were idle. */
static struct profile *well(struct printed *printed)
{
	printed_world(printed);
	printed->fixture.profile->events[0].samples = 1000;
	printed->fixture.profile->events[0].weight = NS_PER_S;
	return printed->fixture.profile;
}

static void nothing_if_all_is_well(void **state)
{
	struct printed printed;

	well(&printed);
	assert_string_equal(print(&printed), "");
	printed_done(&printed);
}

static void losses_name_their_reason(void **state)
{
	struct printed printed;
	struct profile *profile = well(&printed);

	profile->events[0].loss[LOSS_RING_FULL].count = 9;
	assert_string_equal(print(&printed), "");
	printed_done(&printed);
	profile = well(&printed);
	profile->events[0].loss[LOSS_RING_FULL].count = 1000;
	assert_has(print(&printed), "!            50 % of the samples were lost: 1,000 samples "
				    "dropped because a buffer was full. ");
	printed_done(&printed);
}

static void what_has_no_room_is_counted(void **state)
{
	struct printed printed;
	struct profile *profile = well(&printed);

	profile->events[0].loss[LOSS_RING_FULL].count = 1000;
	profile_set_text(&profile->run.not_visible, "the kernel: why\nother processes: why\n");
	assert_lacks(print_within(&printed, 3), "remark");
	printed_done(&printed);
	profile = well(&printed);
	profile->events[0].loss[LOSS_RING_FULL].count = 1000;
	profile_set_text(&profile->run.not_visible, "the kernel: why\nother processes: why\n");
	assert_has(print_within(&printed, 1), "were lost");
	assert_has(printed.text, "\n!            2 more remarks: report --quality\n");
	assert_lacks(printed.text, "why");
	printed_done(&printed);
}

static void time_that_is_not_accounted_for(void **state)
{
	struct printed printed;

	well(&printed)->run.idle_ns = 17 * NS_PER_S;
	assert_has(print(&printed), "10 % of the CPUs' time is not accounted for");
	printed_done(&printed);
}

static void time_that_the_host_took(void **state)
{
	struct printed printed;
	struct profile *profile = well(&printed);

	profile->run.idle_ns = 15 * NS_PER_S;
	profile->run.steal_ns = 4 * NS_PER_S;
	assert_string_equal(print(&printed), "!            The host of this virtual machine took "
					     "20 % of the CPUs' time.\n");
	printed_done(&printed);
}

static void own_cost(void **state)
{
	struct printed printed;

	well(&printed)->run.recording_cpu_ns = NS_PER_S;
	assert_has(print(&printed), "prospect itself took 5 % of the CPUs' time");
	printed_done(&printed);
}

static void each_sentence_on_what_was_not_visible(void **state)
{
	struct printed printed;

	profile_set_text(&well(&printed)->run.not_visible, "the kernel\nother users");
	assert_string_equal(print(&printed), "!            Not visible: the kernel\n"
					     "!            Not visible: other users\n");
	printed_done(&printed);
}

static void quality_in_a_few_words(void **state)
{
	struct printed printed;
	struct profile *profile = well(&printed);
	struct buf text = { 0 };

	profile->run.recording_cpu_ns = 100 * NS_PER_MS;
	printed_begin(&printed, VIEW_SCREEN);
	printed.view.selected_samples = 1000;
	screen_notes_add_quality(&printed.view, &text);
	assert_string_equal(buf_text(&text), "1,000 samples, none lost; own cost 0.5 %");
	buf_clear(&text);
	profile->events[0].loss[LOSS_THROTTLED].count = 1;
	printed.view.selected_samples = 1;
	screen_notes_add_quality(&printed.view, &text);
	assert_string_equal(buf_text(&text), "1 sample, 1 lost; own cost 0.5 %");
	/* From 5 % on the cost has a line of its own. */
	buf_clear(&text);
	profile->run.recording_cpu_ns = 998 * NS_PER_MS;
	screen_notes_add_quality(&printed.view, &text);
	assert_string_equal(buf_text(&text), "1 sample, 1 lost; own cost 5.0 %");
	buf_clear(&text);
	profile->run.recording_cpu_ns = NS_PER_S;
	screen_notes_add_quality(&printed.view, &text);
	assert_string_equal(buf_text(&text), "1 sample, 1 lost");
	buf_done(&text);
	printed_end(&printed);
	printed_done(&printed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_if_all_is_well),
		cmocka_unit_test(losses_name_their_reason),
		cmocka_unit_test(what_has_no_room_is_counted),
		cmocka_unit_test(time_that_is_not_accounted_for),
		cmocka_unit_test(time_that_the_host_took),
		cmocka_unit_test(own_cost),
		cmocka_unit_test(each_sentence_on_what_was_not_visible),
		cmocka_unit_test(quality_in_a_few_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
