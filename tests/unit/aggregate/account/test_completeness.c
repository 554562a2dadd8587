/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/fixture.h"

#include "aggregate/account/completeness.h"

/* One worker and a kernel thread; returns the worker's task. */
static uint32_t begin(struct fixture *fixture, const char *stacks)
{
	uint32_t worker, thread;

	fixture_init(fixture);
	profile_set_text(&fixture->profile->run.stacks, stacks);
	worker = fixture_process(fixture, "worker", 1001);
	thread = fixture_process(fixture, "kworker", 30);
	fixture->profile->processes.items[thread].kernel_thread = true;
	fixture_process(fixture, "[idle]", 0);
	return fixture_task(fixture, worker, "worker");
}

static struct completeness completeness_of(struct fixture *fixture)
{
	struct completeness made;

	completeness_make(fixture->profile, fixture->totals.rows.items, fixture->totals.rows.count,
			  0, &made);
	return made;
}

static void ends_add_up(void **state)
{
	struct fixture fixture;
	uint32_t task = begin(&fixture, "full");
	uint32_t main = fixture_chain(&fixture, 0, "/bin/worker", "_start main work");
	uint32_t cut = fixture_cut(&fixture, STACK_NO_ROWS);
	uint32_t jit = fixture_chain(&fixture, cut, "/tmp/jit", "a b c");
	uint32_t call = fixture_chain(&fixture, jit, "[kernel]", "sys_read");
	struct completeness made;

	fixture_hit(&fixture, task, main, MODE_USER, CONTEXT_TASK, 90);
	fixture_hit(&fixture, task, jit, MODE_USER, CONTEXT_TASK, 4);
	fixture_hit(&fixture, task, call, MODE_KERNEL, CONTEXT_TASK, 3);
	fixture_hit(&fixture, task, fixture_cut(&fixture, STACK_LOST), MODE_USER, CONTEXT_TASK, 1);
	fixture_hit(
		&fixture, task,
		fixture_chain(&fixture, fixture_cut(&fixture, STACK_IN_EXEC), "[kernel]", "exec"),
		MODE_KERNEL, CONTEXT_TASK, 2);
	made = completeness_of(&fixture);
	assert_true(made.recorded);
	assert_int_equal(made.whole.samples, 98);
	assert_int_equal(made.whole.weight, 98 * NS_PER_MS);
	assert_int_equal(made.apart.samples, 2);
	assert_int_equal(made.ends[STACK_COMPLETE].samples, 90);
	assert_int_equal(made.ends[STACK_NO_ROWS].samples, 7);
	assert_int_equal(made.ends[STACK_NO_ROWS].weight, 7 * NS_PER_MS);
	assert_int_equal(made.ends[STACK_LOST].samples, 1);
	assert_int_equal(made.ends[STACK_IN_EXEC].samples, 2);
	assert_float_equal(completeness_percent(&made, STACK_NO_ROWS), 100.0 * 7 / 98, 1e-9);
	completeness_done(&made);
	fixture_done(&fixture);
}

static void the_image_at_the_break_is_named(void **state)
{
	struct fixture fixture;
	uint32_t task = begin(&fixture, "full");
	uint32_t cut = fixture_cut(&fixture, STACK_NO_ROWS);
	uint32_t jit = fixture_chain(&fixture, cut, "/tmp/jit", "a b");
	uint32_t call = fixture_chain(&fixture, jit, "[kernel]", "sys_read");
	struct completeness made;

	fixture_hit(&fixture, task, jit, MODE_USER, CONTEXT_TASK, 4);
	fixture_hit(&fixture, task, call, MODE_KERNEL, CONTEXT_TASK, 3);
	fixture_hit(&fixture, task, cut, MODE_USER, CONTEXT_TASK, 9);
	made = completeness_of(&fixture);
	assert_int_equal(made.images.count, 2);
	assert_int_equal(made.images.items[0].image, 0);
	assert_int_equal(made.images.items[0].hits.samples, 9);
	assert_string_equal(
		profile_text(fixture.profile,
			     fixture.profile->images.items[made.images.items[1].image].path),
		"/tmp/jit");
	assert_int_equal(made.images.items[1].hits.samples, 7);
	assert_int_equal(made.images.items[1].end, STACK_NO_ROWS);
	completeness_done(&made);
	fixture_done(&fixture);
}

/* They are always whole and would flatter the figure. */
static void kernel_threads_and_idle_do_not_count(void **state)
{
	struct fixture fixture;
	uint32_t task = begin(&fixture, "full");
	uint32_t thread = fixture_task(&fixture, 2, "kworker");
	uint32_t idle = fixture_task(&fixture, 3, "swapper");
	uint32_t stack = fixture_chain(&fixture, 0, "[kernel]", "ret_from_fork kthread");
	struct completeness made;

	fixture_hit(&fixture, thread, stack, MODE_KERNEL, CONTEXT_TASK, 50);
	fixture_hit(&fixture, idle, stack, MODE_KERNEL, CONTEXT_HARDIRQ, 50);
	fixture_hit(&fixture, task, fixture_cut(&fixture, STACK_GONE), MODE_USER, CONTEXT_TASK, 1);
	made = completeness_of(&fixture);
	assert_int_equal(made.whole.samples, 0);
	assert_int_equal(made.apart.samples, 1);
	assert_int_equal(made.ends[STACK_GONE].samples, 1);
	completeness_done(&made);
	fixture_done(&fixture);
}

static void leaves_alone_are_no_stacks(void **state)
{
	static const char *const facts[] = { NULL, "", "none" };

	for (size_t i = 0; i < 3; i++) {
		struct fixture fixture;
		uint32_t task = begin(&fixture, facts[i]);
		struct completeness made;

		fixture_hit(&fixture, task, fixture_chain(&fixture, 0, "/bin/worker", "work"),
			    MODE_USER, CONTEXT_TASK, 10);
		made = completeness_of(&fixture);
		assert_false(made.recorded);
		assert_int_equal(made.whole.samples, 0);
		completeness_done(&made);
		fixture_done(&fixture);
	}
}

static void other_events_do_not_count(void **state)
{
	struct fixture fixture;
	uint32_t task = begin(&fixture, "fp");
	struct total total =
		fixture_total(task, fixture_chain(&fixture, 0, "/bin/worker", "main work"),
			      MODE_USER, CONTEXT_TASK, 5);
	struct completeness made;

	total.event = fixture_event(&fixture, "cycles", "count");
	fixture_add(&fixture, &total);
	made = completeness_of(&fixture);
	assert_true(made.recorded);
	assert_int_equal(made.whole.samples, 0);
	assert_float_equal(completeness_percent(&made, STACK_COMPLETE), 0, 0);
	completeness_done(&made);
	fixture_done(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_add_up),
		cmocka_unit_test(the_image_at_the_break_is_named),
		cmocka_unit_test(kernel_threads_and_idle_do_not_count),
		cmocka_unit_test(leaves_alone_are_no_stacks),
		cmocka_unit_test(other_events_do_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
