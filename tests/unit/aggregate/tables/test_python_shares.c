/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/fixture.h"

#include "aggregate/tables/python_shares.h"

static void hit(struct fixture *fixture, uint32_t task, uint32_t stack, uint64_t samples)
{
	fixture_hit(fixture, task, stack, MODE_USER, CONTEXT_TASK, samples);
}

/* What C functions take belongs to the innermost Python function around them. */
static void functions_have_what_they_called(void **state)
{
	struct fixture fixture;
	struct python_shares shares;
	uint32_t task, module, burn, loop, deeper;

	(void)state;
	fixture_init(&fixture);
	task = fixture_task(&fixture, fixture_process(&fixture, "python3", 7), "python3");
	module = fixture_callee(&fixture, fixture_chain(&fixture, 0, "/bin/py", "main"), "/tmp/map",
				"py::<module>:/home/hot.py", 4);
	burn = fixture_callee(&fixture, fixture_chain(&fixture, module, "/bin/py", "eval"),
			      "/tmp/map", "py::burn:/home/hot.py", 4);
	loop = fixture_chain(&fixture, burn, "/bin/py", "eval add");
	deeper = fixture_callee(&fixture, loop, "/tmp/map", "py::burn:/home/hot.py", 4);
	hit(&fixture, task, fixture_chain(&fixture, 0, "/bin/py", "main start"), 2);
	hit(&fixture, task, module, 1);
	hit(&fixture, task, burn, 3);
	hit(&fixture, task, loop, 40);
	hit(&fixture, task, deeper, 5);
	python_shares_make(fixture.profile, fixture.totals.rows.items, fixture.totals.rows.count, 0,
			   &shares);
	assert_int_equal(shares.rows.count, 2);
	assert_string_equal(profile_text(fixture.profile, shares.rows.items[0].name),
			    "py::burn:/home/hot.py");
	assert_int_equal(shares.rows.items[0].hits.samples, 48);
	assert_int_equal(shares.rows.items[1].hits.samples, 1);
	python_shares_done(&shares);
	/* Another event has none. */
	python_shares_make(fixture.profile, fixture.totals.rows.items, fixture.totals.rows.count, 1,
			   &shares);
	assert_int_equal(shares.rows.count, 0);
	python_shares_done(&shares);
	fixture_done(&fixture);
}

static void names_as_people_write_them(void **state)
{
	static const struct {
		const char *name, *text;
	} cases[] = {
		{ "py::burn:/home/me/hot.py", "burn (hot.py)" },
		{ "py::<module>:hot.py", "<module> (hot.py)" },
		{ "py::A.b::c:/x", "A.b::c (x)" },
		{ "py::nothing", "py::nothing" },
		{ "py::", "py::" },
		{ "main", "main" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf text = { 0 };

		python_shares_add_name(cases[i].name, &text);
		assert_string_equal(buf_text(&text), cases[i].text);
		buf_done(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_have_what_they_called),
		cmocka_unit_test(names_as_people_write_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
