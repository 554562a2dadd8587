/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/vec.h"
#include "sampling/period.h"
#include "sampling/sampler_parts.h"

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

/* ---- with a program ---- */

/* What a program in the kernel would have counted: by event, and how many in all. */
static struct {
	struct {
		uint64_t event, count;
	} rows[4];
	uint64_t all;
} told;

uint64_t __wrap_stack_program_counter(const struct stack_program *program,
				      enum stack_counter counter);
void __wrap_stack_program_losses(const struct stack_program *program,
				 void (*add)(void *context, uint64_t event, uint64_t count),
				 void *context);
uint64_t __wrap_stack_program_lost(const struct stack_program *program, uint64_t event);

uint64_t __wrap_stack_program_counter(const struct stack_program *program,
				      enum stack_counter counter)
{
	return counter == STACK_COUNTER_LOST ? told.all : 1000000;
}

void __wrap_stack_program_losses(const struct stack_program *program,
				 void (*add)(void *context, uint64_t event, uint64_t count),
				 void *context)
{
	for (size_t i = 0; i < sizeof(told.rows) / sizeof(*told.rows); i++)
		add(context, told.rows[i].event, told.rows[i].count);
}

uint64_t __wrap_stack_program_lost(const struct stack_program *program, uint64_t event)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < sizeof(told.rows) / sizeof(*told.rows); i++)
		lost += told.rows[i].event == event ? told.rows[i].count : 0;
	return lost;
}

/* The clocks of both processors, 5 and 6, and an event, 7, are sampled by a program; the kernel
 * has nothing to say of losses. */
static void set_up_program(struct world *world)
{
	set_up(world);
	world->sampler.format_lost = false;
	world->sampler.program = (struct stack_program *)&told;
	*vec_push(&world->sampler.fds) =
		(struct perf_fd){ .fd = -1, .stream = STREAM_EVENT, .event = 1, .tid = -1 };
	for (uint32_t i = 0; i < 3; i++) {
		world->sampler.fds.items[i].by_program = true;
		world->sampler.fds.items[i].id = 5 + i;
		hashidx_add(&world->sampler.ids, hash_u64(5 + i), i);
	}
}

static void tear_down_program(struct world *world)
{
	hashidx_done(&world->sampler.ids);
	tear_down(world);
}

static void tell(uint64_t of_clock_0, uint64_t of_clock_1, uint64_t of_event, uint64_t all)
{
	told.rows[0].event = 5;
	told.rows[0].count = of_clock_0;
	told.rows[1].event = 6;
	told.rows[1].count = of_clock_1;
	told.rows[2].event = 7;
	told.rows[2].count = of_event;
	told.rows[3].event = 8; /* no such event */
	told.rows[3].count = 3;
	told.all = all;
}

static void test_of_a_program(void **state)
{
	struct world world;
	struct sampler_losses losses;

	(void)state;
	set_up_program(&world);
	tell(10, 0, 0, 10);
	sampler_losses_note(&world.sampler, &world.sampler.fds.items[0]);
	period_change(&world.cpus[0].clock, 1000, 300);
	tell(12, 5, 4, 12 + 5 + 4);
	losses = sampler_losses(&world.sampler);
	assert_false(losses.known);
	assert_int_equal(losses.streams[STREAM_CLOCK], 17);
	assert_int_equal(losses.streams[STREAM_EVENT], 4);
	assert_int_equal(losses.events[1], 4);
	assert_int_equal(losses.clock_weight_ns, 10 * 100 + 2 * 300 + 5 * 100);
	tear_down_program(&world);
}

/* Where a processor has more events than places to count them, only the sum has them all: the rest
 * is the clock's, at the first processor's period. */
static void test_rest_of_a_program(void **state)
{
	struct world world;
	struct sampler_losses losses;

	(void)state;
	set_up_program(&world);
	period_change(&world.cpus[0].clock, 1000, 300);
	tell(10, 5, 4, 30);
	losses = sampler_losses(&world.sampler);
	assert_int_equal(losses.streams[STREAM_CLOCK], 10 + 5 + 11);
	assert_int_equal(losses.streams[STREAM_EVENT], 4);
	assert_int_equal(losses.events[1], 4);
	assert_int_equal(losses.clock_weight_ns, 10 * 300 + 5 * 100 + 11 * 300);
	tear_down_program(&world);
}

/* The sum is read first: those that are lost meanwhile are no rest. */
static void test_lost_while_asked(void **state)
{
	struct world world;

	(void)state;
	set_up_program(&world);
	tell(10, 5, 4, 18);
	assert_int_equal(sampler_losses(&world.sampler).streams[STREAM_CLOCK], 15);
	tear_down_program(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_clock_at_its_own_period),
		cmocka_unit_test(test_asked_in_between),
		cmocka_unit_test(test_other_events),
		cmocka_unit_test(test_of_a_program),
		cmocka_unit_test(test_rest_of_a_program),
		cmocka_unit_test(test_lost_while_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
