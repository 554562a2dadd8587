/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Everything is done once, and in order from where an order begins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "base/parallel.h"

enum { MANY = 5000 };

struct work {
	atomic_uint times[MANY];
	struct parallel_order *order;
	size_t ordered[MANY], count; /* numbers as their turns came */
};

static void act(void *context, size_t number)
{
	struct work *work = context;

	atomic_fetch_add(&work->times[number], 1);
	/* Others would come first. */
	if (number % 64 == 0)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	parallel_order_begin(work->order, number);
	work->ordered[work->count++] = number;
	parallel_order_end(work->order);
}

static void each_is_done_once_and_in_order(void **state)
{
	static const size_t counts[] = { 0, 1, 2, MANY };

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct work work = { .order = parallel_order_new() };

		parallel_each(counts[i], act, &work);
		assert_int_equal(work.count, counts[i]);
		for (size_t number = 0; number < counts[i]; number++) {
			assert_int_equal(work.times[number], 1);
			assert_int_equal(work.ordered[number], number);
		}
		parallel_order_free(work.order);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_done_once_and_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
