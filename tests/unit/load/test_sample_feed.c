/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Everything arrives, in order, until one side has enough. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "load/sample_feed.h"

enum { SAMPLES = 300000, PIECE = 177 };

struct sides {
	uint64_t given, seen;
	uint64_t give_most, see_most; /* then each side ends it */
	bool gives_slowly, sees_slowly;
};

static void rest(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

static int give(void *context, struct sample_feed *feed, struct err *err)
{
	struct sides *sides = context;
	struct sample piece[PIECE] = { { 0 } };
	int rc = 0;

	while (rc == 0 && sides->given < SAMPLES) {
		if (sides->given >= sides->give_most)
			return err_set(err, -EIO, "no more");
		for (int i = 0; i < PIECE; i++)
			piece[i].time_ns = sides->given++;
		if (sides->gives_slowly && sides->given % 10000 < PIECE)
			rest();
		rc = sample_feed_give(feed, piece, PIECE);
	}
	return rc;
}

static int see(void *context, const struct sample *samples, size_t count)
{
	struct sides *sides = context;

	assert_true(count > 0);
	if (sides->sees_slowly)
		rest();
	for (size_t i = 0; i < count; i++)
		assert_int_equal(samples[i].time_ns, sides->seen++);
	return sides->seen >= sides->see_most ? 42 : 0;
}

static void all_arrive(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		struct sides sides = { .give_most = UINT64_MAX,
				       .see_most = UINT64_MAX,
				       .gives_slowly = i == 1,
				       .sees_slowly = i == 2 };
		struct err err;

		assert_int_equal(sample_feed_run(give, &sides, see, &sides, &err), 0);
		assert_true(sides.given >= SAMPLES);
		assert_int_equal(sides.seen, sides.given);
	}
}

static void the_visitor_has_enough(void **state)
{
	struct sides sides = { .give_most = UINT64_MAX, .see_most = 1 };
	struct err err;

	(void)state;
	assert_int_equal(sample_feed_run(give, &sides, see, &sides, &err), 42);
	assert_true(sides.given < SAMPLES);
}

static void the_reader_fails(void **state)
{
	struct sides sides = { .give_most = SAMPLES / 2, .see_most = UINT64_MAX };
	struct err err = { "" };

	(void)state;
	assert_int_equal(sample_feed_run(give, &sides, see, &sides, &err), -EIO);
	assert_string_equal(err.text, "no more");
	assert_true(sides.seen <= sides.given);
}

static void nothing_is_given(void **state)
{
	struct sides sides = { .given = SAMPLES, .see_most = UINT64_MAX };
	struct err err;

	(void)state;
	assert_int_equal(sample_feed_run(give, &sides, see, &sides, &err), 0);
	assert_int_equal(sides.seen, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_arrive),
		cmocka_unit_test(the_visitor_has_enough),
		cmocka_unit_test(the_reader_fails),
		cmocka_unit_test(nothing_is_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
