/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/fixture.h"

#include "aggregate/tables/unit_shares.h"

/* A process of this group, with as many samples. */
static void add(struct fixture *fixture, const char *cgroup, const char *container,
		uint64_t samples)
{
	uint32_t id = fixture_process(fixture, "x", 100);
	struct process *process = &fixture->profile->processes.items[id];
	uint32_t stack = fixture_stack(fixture, "/bin/x", "f", 0x100, SYMBOL_NAMED);

	process->pid += (int32_t)id;
	process->cgroup = cgroup ? fixture_text(fixture, cgroup) : 0;
	process->container = container ? fixture_text(fixture, container) : 0;
	fixture_hit(fixture, fixture_task(fixture, id, "x"), stack, MODE_USER, CONTEXT_TASK,
		    samples);
}

static void make(struct fixture *fixture, struct unit_shares *ret_shares)
{
	const struct tally *totals = &fixture->totals;

	unit_shares_make(fixture->profile, totals->rows.items, totals->rows.count, 0, ret_shares);
}

static void units_by_their_innermost_name(void **state)
{
	static const struct {
		const char *cgroup, *unit;
	} cases[] = {
		{ "/system.slice/ssh.service", "ssh.service" },
		{ "/system.slice/db.service/shard", "db.service" },
		{ "/user.slice/user-7.slice/user@7.service/app.slice/run-r1.scope",
		  "run-r1.scope" },
		{ "/init.scope", "init.scope" },
		{ "/build/jobs", "jobs" },
		{ "/.service", ".service" },
		{ "/a.services", "a.services" },
		{ "/", "no unit" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture fixture;
		struct unit_shares shares;

		fixture_init(&fixture);
		add(&fixture, cases[i].cgroup, NULL, 3);
		make(&fixture, &shares);
		assert_int_equal(shares.rows.count, 1);
		assert_string_equal(shares.rows.items[0].name, cases[i].unit);
		unit_shares_done(&shares);
		fixture_done(&fixture);
	}
}

static void equal_names_are_one_unit(void **state)
{
	struct fixture fixture;
	struct unit_shares shares;

	(void)state;
	fixture_init(&fixture);
	add(&fixture, "/system.slice/db.service/a", NULL, 3);
	add(&fixture, "/docker/0123", "web", 5);
	add(&fixture, "/system.slice/db.service/b", NULL, 4);
	add(&fixture, NULL, NULL, 8); /* not known */
	make(&fixture, &shares);
	assert_int_equal(shares.rows.count, 2);
	assert_string_equal(shares.rows.items[0].name, "db.service");
	assert_int_equal(shares.rows.items[0].hits.samples, 7);
	assert_string_equal(shares.rows.items[1].name, "web");
	assert_int_equal(shares.rows.items[1].hits.samples, 5);
	assert_int_equal(shares.sum.samples, 20);
	unit_shares_done(&shares);
	fixture_done(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_by_their_innermost_name),
		cmocka_unit_test(equal_names_are_one_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
