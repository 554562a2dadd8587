/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attribute/off_cpu_samples.h"

#include <errno.h>

#include "attribute/fixture.h"
#include "attribute/frames.h"
#include "attribute/kept_samples.h"
#include "attribute/stacks.h"
#include "model/machine.h"
#include "place/files/image_files.h"
#include "sampling/off_cpu.h"

enum { SHELL = 100, OTHER = 200, WAITS_ID = STREAM_RAW_IDS + 1 };

/* ---- the kernel side, played by the test ---- */

struct off_cpu {
	uint64_t opened_ns, closed_ns; /* of the window, if they were set */
	size_t outputs, chosen;
	bool only_chosen, open;
};

static struct off_cpu kernel_side;
static bool permitted;

int off_cpu_check(struct err *err)
{
	return permitted ? 0 : err_set(err, -EPERM, "not permitted here");
}

int off_cpu_new(const struct stack_program_maps *maps, struct off_cpu **ret_off_cpu,
		struct err *err)
{
	(void)err;
	assert_null(maps);
	kernel_side = (struct off_cpu){ .outputs = 0 };
	*ret_off_cpu = &kernel_side;
	return 0;
}

void off_cpu_free(struct off_cpu *off_cpu)
{
	(void)off_cpu;
}

int off_cpu_attach(struct off_cpu *off_cpu, const struct off_cpu_output *outputs, size_t count,
		   struct err *err)
{
	(void)outputs;
	(void)err;
	off_cpu->outputs = count;
	return 0;
}

int off_cpu_choose(struct off_cpu *off_cpu, int32_t id, enum chosen how, bool only, struct err *err)
{
	(void)id;
	(void)how;
	(void)err;
	off_cpu->chosen++;
	off_cpu->only_chosen = only;
	return 0;
}

uint64_t off_cpu_open(struct off_cpu *off_cpu)
{
	off_cpu->open = true;
	return 0;
}

void off_cpu_set_window(struct off_cpu *off_cpu, uint64_t opened_ns, uint64_t closed_ns)
{
	off_cpu->opened_ns = opened_ns;
	off_cpu->closed_ns = closed_ns;
}

uint64_t off_cpu_stop(struct off_cpu *off_cpu)
{
	off_cpu->open = false;
	return 0;
}

/* One thread ran until the end. */
void off_cpu_close(struct off_cpu *off_cpu,
		   void (*take)(void *context, const union off_cpu_event *event), void *context)
{
	const union off_cpu_event last = { .times = { .kind = OFF_CPU_TIMES,
						      .pid = SHELL,
						      .tid = SHELL,
						      .why = OFF_CPU_CLOSE,
						      .times = { .running_ns = 11 } } };

	(void)off_cpu;
	take(context, &last);
}

struct off_cpu_counts off_cpu_counts(const struct off_cpu *off_cpu)
{
	(void)off_cpu;
	return (struct off_cpu_counts){
		.lost = 3, .lost_weight_ns = 4000, .lost_times = 5, .table_full = 6
	};
}

uint64_t off_cpu_cost_ns(const struct off_cpu_counts *counts)
{
	(void)counts;
	return 77;
}

/* ---- the world ---- */

struct world {
	struct fixture in;
	struct store_writer writer;
	struct off_cpu_samples *off_cpu;
};

static void add_program(const struct world *world, int32_t pid, const char *comm)
{
	const struct machine_process told = { .pid = pid, .comm = comm };
	const struct mapping mapping = { .start = 0x1000,
					 .end = 0x2000,
					 .image = made_image(world->in.profile, IMAGE_FILE,
							     "/bin/sh") };

	machine_add_process(world->in.machine, &told);
	machine_map(world->in.machine, 1, pid, &mapping);
}

static struct world *new_world(void)
{
	static const pid_t chosen[] = { SHELL };
	static const struct off_cpu_output outputs[] = { { 0, -1 }, { 1, -1 } };
	static struct world world;
	struct off_cpu_samples_parts parts = { .outputs = outputs,
					       .output_count = 2,
					       .chosen = { chosen, 1, NULL, 0 },
					       .only_chosen = true };
	struct err err = { 0 };

	world = (struct world){ .in = fixture_new(profile_new()) };
	world.in.profile->event_count = 1;
	fixture_make_stacks(&world.in, 8, NULL);
	parts.profile = world.in.profile;
	parts.machine = world.in.machine;
	parts.frames = &world.in.frames;
	parts.stacks = world.in.stacks;
	parts.writer = &world.writer;
	add_program(&world, SHELL, "sh");
	add_program(&world, OTHER, "waker");
	world.off_cpu = off_cpu_samples_new();
	assert_int_equal(off_cpu_samples_prepare(world.off_cpu, &parts, &err), 0);
	return &world;
}

static int begin_with_programs(void **state)
{
	permitted = true;
	*state = new_world();
	return 0;
}

static int begin_with_switches(void **state)
{
	permitted = false;
	*state = new_world();
	return 0;
}

static int end(void **state)
{
	struct world *world = *state;

	off_cpu_samples_free(world->off_cpu);
	fixture_done(&world->in);
	profile_free(world->in.profile);
	return 0;
}

/* As attribution does: before the machine changes. The stream of waits keeps its id. */
static void take(void *context, const struct perf_record *record)
{
	const struct world *world = context;
	struct perf_record sample = *record;

	if (record->type == PERF_RECORD_SAMPLE) {
		(void)perf_record_unpack(&sample);
		sample.id = record->id;
	}
	off_cpu_samples_take(world->off_cpu, &sample);
	if (record->type == PERF_RECORD_COMM)
		machine_comm(world->in.machine, record->time_ns, record->pid, record->tid,
			     record->comm.comm, record->comm.exec);
}

static void drain(struct world *world)
{
	stream_drain(world->in.stream, take, world);
}

static struct stamp at(uint64_t time_ns)
{
	return (struct stamp){ .time_ns = time_ns, .pid = SHELL, .tid = SHELL, .id = WAITS_ID };
}

/* A record of the BPF program, which begins 4 bytes after an aligned address. */
static void event_at(struct world *world, uint64_t time_ns, const void *event, size_t size)
{
	const struct stamp stamp = at(time_ns);
	char raw[sizeof(union off_cpu_event) + sizeof(uint32_t)] = { 0 };

	memcpy(raw + sizeof(uint32_t), event, size);
	stream_raw(world->in.stream, &stamp, PERF_RECORD_MISC_KERNEL, 0, raw,
		   size + sizeof(uint32_t));
	drain(world);
}

static struct off_cpu_wait_record a_wait(void)
{
	return (struct off_cpu_wait_record){ .kind = OFF_CPU_WAIT,
					     .pid = SHELL,
					     .tid = SHELL,
					     .left_ns = 40,
					     .blocked_ns = 500,
					     .draw_ns = 100,
					     .threshold_ns = 800,
					     .user_ip = 0x1010,
					     .count = 1,
					     .addresses = { 0xffffffff81000010 } };
}

static void wait_at(struct world *world, uint64_t time_ns, const struct off_cpu_wait_record *wait)
{
	event_at(world, time_ns, wait,
		 offsetof(struct off_cpu_wait_record, addresses) +
			 wait->count * sizeof(wait->addresses[0]));
}

static int event_named(const struct world *world, const char *name)
{
	for (size_t i = 0; i < world->in.profile->event_count; i++) {
		const char *here =
			profile_text(world->in.profile, world->in.profile->events[i].name);

		if (here && strcmp(here, name) == 0)
			return (int)i;
	}
	fail();
	return -1;
}

/* The sum of an event's samples whose leaf is in this image. All must be of @program. */
static uint64_t sum_of(const struct world *world, const char *event, const char *leaf,
		       const char *program)
{
	const struct profile *profile = world->in.profile;
	int wanted = event_named(world, event);
	uint64_t sum = 0;

	for (size_t i = 0; i < world->writer.count; i++) {
		const struct sample *sample = &world->writer.samples[i];
		uint32_t frame = profile->stacks.items[sample->stack].frame;
		uint32_t image = profile->frames.items[frame].image;
		uint32_t process = profile->tasks.items[sample->task].process;

		if (sample->event == wanted &&
		    strcmp(profile_text(profile, profile->images.items[image].path), leaf) == 0 &&
		    strcmp(profile_text(profile, profile->processes.items[process].program),
			   program) == 0)
			sum += sample->weight;
	}
	return sum;
}

/* ---- with programs ---- */

static void programs_are_attached_to_all_outputs(void **state)
{
	struct world *world = *state;

	assert_int_equal(off_cpu_samples_source(world->off_cpu), SAMPLER_WAITS_OUTPUT);
	assert_int_equal(off_cpu_samples_source(NULL), SAMPLER_WAITS_NONE);
	assert_int_equal(kernel_side.outputs, 2);
	assert_int_equal(kernel_side.chosen, 1);
	assert_true(kernel_side.only_chosen);
	off_cpu_samples_open(world->off_cpu, 0);
	assert_true(kernel_side.open);
	off_cpu_samples_stop(world->off_cpu);
	assert_false(kernel_side.open);
	assert_null(world->in.profile->run.not_visible);
}

/* A time to come opens the window then; a sample of what the kernel tells later is of the window. */
static void a_window_of_known_times(void **state)
{
	struct world *world = *state;
	struct off_cpu_wait_record wait = a_wait();

	off_cpu_samples_set_times(NULL, 1, 2);
	off_cpu_samples_open(world->off_cpu, UINT64_MAX - 1);
	assert_false(kernel_side.open);
	assert_true(kernel_side.opened_ns == UINT64_MAX - 1);
	off_cpu_samples_set_times(world->off_cpu, 5, 0);
	assert_int_equal(kernel_side.opened_ns, 0);
	off_cpu_samples_set_times(world->off_cpu, UINT64_MAX, 1000);
	assert_true(kernel_side.opened_ns == UINT64_MAX && kernel_side.closed_ns == 1000);
	wait_at(world, 999, &wait);
	wait_at(world, 1000, &wait);
	wait_at(world, 2000, &wait);
	assert_int_equal(world->writer.count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(world->writer.samples[i].time_ns, 999);
}

/* Each part counts for itself: kept when it lasted longer than the draw, and never for less than the
 * threshold. */
static void parts_of_a_wait(void **state)
{
	struct world *world = *state;
	struct off_cpu_wait_record wait = a_wait();

	wait.runnable_ns = 900;
	wait_at(world, 1000, &wait);
	assert_int_equal(world->writer.count, 2);
	assert_int_equal(world->writer.samples[0].weight, 800);
	assert_int_equal(world->writer.samples[0].time_ns, 1000);
	assert_int_equal(world->writer.samples[0].mode, MODE_KERNEL);
	assert_int_equal(world->writer.samples[1].weight, 900);
	assert_stack(world->in.profile, world->writer.samples[0].stack,
		     "[cut:not seen]+b /bin/sh+10 [kernel]+ffffffff81000010 [other]+0");
	assert_stack(world->in.profile, world->writer.samples[1].stack,
		     "[cut:not seen]+b /bin/sh+10 [kernel]+ffffffff81000010 [runnable]+0");
	wait.blocked_ns = wait.runnable_ns = 100; /* not longer than the draw */
	wait_at(world, 2000, &wait);
	assert_int_equal(world->writer.count, 2);
}

static void what_was_waited_for(void **state)
{
	static const struct {
		uint32_t flags;
		const char *leaf;
	} cases[] = {
		{ OFF_CPU_IO, "[disk]" },
		{ OFF_CPU_STOPPED, "[stopped]" },
		{ OFF_CPU_STOPPED | OFF_CPU_IO, "[stopped]" },
		{ OFF_CPU_NO_STACK, "[blocked]" },
	};
	struct world *world = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct off_cpu_wait_record wait = a_wait();

		world->writer.count = 0;
		wait.flags = cases[i].flags;
		wait_at(world, 1000 + i, &wait);
		assert_int_equal(world->writer.count, 1);
		assert_int_equal(sum_of(world, "off-cpu", cases[i].leaf, "sh"), 800);
	}
}

/* The user stack that the thread showed as it left, if it is that wait's. */
static void stacks_of_those_that_left(void **state)
{
	struct world *world = *state;
	const struct off_cpu_left_record left = { .kind = OFF_CPU_LEFT,
						  .pid = SHELL,
						  .tid = SHELL,
						  .count = 2,
						  .left_ns = 40,
						  .addresses = { 0x1030, 0x1040 } };
	struct off_cpu_wait_record wait = a_wait();

	event_at(world, 40, &left,
		 offsetof(struct off_cpu_left_record, addresses) + 2 * sizeof(uint64_t));
	wait.flags = OFF_CPU_CAPTURED;
	wait_at(world, 1000, &wait);
	assert_stack(world->in.profile, world->writer.samples[0].stack,
		     "[cut:frame pointers]+a /bin/sh+40< /bin/sh+30 [kernel]+ffffffff81000010 "
		     "[other]+0");
	wait.left_ns = 41; /* another one, whose record was lost */
	wait_at(world, 2000, &wait);
	assert_stack(world->in.profile, world->writer.samples[1].stack,
		     "[cut:not seen]+b /bin/sh+10 [kernel]+ffffffff81000010 [other]+0");
	wait.flags = OFF_CPU_KERNEL_THREAD;
	wait_at(world, 3000, &wait);
	assert_stack(world->in.profile, world->writer.samples[2].stack,
		     "[kernel]+ffffffff81000010 [other]+0");
}

/* The same, walked with tables: the period is when it left. */
static void walks_of_those_that_left(void **state)
{
	struct world *world = *state;
	const struct stamp stamp = at(40);
	const struct stack_record fixed = { .form = STACK_FORM_ADDRESSES,
					    .context = STACK_CONTEXT_TASK,
					    .end = UNWIND_END_COMPLETE,
					    .period = 40,
					    .user_count = 2 };
	const uint64_t user[] = { 0x1050, 0x1060 };
	struct off_cpu_wait_record wait = a_wait();
	char raw[sizeof(fixed) + sizeof(user)];

	memcpy(raw, &fixed, sizeof(fixed));
	memcpy(raw + sizeof(fixed), user, sizeof(user));
	stream_raw(world->in.stream, &stamp, PERF_RECORD_MISC_KERNEL, 0, raw, sizeof(raw));
	wait.flags = OFF_CPU_CAPTURED;
	wait_at(world, 1000, &wait);
	assert_int_equal(world->writer.count, 1);
	assert_stack(world->in.profile, world->writer.samples[0].stack,
		     "/bin/sh+60< /bin/sh+50 [kernel]+ffffffff81000010 [other]+0");
}

/* Without the kernel's symbols a waker looks like an interrupt, so no waker is named. */
static void wakers_need_names(void **state)
{
	struct world *world = *state;
	const struct off_cpu_woke_record woke = {
		.kind = OFF_CPU_WOKE, .pid = SHELL, .tid = SHELL, .left_ns = 40
	};
	struct off_cpu_wait_record wait = a_wait();

	event_at(world, 50, &woke, offsetof(struct off_cpu_woke_record, addresses));
	wait.waker_pid = wait.waker_tid = OTHER;
	wait_at(world, 1000, &wait);
	assert_stack(world->in.profile, world->writer.samples[0].stack,
		     "[cut:not seen]+b /bin/sh+10 [kernel]+ffffffff81000010 [other]+0");
}

static void times_of_threads(void **state)
{
	struct world *world = *state;
	const struct off_cpu_times_record times = { .kind = OFF_CPU_TIMES,
						    .pid = SHELL,
						    .tid = SHELL,
						    .why = OFF_CPU_EXIT,
						    .times = { .running_ns = 100,
							       .blocked_ns = 300 } };

	event_at(world, 1000, &times, sizeof(times));
	assert_int_equal(world->writer.count, 2); /* it was never runnable */
	assert_int_equal(sum_of(world, "thread-time", "[running]", "sh"), 100);
	assert_int_equal(sum_of(world, "thread-time", "[blocked]", "sh"), 300);
	assert_int_equal(world->in.profile->events[event_named(world, "thread-time")].weight, 400);
}

/* The BPF program sends them when the new program is there already. */
static void times_before_exec_are_the_old_programs(void **state)
{
	struct world *world = *state;
	const struct stamp stamp = at(900);
	const struct off_cpu_times_record times = { .kind = OFF_CPU_TIMES,
						    .pid = SHELL,
						    .tid = SHELL,
						    .why = OFF_CPU_EXEC,
						    .times = { .running_ns = 100 } };

	stream_comm(world->in.stream, &stamp, "cat", PERF_RECORD_MISC_COMM_EXEC);
	event_at(world, 1000, &times, sizeof(times));
	assert_int_equal(sum_of(world, "thread-time", "[running]", "sh"), 100);
	assert_int_equal(sum_of(world, "thread-time", "[running]", "cat"), 0);
}

/* Cut off, of no kind, or with more addresses than there are: counted, and nothing else. */
static void malformed_records_are_counted(void **state)
{
	struct world *world = *state;
	struct off_cpu_wait_record wait = a_wait();
	const uint32_t kind = OFF_CPU_TIMES, unknown = 4711;
	const struct loss *loss = world->in.profile->events[event_named(world, "off-cpu")].loss;

	event_at(world, 10, &kind, sizeof(kind));
	event_at(world, 20, &unknown, sizeof(unknown));
	wait.count = OFF_CPU_MAX_KERNEL + 1;
	event_at(world, 30, &wait, sizeof(wait));
	wait.count = 100;
	event_at(world, 40, &wait, offsetof(struct off_cpu_wait_record, addresses));
	assert_int_equal(loss[LOSS_MALFORMED].count, 4);
	assert_int_equal(world->writer.count, 0);
}

static void closing_adds_what_was_open_and_lost(void **state)
{
	struct world *world = *state;
	const struct event *waits = &world->in.profile->events[event_named(world, "off-cpu")];
	const struct event *times = &world->in.profile->events[event_named(world, "thread-time")];

	world->in.profile->run.end_ns = 5000;
	off_cpu_samples_close(world->off_cpu, 1234);
	assert_int_equal(sum_of(world, "thread-time", "[running]", "sh"), 11);
	assert_int_equal(world->writer.samples[0].time_ns, 5000);
	assert_int_equal(waits->loss[LOSS_RING_FULL].count, 3);
	assert_int_equal(waits->loss[LOSS_RING_FULL].weight, 4000);
	assert_int_equal(times->loss[LOSS_RING_FULL].count, 5);
	assert_int_equal(times->loss[LOSS_TABLE_FULL].count, 6);
	assert_int_equal(world->in.profile->run.bpf_ns, 77);
	off_cpu_samples_close(NULL, 0);
}

/* ---- with switches alone ---- */

static void what_is_missing_is_reported(void **state)
{
	struct world *world = *state;

	assert_int_equal(off_cpu_samples_source(world->off_cpu), SAMPLER_WAITS_SWITCHES);
	assert_non_null(world->in.profile->run.not_visible);
	assert_non_null(strstr(world->in.profile->run.not_visible, "not permitted here"));
}

/* Runs 100, is blocked 300, runs 50, is preempted 20, runs 30 and exits: every nanosecond is
 * somewhere. */
static void times_from_switches(void **state)
{
	struct world *world = *state;
	struct stamp times[] = { at(1000), at(1100), at(1400), at(1450), at(1470), at(1500) };
	const uint16_t out = PERF_RECORD_MISC_SWITCH_OUT;

	stream_switch(world->in.stream, &times[4], 0);
	stream_task(world->in.stream, &times[5], PERF_RECORD_EXIT, 1, 1);
	stream_switch(world->in.stream, &times[3], out | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
	stream_switch(world->in.stream, &times[2], 0);
	stream_switch(world->in.stream, &times[1], out);
	stream_switch(world->in.stream, &times[0], 0);
	drain(world);
	assert_int_equal(sum_of(world, "thread-time", "[running]", "sh"), 180);
	assert_int_equal(sum_of(world, "thread-time", "[blocked]", "sh"), 300);
	assert_int_equal(sum_of(world, "thread-time", "[runnable]", "sh"), 20);
	assert_int_equal(world->in.profile->events[event_named(world, "thread-time")].weight, 500);
	/* So few waits are all kept, and weigh what they lasted. */
	assert_int_equal(sum_of(world, "off-cpu", "[blocked]", "sh"), 300);
	assert_int_equal(sum_of(world, "off-cpu", "[runnable]", "sh"), 20);
}

static void lost_switches_are_counted(void **state)
{
	struct world *world = *state;
	struct stamp in = at(1000);
	const struct event *times = &world->in.profile->events[event_named(world, "thread-time")];

	stream_switch(world->in.stream, &in, 0);
	drain(world);
	world->in.profile->run.end_ns = 1600;
	off_cpu_samples_close(world->off_cpu, 9);
	assert_int_equal(times->loss[LOSS_RING_FULL].count, 9);
	assert_int_equal(sum_of(world, "thread-time", "[running]", "sh"), 600);
}

#define WITH_PROGRAMS(test) cmocka_unit_test_setup_teardown(test, begin_with_programs, end)
#define WITH_SWITCHES(test) cmocka_unit_test_setup_teardown(test, begin_with_switches, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PROGRAMS(programs_are_attached_to_all_outputs),
		WITH_PROGRAMS(a_window_of_known_times),
		WITH_PROGRAMS(parts_of_a_wait),
		WITH_PROGRAMS(what_was_waited_for),
		WITH_PROGRAMS(stacks_of_those_that_left),
		WITH_PROGRAMS(walks_of_those_that_left),
		WITH_PROGRAMS(wakers_need_names),
		WITH_PROGRAMS(times_of_threads),
		WITH_PROGRAMS(times_before_exec_are_the_old_programs),
		WITH_PROGRAMS(malformed_records_are_counted),
		WITH_PROGRAMS(closing_adds_what_was_open_and_lost),
		WITH_SWITCHES(what_is_missing_is_reported),
		WITH_SWITCHES(times_from_switches),
		WITH_SWITCHES(lost_switches_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
