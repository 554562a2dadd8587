/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts that are there and what they say; tests/golden has whole reports letter by letter. */
#include "present/printed.h"

#include "present/text/text_report.h"

static const char *print(struct printed *printed, int level)
{
	printed_begin(printed, level);
	text_report_print(&printed->view, printed->out);
	return printed_end(printed);
}

static void assert_narrow(const char *text, size_t columns)
{
	for (size_t length; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		if (length > columns)
			fail_msg("%zu columns: %.*s", length, (int)length, text);
	}
}

static void parts_of_each_level(void **state)
{
	static const char *const parts[] = {
		"Statistics of Run",	 "Extrapolated Summary of Processes",
		"netperf#1  pid",	 "cpuspin#1  pid",
		"Global KERNEL Profile",
	};
	static const bool there[][5] = {
		{ false, false, false, false, false },
		{ true, true, true, false, false },
		{ true, true, true, true, false },
		{ true, true, true, true, true },
	};

	for (int level = 1; level <= 4; level++) {
		struct printed printed;
		const char *text;

		printed_world(&printed);
		text = print(&printed, level);
		for (int part = 0; part < 5; part++) {
			if (there[level - 1][part])
				assert_has(text, parts[part]);
			else
				assert_lacks(text, parts[part]);
		}
		assert_narrow(text, 100);
		printed_done(&printed);
	}
}

static void figures_of_the_full_report(void **state)
{
	struct printed printed;
	const char *text;

	printed_world(&printed);
	text = print(&printed, 4);
	/* User, system, and beside it interrupts. */
	assert_has(text, "netperf#1  11000        100  0.1000          500  0.5000          50  "
			 "0.0500   65.00\n");
	assert_has(text, "USER portion of profile: 100 hits, 0.1000 s");
	assert_has(text, "KERNEL portion of profile: 500 hits, 0.5000 s on its behalf;\n    "
			 "interrupts while it "
			 "ran: 50 hits, 0.0500 s");
	assert_has(text, "recv->recvfrom   100  100.00  /lib/libc.so.6");
	assert_has(text, "(idle, halted CPUs included)     -  19.0000");
	assert_has(text, "net_rx_action                  160   0.1600  24.24          0         160"
			 "  [kernel]");
	printed_done(&printed);
}

static void least_shares(void **state)
{
	struct printed printed;
	const char *text;

	printed_world(&printed);
	printed_begin(&printed, 3);
	printed.view.detail_percent = 30;
	text_report_print(&printed.view, printed.out);
	text = printed_end(&printed);
	assert_has(text, "netperf#1  pid");
	assert_lacks(text, "cpuspin#1  pid");
	printed_done(&printed);
	printed_world(&printed);
	printed_begin(&printed, 4);
	printed.view.list_percent = 20;
	printed.view.detail_percent = 20;
	text_report_print(&printed.view, printed.out);
	text = printed_end(&printed);
	assert_has(text, "Processes not listed, below 20 % (-k): 1");
	assert_lacks(text, "[idle]#1  ");
	printed_done(&printed);
}

/* Every way of losing something reaches the reader, and only samples that are gone are lost. */
static void every_loss_is_shown(void **state)
{
	for (int reason = 0; reason < LOSS_COUNT; reason++) {
		bool lost = reason != LOSS_LATE && reason != LOSS_UNKNOWN_TASK &&
			    reason != LOSS_TRACKING && reason != LOSS_NOT_READ;

		for (int level = VIEW_COMMAND; level <= 4; level++) {
			struct printed printed;
			const char *text;

			printed_world(&printed);
			printed.fixture.profile->events[0].loss[reason].count = 12345;
			text = print(&printed, level);
			assert_has(text, lost ? "Lost         12,345 " : "Uncertain    12,345 ");
			(lost ? assert_lacks : assert_has)(text, "Lost         nothing");
			(lost ? assert_lacks : assert_has)(text, "Uncertain");
			printed_done(&printed);
		}
	}
}

/* All are shares of CPUs x wall, here 20 s, and add up to the account's; others have no share. */
static void shares_of_losses_add_up(void **state)
{
	struct printed printed;
	struct loss *loss;
	const char *text;

	printed_world(&printed);
	loss = printed.fixture.profile->events[0].loss;
	loss[LOSS_RING_FULL] = (struct loss){ 500, NS_PER_S };
	loss[LOSS_MISSED_TICKS] = (struct loss){ 3000, 6 * NS_PER_S };
	loss[LOSS_MALFORMED] = (struct loss){ 4, 0 };
	text = print(&printed, VIEW_COMMAND);
	assert_has(text, "buffer was full (5.00 %); 3,000 ticks a late timer\n");
	assert_has(text, "skipped (30.00 %); 4 records that could not be read\n");
	assert_has(text, "lost 35.00");
	printed_done(&printed);
}

/* A count of faults is no time. */
static void counts_lost_have_no_share(void **state)
{
	struct printed printed;

	printed_world(&printed);
	fixture_event(&printed.fixture, "page-faults", "count");
	printed.fixture.profile->events[1].loss[LOSS_RING_FULL] = (struct loss){ 3, NS_PER_S };
	assert_has(print(&printed, VIEW_COMMAND),
		   "Lost         3 samples dropped because a buffer was full "
		   "[page-faults]\n");
	printed_done(&printed);
}

static void what_was_not_visible(void **state)
{
	struct printed printed;
	const char *text;

	printed_world(&printed);
	profile_set_text(&printed.fixture.profile->run.not_visible,
			 "No kernel: sysctl kernel.perf_event_paranoid=1\nNo others: use sudo");
	text = print(&printed, VIEW_COMMAND);
	assert_has(text, "Not visible  No kernel: sysctl kernel.perf_event_paranoid=1\n");
	assert_has(text, "             No others: use sudo\n");
	printed_done(&printed);
}

static void names_do_not_command_the_terminal(void **state)
{
	struct printed printed;

	for (int level = VIEW_SCREEN; level <= 4; level += 3) {
		uint32_t task;

		printed_world(&printed);
		profile_set_text(&printed.fixture.profile->run.command, "\033[2J");
		profile_set_text(&printed.fixture.profile->run.not_visible, "\033[3J");
		task = fixture_task(&printed.fixture,
				    fixture_process(&printed.fixture, "\033]0;evil\a", 9), "\033c");
		fixture_hit(&printed.fixture, task,
			    fixture_stack(&printed.fixture, "/bin/\033[1m", "f\nake", 0x10,
					  SYMBOL_NAMED),
			    MODE_USER, CONTEXT_TASK, 5000);
		assert_null(strchr(print(&printed, level), '\033'));
		assert_lacks(printed.text, "f\nake");
		assert_has(printed.text, "f\\x0aake");
		printed_done(&printed);
	}
}

static void colour_only_when_asked_for(void **state)
{
	struct printed printed;

	printed_world(&printed);
	printed_begin(&printed, 4);
	printed.view.screen.colour = true;
	text_report_print(&printed.view, printed.out);
	assert_has(printed_end(&printed), "\033[1mStatistics of Run\033[0m");
	printed_done(&printed);
}

static void nothing_was_sampled(void **state)
{
	for (int level = VIEW_COMMAND; level <= 4; level++) {
		struct printed printed = { 0 };

		fixture_init(&printed.fixture);
		assert_has(print(&printed, level), "0 of cpu-clock");
		printed_done(&printed);
	}
}

static void table_of_keys(void **state)
{
	struct printed printed;
	struct table *table;
	const char *text;

	printed_world(&printed);
	printed_begin(&printed, 1);
	table = printed_table(&printed, "symbol,process");
	text_report_table(&printed.view, table, printed.out);
	text = printed_end(&printed);
	assert_has(text, "Event cpu-clock: 1,000 samples of the machine, 1.00 s = 100 %\n");
	assert_has(text, "50.00  46.91-53.09   500  0.5000  tcp_sendmsg     netperf#1\n");
	table_free(table);
	printed_done(&printed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_each_level),
		cmocka_unit_test(figures_of_the_full_report),
		cmocka_unit_test(least_shares),
		cmocka_unit_test(every_loss_is_shown),
		cmocka_unit_test(shares_of_losses_add_up),
		cmocka_unit_test(counts_lost_have_no_share),
		cmocka_unit_test(what_was_not_visible),
		cmocka_unit_test(names_do_not_command_the_terminal),
		cmocka_unit_test(colour_only_when_asked_for),
		cmocka_unit_test(nothing_was_sampled),
		cmocka_unit_test(table_of_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
