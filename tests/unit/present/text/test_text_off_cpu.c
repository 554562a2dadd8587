/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/text/text_parts.h"

#include <stdio.h>

#include "aggregate/account/off_cpu_account.h"
#include "aggregate/waits.h"

/* What is printed of the account; the caller frees it. */
static char *print(struct waits *waits, size_t rows)
{
	const struct tally *totals = &waits->fixture.totals;
	struct off_cpu_account account;
	struct view view = { .labels = fixture_labels(&waits->fixture), .off_cpu = &account };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	off_cpu_account_make(waits->fixture.profile, totals->rows.items, totals->rows.count,
			     &account);
	text_off_cpu_print(&view, rows, out);
	fclose(out);
	off_cpu_account_done(&account);
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
	assert_has(text, "Where the chosen processes waited (1 thread)\n");
	free(text);
	profile_set_text(&waits.fixture.profile->run.command, "./client");
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
	assert_has(text, "pthread_mutex_lock  work@0x80  client\n");
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
