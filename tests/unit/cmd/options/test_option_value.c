/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/options/option_value.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"

static void all_lists_are_one(void **state)
{
	const struct option_texts texts = { .items = { "1, \t20", "\n4194304" }, .count = 2 };
	_cleanup_(option_pids_done) struct option_pids pids = { 0 };

	assert_int_equal(option_value_pids("-p", &texts, &pids, NULL), 0);
	assert_int_equal(pids.count, 3);
	assert_int_equal(pids.items[0], 1);
	assert_int_equal(pids.items[1], 20);
	assert_int_equal(pids.items[2], 4194304);
}

static void without_lists_there_are_none(void **state)
{
	const struct option_texts texts = { .count = 0 };
	_cleanup_(option_pids_done) struct option_pids pids = { 0 };

	assert_int_equal(option_value_pids("-p", &texts, &pids, NULL), 0);
	assert_int_equal(pids.count, 0);
}

static void what_is_no_id_is_refused(void **state)
{
	static const char *const wrong[] = {
		"", ",", "0", "-1", "1,", "1,,2", "1 2", "x", "4194305", "99999999999999999999",
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const struct option_texts texts = { .items = { "7", wrong[i] }, .count = 2 };
		_cleanup_(option_pids_done) struct option_pids pids = { 0 };

		assert_int_equal(option_value_pids("-p", &texts, &pids, NULL), -EINVAL);
	}
}

static void the_option_says_what_ids_they_are(void **state)
{
	const struct option_texts texts = { .items = { "x" }, .count = 1 };
	_cleanup_(option_pids_done) struct option_pids pids = { 0 };
	struct err err = { "" };

	option_value_pids("-p", &texts, &pids, &err);
	assert_string_equal(err.text, "invalid -p 'x': expected a list of process ids");
	option_value_pids("-t", &texts, &pids, &err);
	assert_string_equal(err.text, "invalid -t 'x': expected a list of thread ids");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_lists_are_one),
		cmocka_unit_test(without_lists_there_are_none),
		cmocka_unit_test(what_is_no_id_is_refused),
		cmocka_unit_test(the_option_says_what_ids_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
