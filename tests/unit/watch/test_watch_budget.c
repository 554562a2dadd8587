/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A budget is a part of real time, however often it is looked at. */
#include "watch/watch_budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MS = 1000 * 1000 };

#define BEGAN_NS (77ULL * 1000 * MS)
#define PART	 0.05

/* Checks each @every_ms, @count times, while @part of a CPU is spent. Returns at which one the
 * budget was passed, from 1; 0: never. */
static unsigned spend(struct watch_budget *budget, uint64_t *now_ns, uint64_t *cost_ns,
		      uint64_t every_ms, double part, unsigned count)
{
	for (unsigned i = 1; i <= count; i++) {
		*now_ns += every_ms * MS;
		*cost_ns += (uint64_t)((double)(every_ms * MS) * part);
		if (watch_budget_passed(budget, *now_ns, *cost_ns))
			return i;
	}
	return 0;
}

static unsigned spend_anew(uint64_t every_ms, double part, unsigned count)
{
	struct watch_budget budget;
	uint64_t now_ns = BEGAN_NS, cost_ns = 0;

	watch_budget_begin(&budget, PART, now_ns);
	return spend(&budget, &now_ns, &cost_ns, every_ms, part, count);
}

static void test_spends_less(void **state)
{
	(void)state;
	assert_int_equal(spend_anew(100, 0.049, 1000), 0);
}

static void test_spends_more(void **state)
{
	(void)state;
	/* A second's part may be spent at once: 0.05 s at 6 % are 0.83 s. */
	assert_int_equal(spend_anew(100, 0.06, 1000), 9);
	assert_int_equal(spend_anew(100, 1, 1000), 1);
	assert_int_equal(spend_anew(100, 0.4, 1000), 2);
}

/* Where the machine is busy, or ticks take long, checks come late: what was spent meanwhile was
 * spent in more than a tenth of a second. */
static void test_checks_come_late(void **state)
{
	(void)state;
	assert_int_equal(spend_anew(300, 0.049, 1000), 0);
	assert_int_equal(spend_anew(3000, 0.049, 1000), 0);
	assert_int_equal(spend_anew(3000, 0.051, 1000), 1);
	assert_int_equal(spend_anew(700, 0.051, 1000), 2);
}

static void test_one_check_late(void **state)
{
	struct watch_budget budget;
	uint64_t now_ns = BEGAN_NS, cost_ns = 0;

	(void)state;
	watch_budget_begin(&budget, PART, now_ns);
	assert_int_equal(spend(&budget, &now_ns, &cost_ns, 100, 0.049, 25), 0);
	assert_int_equal(spend(&budget, &now_ns, &cost_ns, 5000, 0.049, 1), 0);
	assert_int_equal(spend(&budget, &now_ns, &cost_ns, 100, 0.049, 25), 0);
}

/* What was saved long ago does not count. */
static void test_quiet_before(void **state)
{
	struct watch_budget budget;
	uint64_t now_ns = BEGAN_NS, cost_ns = 0;

	(void)state;
	watch_budget_begin(&budget, PART, now_ns);
	assert_int_equal(spend(&budget, &now_ns, &cost_ns, 100, 0, 600), 0);
	assert_int_equal(spend(&budget, &now_ns, &cost_ns, 100, 0.26, 10), 2);
}

static void test_no_limit(void **state)
{
	struct watch_budget budget;

	(void)state;
	watch_budget_begin(&budget, 0, BEGAN_NS);
	assert_false(watch_budget_passed(&budget, BEGAN_NS + MS, 1000ULL * MS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spends_less),	 cmocka_unit_test(test_spends_more),
		cmocka_unit_test(test_checks_come_late), cmocka_unit_test(test_one_check_late),
		cmocka_unit_test(test_quiet_before),	 cmocka_unit_test(test_no_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
