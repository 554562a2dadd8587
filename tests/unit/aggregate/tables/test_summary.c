/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/fixture.h"

#include <math.h>

#include "aggregate/account/account.h"
#include "aggregate/tables/routines.h"
#include "aggregate/tables/summary.h"

struct world {
	struct fixture fixture;
	uint32_t spin, net, quiet; /* processes */
};

/* The paper's innocent process: spin computes, and is interrupted by the network of net. */
static void make(struct world *world)
{
	struct fixture *fixture = &world->fixture;
	uint32_t spin, net, thread, loop, libc, rx, send;

	fixture_init(fixture);
	world->spin = fixture_process(fixture, "cpuspin", 10);
	world->quiet = fixture_process(fixture, "sleep", 12);
	world->net = fixture_process(fixture, "netperf", 11);
	spin = fixture_task(fixture, world->spin, "cpuspin");
	net = fixture_task(fixture, world->net, "netperf");
	thread = fixture_task(fixture, world->net, "helper");
	loop = fixture_stack(fixture, "/bin/cpuspin", "loop", 0x100, SYMBOL_NAMED);
	libc = fixture_stack(fixture, "/lib/libc.so", "recv->recvfrom", 0x100, SYMBOL_BRACKET);
	rx = fixture_stack(fixture, "[kernel]", "net_rx_action", 0x100, SYMBOL_NAMED);
	send = fixture_stack(fixture, "[kernel]", "tcp_sendmsg", 0x200, SYMBOL_NAMED);
	fixture_hit(fixture, spin, loop, MODE_USER, CONTEXT_TASK, 60);
	fixture_hit(fixture, spin, rx, MODE_KERNEL, CONTEXT_SOFTIRQ, 30);
	fixture_hit(fixture, spin, rx, MODE_KERNEL, CONTEXT_HARDIRQ, 4);
	fixture_hit(fixture, net, libc, MODE_USER, CONTEXT_TASK, 1);
	fixture_hit(fixture, thread, libc, MODE_USER, CONTEXT_TASK, 2);
	fixture_hit(fixture, net, send, MODE_KERNEL, CONTEXT_TASK, 100);
	fixture_hit(fixture, net, rx, MODE_KERNEL, CONTEXT_TASK, 2);
	fixture_hit(fixture, net, rx, MODE_KERNEL, CONTEXT_SOFTIRQ, 1);
}

static void summarise(struct world *world, struct summary *ret_summary)
{
	const struct tally *totals = &world->fixture.totals;

	summary_make(world->fixture.profile, totals->rows.items, totals->rows.count, 0,
		     ret_summary);
}

static void interrupts_are_nobodys_system_time(void **state)
{
	struct world world;
	struct summary summary;
	const struct process_row *row;

	make(&world);
	summarise(&world, &summary);
	/* The process without samples has no row. */
	assert_int_equal(summary.rows.count, 2);
	row = &summary.rows.items[0];
	assert_int_equal(row->process, world.net);
	assert_int_equal(row->split.user.samples, 3);
	assert_int_equal(row->split.system.samples, 102);
	assert_int_equal(row->split.system.weight, 102 * NS_PER_MS);
	assert_int_equal(row->split.interrupts.samples, 1);
	row = &summary.rows.items[1];
	assert_int_equal(row->process, world.spin);
	assert_int_equal(row->split.user.samples, 60);
	assert_int_equal(row->split.system.samples, 0);
	assert_int_equal(row->split.interrupts.samples, 34);
	assert_int_equal(split_sum(&summary.sum).samples, 200);
	assert_true(fabs(summary_percent(&summary, split_sum(&row->split).weight) - 47) < 1e-9);
	summary_done(&summary);
	fixture_done(&world.fixture);
}

static void other_events_are_left_out(void **state)
{
	struct world world;
	struct summary summary;
	struct total total;

	make(&world);
	fixture_event(&world.fixture, "cycles", "count");
	total = world.fixture.totals.rows.items[0];
	total.event = 1;
	fixture_add(&world.fixture, &total);
	summarise(&world, &summary);
	assert_int_equal(split_sum(&summary.sum).samples, 200);
	assert_int_equal(summary_main_event(world.fixture.profile, &total, 1), 1);
	assert_int_equal(summary_main_event(world.fixture.profile, world.fixture.totals.rows.items,
					    world.fixture.totals.rows.count),
			 0);
	assert_int_equal(summary_main_event(world.fixture.profile, NULL, 0), 0);
	summary_done(&summary);
	fixture_done(&world.fixture);
}

static void assert_routine(const struct fixture *fixture, const struct routine *routine,
			   const char *name, uint64_t user, uint64_t system, uint64_t interrupts)
{
	const struct profile *profile = fixture->profile;

	assert_string_equal(profile_text(profile, profile->symbols.items[routine->symbol].name),
			    name);
	assert_int_equal(routine->split.user.samples, user);
	assert_int_equal(routine->split.system.samples, system);
	assert_int_equal(routine->split.interrupts.samples, interrupts);
}

static void routines_of_a_process(void **state)
{
	struct world world;
	struct summary summary;
	struct routines routines;
	const struct process_row *row;

	make(&world);
	summarise(&world, &summary);
	row = &summary.rows.items[0];
	routines_make(world.fixture.profile, &summary.totals[row->first], row->count,
		      ROUTINES_KERNEL, &routines);
	assert_int_equal(routines.rows.count, 2);
	assert_routine(&world.fixture, &routines.rows.items[0], "tcp_sendmsg", 0, 100, 0);
	assert_routine(&world.fixture, &routines.rows.items[1], "net_rx_action", 0, 2, 1);
	routines_done(&routines);
	/* Both threads' hits come together. */
	routines_make(world.fixture.profile, &summary.totals[row->first], row->count, ROUTINES_USER,
		      &routines);
	assert_int_equal(routines.rows.count, 1);
	assert_routine(&world.fixture, &routines.rows.items[0], "recv->recvfrom", 3, 0, 0);
	assert_int_equal(routines.sum.user.weight, 3 * NS_PER_MS);
	routines_done(&routines);
	summary_done(&summary);
	fixture_done(&world.fixture);
}

static void routines_of_everything(void **state)
{
	struct world world;
	struct summary summary;
	struct routines routines;

	make(&world);
	summarise(&world, &summary);
	routines_make(world.fixture.profile, summary.totals, summary.total_count, ROUTINES_ALL,
		      &routines);
	assert_int_equal(routines.rows.count, 4);
	assert_routine(&world.fixture, &routines.rows.items[0], "tcp_sendmsg", 0, 100, 0);
	assert_routine(&world.fixture, &routines.rows.items[1], "loop", 60, 0, 0);
	assert_routine(&world.fixture, &routines.rows.items[2], "net_rx_action", 0, 2, 35);
	assert_routine(&world.fixture, &routines.rows.items[3], "recv->recvfrom", 3, 0, 0);
	routines_done(&routines);
	summary_done(&summary);
	fixture_done(&world.fixture);
}

/* Addresses without a name are told apart by their image. */
static void routines_without_names(void **state)
{
	struct world world;
	struct routines routines;
	const struct tally *totals = &world.fixture.totals;
	uint32_t task;

	fixture_init(&world.fixture);
	task = fixture_task(&world.fixture, fixture_process(&world.fixture, "a", 1), "a");
	fixture_hit(&world.fixture, task,
		    fixture_stack(&world.fixture, "/bin/a", NULL, 0x100, SYMBOL_NONE), MODE_USER,
		    CONTEXT_TASK, 2);
	fixture_hit(&world.fixture, task,
		    fixture_stack(&world.fixture, "/bin/a", NULL, 0x900, SYMBOL_NONE), MODE_USER,
		    CONTEXT_TASK, 3);
	fixture_hit(&world.fixture, task,
		    fixture_stack(&world.fixture, "/bin/b", NULL, 0x100, SYMBOL_NONE), MODE_USER,
		    CONTEXT_TASK, 4);
	routines_make(world.fixture.profile, totals->rows.items, totals->rows.count, ROUTINES_ALL,
		      &routines);
	assert_int_equal(routines.rows.count, 2);
	assert_int_equal(routines.rows.items[0].split.user.samples, 5);
	assert_int_equal(routines.rows.items[1].split.user.samples, 4);
	routines_done(&routines);
	fixture_done(&world.fixture);
}

static void named_and_unnamed(void **state)
{
	struct world world;
	struct naming naming;
	const struct tally *totals = &world.fixture.totals;
	uint32_t task;

	make(&world);
	task = fixture_task(&world.fixture, world.spin, "cpuspin");
	fixture_hit(&world.fixture, task,
		    fixture_stack(&world.fixture, "/bin/a", NULL, 0x100, SYMBOL_NONE), MODE_USER,
		    CONTEXT_TASK, 50);
	naming = naming_of(world.fixture.profile, totals->rows.items, totals->rows.count, 0);
	assert_int_equal(naming.whole, 250 * NS_PER_MS);
	assert_int_equal(naming.unresolved, 50 * NS_PER_MS);
	assert_int_equal(naming.bracketed, 3 * NS_PER_MS);
	naming = naming_of(world.fixture.profile, totals->rows.items, totals->rows.count, 1);
	assert_int_equal(naming.whole, 0);
	fixture_done(&world.fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interrupts_are_nobodys_system_time),
		cmocka_unit_test(other_events_are_left_out),
		cmocka_unit_test(routines_of_a_process),
		cmocka_unit_test(routines_of_everything),
		cmocka_unit_test(routines_without_names),
		cmocka_unit_test(named_and_unnamed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
