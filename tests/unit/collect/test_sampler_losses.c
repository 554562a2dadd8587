/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/vec.h"
#include "collect/period.h"
#include "collect/sampler_parts.h"

enum { CPUS = 2 };

/* A sampler of two clocks without a program. What the kernel would say of their losses comes out of
 * a pipe for each. */
struct world {
	struct sampler sampler;
	struct sampler_cpu cpus[CPUS];
	int kernel[CPUS];
};

static void set_up(struct world *world)
{
	*world = (struct world){ .sampler = { .format_lost = true, .cpu_count = CPUS } };
	world->sampler.cpus = world->cpus;
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		int ends[2];

		assert_int_equal(pipe(ends), 0);
		*vec_push(&world->sampler.fds) = (struct perf_fd){
			.fd = ends[0], .cpu = cpu, .stream = STREAM_CLOCK, .tid = -1
		};
		world->kernel[cpu] = ends[1];
		period_start(&world->cpus[cpu].clock, 0, 100);
	}
}

static void tear_down(struct world *world)
{
	for (int cpu = 0; cpu < CPUS; cpu++) {
		close(world->sampler.fds.items[cpu].fd);
		close(world->kernel[cpu]);
	}
	vec_free(&world->sampler.fds);
}

static void kernel_says(const struct world *world, int cpu, uint64_t lost)
{
	uint64_t values[2] = { 0, lost };

	assert_int_equal(write(world->kernel[cpu], values, sizeof(values)), sizeof(values));
}

/* As set_period does it, when so many were lost since the beginning. */
static void change(struct world *world, int cpu, uint64_t lost, uint64_t time_ns,
		   uint64_t period_ns)
{
	kernel_says(world, cpu, lost);
	sampler_losses_note(&world->sampler, &world->sampler.fds.items[cpu]);
	period_change(&world->cpus[cpu].clock, time_ns, period_ns);
}

/* Between the changes of two processors' periods as many may be lost as at any other time: the
 * recorder may be stopped there. */
static void test_each_clock_at_its_own_period(void **state)
{
	struct world world;
	struct sampler_losses losses;

	(void)state;
	set_up(&world);
	change(&world, 0, 10, 1000, 300);
	change(&world, 1, 500, 2000, 300);
	for (int turn = 0; turn < 2; turn++) {
		kernel_says(&world, 0, 70);
		kernel_says(&world, 1, 501);
	}
	losses = sampler_losses(&world.sampler);
	assert_int_equal(losses.streams[STREAM_CLOCK], 571);
	assert_int_equal(losses.clock_weight_ns, 10 * 100 + 60 * 300 + 500 * 100 + 1 * 300);
	tear_down(&world);
}

/* Asking changes nothing of what is noted. */
static void test_asked_in_between(void **state)
{
	struct world world;

	(void)state;
	set_up(&world);
	for (int turn = 0; turn < 2; turn++) {
		kernel_says(&world, 0, 5);
		kernel_says(&world, 1, 0);
	}
	assert_int_equal(sampler_losses(&world.sampler).clock_weight_ns, 5 * 100);
	change(&world, 0, 5, 1000, 200);
	for (int turn = 0; turn < 2; turn++) {
		kernel_says(&world, 0, 6);
		kernel_says(&world, 1, 0);
	}
	assert_int_equal(sampler_losses(&world.sampler).clock_weight_ns, 5 * 100 + 200);
	tear_down(&world);
}

/* What other events lost is counted, and has no part in the time of the clock. */
static void test_other_events(void **state)
{
	struct world world;
	struct sampler_losses losses;
	uint64_t values[2] = { 0, 1000 };
	int ends[2];

	(void)state;
	set_up(&world);
	assert_int_equal(pipe(ends), 0);
	*vec_push(&world.sampler.fds) =
		(struct perf_fd){ .fd = ends[0], .stream = STREAM_EVENT, .event = 1, .tid = -1 };
	for (int turn = 0; turn < 2; turn++) {
		kernel_says(&world, 0, 5);
		kernel_says(&world, 1, 7);
		assert_int_equal(write(ends[1], values, sizeof(values)), sizeof(values));
	}
	losses = sampler_losses(&world.sampler);
	assert_int_equal(losses.streams[STREAM_CLOCK], 12);
	assert_int_equal(losses.streams[STREAM_EVENT], 1000);
	assert_int_equal(losses.events[1], 1000);
	assert_int_equal(losses.clock_weight_ns, 12 * 100);
	close(ends[0]);
	close(ends[1]);
	tear_down(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_clock_at_its_own_period),
		cmocka_unit_test(test_asked_in_between),
		cmocka_unit_test(test_other_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
