/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rings that are much too small for what is sampled, and are emptied in each pause of long work. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "sampling/sampler.h"

enum {
	RATE_HZ = 4000,
	RING_BYTES = 16384,
	LEAST_RECORD = 56, /* header, event, address, thread, time, CPU, period */
	RING_HOLDS = RING_BYTES / LEAST_RECORD,
	SPIN = 100000, /* far below a millisecond */
};

static const uint64_t WORK_NS = NS_PER_S * 2 / 5;

static void count(void *context, const struct perf_record *record)
{
	size_t *samples = context;

	*samples += record->type == PERF_RECORD_SAMPLE;
}

/* Uses so much processor time, in which alone this thread is sampled, that it comes to twice
 * what the ring holds; drains once, in the end. */
static size_t work(struct sampler *sampler, bool with_pauses)
{
	const uint64_t end_ns = clock_read(CLOCK_THREAD_CPUTIME_ID) + WORK_NS;
	volatile uint64_t sink = 0;
	size_t samples = 0;

	sampler_enable(sampler);
	while (clock_read(CLOCK_THREAD_CPUTIME_ID) < end_ns) {
		for (int i = 0; i < SPIN; i++)
			sink += (uint64_t)i;
		if (with_pauses)
			sampler_keep_up(sampler);
	}
	sampler_disable(sampler);
	sampler_drain(sampler, UINT64_MAX, count, &samples);
	return samples;
}

/* On one CPU: each has a ring. */
static void stay_here(void)
{
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	assert_int_equal(sched_setaffinity(0, sizeof(here), &here), 0);
}

static void each_pause_empties_the_rings(void **state)
{
	const pid_t own = gettid();
	const struct sampler_options options = {
		.rate_hz = RATE_HZ, .tids = &own, .tid_count = 1, .ring_bytes = RING_BYTES
	};
	struct sampler *sampler;
	struct err err = { "" };
	size_t without, with;

	(void)state;
	stay_here();
	if (sampler_open(&options, &sampler, &err) < 0) {
		print_message("%s\n", err.text);
		skip();
	}
	without = work(sampler, false);
	with = work(sampler, true);
	sampler_free(sampler);
	print_message("%zu samples without pauses, %zu with; the ring holds %d at most\n", without,
		      with, RING_HOLDS);
	if (without < RING_HOLDS / 2) {
		print_message("this machine does not sample often enough\n");
		skip();
	}
	assert_true(without <= RING_HOLDS);
	assert_true(with > RING_HOLDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_pause_empties_the_rings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
