/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/text/text_waiting.h"

#include <stdio.h>

#include "aggregate/account/wait_account.h"
#include "aggregate/waits.h"

/* What is printed of the account; the caller frees it. */
static char *print(struct waits *waits, size_t rows)
{
	const struct tally *totals = &waits->fixture.totals;
	struct wait_account account;
	struct view view = { .labels = fixture_labels(&waits->fixture), .waiting = &account };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	wait_account_make(waits->fixture.profile, totals->rows.items, totals->rows.count, &account);
	text_waiting_print(&view, rows, out);
	fclose(out);
	wait_account_done(&account);
	return text;
}

static void assert_has(const char *text, const char *wanted)
{
	const char *printed = text ? text : "";

	if (!strstr(printed, wanted))
		fail_msg("'%s' is not in:\n%s", wanted, printed);
}

static void the_account_of_the_command(void **state)
{
	struct waits waits;
	char *text;

	waits_make(&waits);
	text = print(&waits, 10);
	assert_has(text, "Where the command waited (1 thread)\n");
	assert_has(text, " 20.00  0.2000  on a processor\n");
	assert_has(text, " 15.00  0.1500    in user mode\n");
	assert_has(text, "  5.00  0.0500    in the kernel\n");
	assert_has(text, " 10.00  0.1000  ready, waiting for a processor\n");
	assert_has(text, " 70.00  0.7000  waiting for\n");
	assert_has(text, " 50.00  0.5000    a lock");
	assert_has(text, " 20.00  0.2000    a timer\n");
	assert_has(text, "100.00  1.0000  all threads, for");
	assert_null(strstr(text, "a pipe"));
	free(text);
	waits_done(&waits);
}

static void the_longest_waits(void **state)
{
	struct waits waits;
	char *text;

	waits_make(&waits);
	text = print(&waits, 1);
	assert_has(text, "0.4000  lock  futex_wait");
	assert_has(text, "pthread_mutex_lock  work       client#1\n");
	assert_has(text, "Waits not listed: 1;");
	assert_null(strstr(text, "do_nanosleep"));
	free(text);
	waits_done(&waits);
}

static void nothing_without_times(void **state)
{
	struct waits waits;
	char *text;

	waits_make(&waits);
	waits.fixture.totals.rows.count = 2; /* the clock's */
	text = print(&waits, 10);
	assert_string_equal(text, "");
	free(text);
	waits_done(&waits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_account_of_the_command),
		cmocka_unit_test(the_longest_waits),
		cmocka_unit_test(nothing_without_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
