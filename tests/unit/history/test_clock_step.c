/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "history/clock_step.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"

#define SECOND ((int64_t)NS_PER_S)

/* Small corrections, however many, are no step; each way it is one. */
static void test_steps(void **state)
{
	struct clock_step step = { .fd = -1, .offset_ns = 1000 * SECOND };

	(void)state;
	assert_false(clock_step_take(&step, 1000 * SECOND + SECOND - 1));
	assert_false(clock_step_take(&step, 1000 * SECOND + 2 * (SECOND - 1)));
	assert_true(clock_step_take(&step, 4600 * SECOND));
	assert_false(clock_step_take(&step, 4600 * SECOND));
	assert_true(clock_step_take(&step, 4599 * SECOND));
}

/* The clock of the machine is not ours to set: it says nothing then. */
static void test_of_the_machine(void **state)
{
	struct clock_step step;
	struct pollfd look;

	(void)state;
	clock_step_open(&step);
	assert_true(step.fd >= 0);
	look = (struct pollfd){ .fd = step.fd, .events = POLLIN };
	assert_int_equal(poll(&look, 1, 0), 0);
	clock_step_close(&step);
	assert_int_equal(step.fd, -1);
	clock_step_close(&step);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_of_the_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
