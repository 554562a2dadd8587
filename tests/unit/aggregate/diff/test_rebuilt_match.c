/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which programs of two profiles are one, by their executables. */
#include "aggregate/diff/rebuilt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct program {
	enum diff_side side;
	const char *name, *executable; /* NULL: unknown */
};

static struct rebuilt_match match_of(const struct program *programs, size_t count, bool exact)
{
	struct rebuilt_match match = { .key = keys_find("program", strlen("program"), NULL),
				       .exact = exact };

	for (size_t i = 0; i < count; i++) {
		rebuilt_match_add(&match, programs[i].name, programs[i].side);
		if (programs[i].executable)
			rebuilt_match_executable(&match, programs[i].name, programs[i].executable,
						 programs[i].side);
	}
	return match;
}

static bool are_one(struct rebuilt_match *match, const char *a, const char *b)
{
	str_id first = strpool_intern(&match->texts, a), second = strpool_intern(&match->texts, b);

	return rebuilt_match_meaning(match, first) == rebuilt_match_meaning(match, second);
}

static const struct program older[] = {
	{ DIFF_OLD, "dash", NULL },
	{ DIFF_OLD, "redis-check-rdb", NULL },
	{ DIFF_NEW, "dash", "dash" },
	{ DIFF_NEW, "sh", "dash" },
	{ DIFF_NEW, "redis-server", "redis-check-rdb" },
	{ DIFF_NEW, "script", "dash" },
	{ DIFF_OLD, "script", NULL },
};

enum { OLDER = sizeof(older) / sizeof(older[0]) };

static void an_older_side(void **state)
{
	struct rebuilt_match match = match_of(older, OLDER, false);

	(void)state;
	rebuilt_match_settle(&match);
	assert_true(are_one(&match, "sh", "dash"));
	assert_true(are_one(&match, "redis-server", "redis-check-rdb"));
	assert_false(are_one(&match, "script", "dash")); /* both sides have it */
	rebuilt_match_done(&match);
}

static void an_older_side_with_its_command(void **state)
{
	struct rebuilt_match match = match_of(older, OLDER, false);

	(void)state;
	rebuilt_match_command(&match, "redis-check-rdb", DIFF_OLD);
	rebuilt_match_command(&match, "redis-server", DIFF_NEW);
	rebuilt_match_settle(&match);
	assert_true(are_one(&match, "redis-server", "redis-check-rdb"));
	assert_true(are_one(&match, "sh", "dash"));
	rebuilt_match_done(&match);
}

static void exact_names(void **state)
{
	struct rebuilt_match match = match_of(older, OLDER, true);

	(void)state;
	rebuilt_match_settle(&match);
	assert_false(are_one(&match, "sh", "dash"));
	assert_false(are_one(&match, "redis-server", "redis-check-rdb"));
	rebuilt_match_done(&match);
}

/* Started by a link once, and once not. What one side tells apart stays apart. */
static void two_sides_with_executables(void **state)
{
	static const struct program programs[] = {
		{ DIFF_OLD, "redis-server", "redis-check-rdb" },
		{ DIFF_OLD, "dash", "dash" },
		{ DIFF_NEW, "redis-check-rdb", "redis-check-rdb" },
		{ DIFF_NEW, "dash", "dash" },
		{ DIFF_NEW, "sh", "dash" },
	};
	struct rebuilt_match match =
		match_of(programs, sizeof(programs) / sizeof(programs[0]), false);

	(void)state;
	rebuilt_match_settle(&match);
	assert_true(are_one(&match, "redis-server", "redis-check-rdb"));
	assert_false(are_one(&match, "sh", "dash"));
	rebuilt_match_done(&match);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_older_side),
		cmocka_unit_test(an_older_side_with_its_command),
		cmocka_unit_test(exact_names),
		cmocka_unit_test(two_sides_with_executables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
