/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which programs of two profiles are one, by their executables, and which functions without names. */
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

static struct rebuilt_match functions(bool exact)
{
	return (struct rebuilt_match){ .key = keys_find("function", strlen("function"), NULL),
				       .exact = exact };
}

static str_id add_place(struct rebuilt_match *match, enum diff_side side, const char *text,
			const char *build)
{
	return rebuilt_match_add_place(match, &(struct rebuilt_place){ text, "a->b.part.0", build },
				       side);
}

static void assert_shown(const struct rebuilt_match *match, str_id text, const char *wanted)
{
	assert_string_equal(rebuilt_match_shown(match, rebuilt_match_meaning(match, text)), wanted);
}

static void places_over_a_rebuild(void **state)
{
	struct rebuilt_match match = functions(false);
	str_id old = add_place(&match, DIFF_OLD, "server+0x9000", "aa");
	str_id high = add_place(&match, DIFF_NEW, "server+0xa000", "bb");
	str_id low = add_place(&match, DIFF_NEW, "server+0x9000", "bb");
	str_id named = rebuilt_match_add(&match, "main", DIFF_NEW);

	(void)state;
	rebuilt_match_settle(&match);
	assert_int_equal(rebuilt_match_meaning(&match, old), rebuilt_match_meaning(&match, low));
	assert_int_equal(rebuilt_match_meaning(&match, old), rebuilt_match_meaning(&match, high));
	/* Of several functions the first and the last of the new side are shown. */
	assert_shown(&match, old, "server+0x9000..0xa000");
	assert_string_equal(rebuilt_match_shown(&match, high), "server+0xa000");
	assert_string_equal(rebuilt_match_between(&match, high), "a->b.part.0");
	assert_string_equal(rebuilt_match_shown(&match, named), "main");
	rebuilt_match_done(&match);
}

/* Which of them are on both sides does not matter. */
static void places_of_one_build(void **state)
{
	struct rebuilt_match match = functions(false);
	str_id both = add_place(&match, DIFF_OLD, "server+0x9000", "aa");
	str_id old = add_place(&match, DIFF_OLD, "server+0xa000", "aa");
	str_id new = add_place(&match, DIFF_NEW, "server+0xb000", "aa");

	(void)state;
	assert_int_equal(add_place(&match, DIFF_NEW, "server+0x9000", "aa"), both);
	rebuilt_match_settle(&match);
	assert_int_equal(rebuilt_match_meaning(&match, both), both);
	assert_int_equal(rebuilt_match_meaning(&match, old), old);
	assert_int_equal(rebuilt_match_meaning(&match, new), new);
	assert_shown(&match, new, "server+0xb000");
	rebuilt_match_done(&match);
}

static void places_of_several_files(void **state)
{
	struct rebuilt_match match = functions(false);
	str_id first = add_place(&match, DIFF_OLD, "server+0x9000", "aa");
	str_id second = add_place(&match, DIFF_OLD, "client+0xa000", "bb");

	(void)state;
	rebuilt_match_settle(&match);
	assert_int_equal(rebuilt_match_meaning(&match, first),
			 rebuilt_match_meaning(&match, second));
	assert_shown(&match, first, "server+0x9000, ...");
	rebuilt_match_done(&match);
}

static void exact_places(void **state)
{
	struct rebuilt_match match = functions(true);
	str_id old = add_place(&match, DIFF_OLD, "server+0x9000", "aa");
	str_id new = add_place(&match, DIFF_NEW, "server+0x9100", "bb");

	(void)state;
	rebuilt_match_settle(&match);
	assert_int_equal(rebuilt_match_meaning(&match, old), old);
	assert_int_equal(rebuilt_match_meaning(&match, new), new);
	rebuilt_match_done(&match);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_older_side),
		cmocka_unit_test(an_older_side_with_its_command),
		cmocka_unit_test(exact_names),
		cmocka_unit_test(two_sides_with_executables),
		cmocka_unit_test(places_over_a_rebuild),
		cmocka_unit_test(places_of_one_build),
		cmocka_unit_test(places_of_several_files),
		cmocka_unit_test(exact_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
