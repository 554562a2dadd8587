/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose a sample is, and what it counts, from the bytes of records: without a kernel that samples.
 */
#include "attribute/attribute.h"

#include "attribute/fixture.h"
#include "attribute/frames.h"
#include "attribute/kept_samples.h"
#include "attribute/off_cpu_samples.h"
#include "attribute/stacks.h"
#include "place/files/image_files.h"
#include "place/kernel/kernel_files.h"
#include "proc/proc_parse.h"

enum {
	SHELL = 100,
	CHILD = 101,
	CLOCK_ID = 7,
	IDLE_ID = 8,
	CYCLES_ID = 9,
	WAITS_ID = 10,
	TRACK_ID = 11,
	PERIOD = 250,
};

/* Of the kernel in kernel_files.h. */
#define VFS_READ    0xffffffff90001018
#define SOFTIRQ	    0xffffffff90001308
#define TIMER_ENTRY 0xffffffff90001408
#define IDLE	    0xffffffff90001508
#define UNLOCK	    0xffffffff90001708

/* ---- a source of the test's own ---- */

static struct record_origin origin(void *context, const struct perf_record *record)
{
	struct record_origin origin = { .event = RECORD_NO_EVENT };

	(void)context;
	if (record->id == CLOCK_ID || record->id == IDLE_ID) {
		origin.event = 0;
		origin.is_time = true;
		origin.idle = record->id == IDLE_ID;
	} else if (record->id == CYCLES_ID) {
		origin.event = 1;
	}
	origin.waits = record->id == WAITS_ID;
	origin.weight = PERIOD + record->cpu;
	return origin;
}

/* ---- the world ---- */

struct world {
	struct kernel *kernel;
	struct fixture in; /* the profile is the kernel's */
	struct store_writer writer;
	struct kernel_bytes kernel_bytes;
	struct attribution *attribution;
};

static void build(struct world *world, bool with_stacks, bool foreign_pid_namespace)
{
	struct attribution_parts parts = { .profile = world->in.profile,
					   .machine = world->in.machine,
					   .files = world->in.files,
					   .kernel = world->kernel->symbols,
					   .kernel_bytes = world->kernel_bytes,
					   .source = { origin, NULL },
					   .writer = &world->writer,
					   .frames = &world->in.frames,
					   .foreign_pid_namespace = foreign_pid_namespace };

	attribution_free(world->attribution);
	if (with_stacks)
		fixture_make_stacks(&world->in, 8, NULL);
	parts.stacks = world->in.stacks;
	world->attribution = attribution_new(&parts);
}

static int begin(void **state)
{
	static struct world world;
	const struct machine_process shell = { .pid = SHELL,
					       .comm = "sh",
					       .executable = "/bin/sh" };

	world = (struct world){ 0 };
	new_kernel((void **)&world.kernel);
	write_file(world.kernel->kallsyms, CORE "ffffffff90001700 T _raw_spin_unlock_irq\n");
	start(world.kernel);
	world.in = fixture_new(world.kernel->profile);
	world.in.profile->event_count = 2;
	world.in.frames.kernel = world.kernel->symbols;
	machine_add_process(world.in.machine, &shell);
	build(&world, false, false);
	*state = &world;
	return 0;
}

static int end(void **state)
{
	struct world *world = *state;

	attribution_free(world->attribution);
	fixture_done(&world->in);
	free_kernel((void **)&world->kernel);
	return 0;
}

static void take(void *context, const struct perf_record *record)
{
	const struct world *world = context;
	struct perf_record sample = converted(record);

	attribution_take(world->attribution, &sample);
}

static void drain(struct world *world)
{
	stream_drain(world->in.stream, take, world);
}

static struct stamp at(uint64_t time_ns, int32_t pid)
{
	return (struct stamp){ .time_ns = time_ns, .pid = pid, .tid = pid, .id = CLOCK_ID };
}

static void user_sample(struct world *world, const struct stamp *stamp, uint64_t ip)
{
	stream_sample(world->in.stream, stamp, PERF_RECORD_MISC_USER, ip, NULL, 0);
}

/* With the marks that the kernel writes. */
static void kernel_sample(struct world *world, const struct stamp *stamp, uint64_t inner,
			  uint64_t outer)
{
	const uint64_t chain[] = { (uint64_t)PERF_CONTEXT_KERNEL, inner, outer,
				   (uint64_t)PERF_CONTEXT_USER, 0x1010 };

	stream_sample(world->in.stream, stamp, PERF_RECORD_MISC_KERNEL, inner, chain, 5);
}

/* "PROGRAM/COMM(TID)" of a sample's task. */
static void assert_task(const struct world *world, size_t index, const char *expected)
{
	const struct profile *profile = world->in.profile;
	const struct task *task;
	const struct process *process;
	char text[128];

	assert_true(index < world->writer.count);
	task = &profile->tasks.items[world->writer.samples[index].task];
	process = &profile->processes.items[task->process];
	snprintf(text, sizeof(text), "%s/%s(%d)", profile_text(profile, process->program),
		 profile_text(profile, task->comm), task->tid);
	assert_string_equal(text, expected);
}

static void assert_leaf(const struct world *world, size_t index, const char *expected)
{
	assert_true(index < world->writer.count);
	assert_stack(world->in.profile, world->writer.samples[index].stack, expected);
}

/* ---- tests ---- */

static void a_sample_counts_into_its_event(void **state)
{
	struct world *world = *state;
	struct stamp stamp = at(50, SHELL);
	const struct event *events = world->in.profile->events;

	stamp.cpu = 3;
	user_sample(world, &stamp, 0x1010);
	stamp.id = CYCLES_ID;
	kernel_sample(world, &stamp, VFS_READ, VFS_READ);
	stamp.id = TRACK_ID; /* of no event */
	user_sample(world, &stamp, 0x1010);
	stamp.id = WAITS_ID; /* waits were not requested */
	user_sample(world, &stamp, 0x1010);
	drain(world);
	assert_int_equal(world->writer.count, 2);
	assert_int_equal(world->writer.samples[0].time_ns, 50);
	assert_int_equal(world->writer.samples[0].cpu, 3);
	assert_int_equal(world->writer.samples[0].weight, PERIOD + 3);
	assert_int_equal(world->writer.samples[0].mode, MODE_USER);
	assert_int_equal(world->writer.samples[0].event, 0);
	assert_int_equal(world->writer.samples[1].event, 1);
	assert_int_equal(world->writer.samples[1].mode, MODE_KERNEL);
	assert_int_equal(events[0].user_samples, 1);
	assert_int_equal(events[0].kernel_samples, 0);
	assert_int_equal(events[0].weight, PERIOD + 3);
	assert_int_equal(events[1].kernel_samples, 1);
	assert_int_equal(attribution_counts(world->attribution).samples, 2);
	assert_task(world, 0, "sh/sh(100)");
}

/* Of two recordings that follow one another, each sample is in one: idle ticks, too. */
static void samples_of_other_times(void **state)
{
	struct world *world = *state;

	attribution_set_times(world->attribution, 20, 40);
	for (uint64_t time_ns = 10; time_ns <= 50; time_ns += 10) {
		struct stamp stamp = at(time_ns, SHELL), idle = at(time_ns, 0);

		idle.id = IDLE_ID;
		user_sample(world, &stamp, 0x1010);
		kernel_sample(world, &idle, IDLE, IDLE);
	}
	drain(world);
	assert_int_equal(world->writer.count, 2);
	assert_int_equal(world->writer.samples[0].time_ns, 20);
	assert_int_equal(world->writer.samples[1].time_ns, 30);
	assert_int_equal(attribution_counts(world->attribution).samples, 2);
	assert_int_equal(attribution_counts(world->attribution).idle_stream_weight, 2 * PERIOD);
	attribution_set_times(world->attribution, 60, 0);
	for (uint64_t time_ns = 59; time_ns <= 60; time_ns++) {
		struct stamp stamp = at(time_ns, SHELL);

		user_sample(world, &stamp, 0x1010);
	}
	drain(world);
	assert_int_equal(world->writer.count, 3);
	assert_int_equal(world->writer.samples[2].time_ns, 60);
}

/* fork, exec and mappings in the order of time, whatever the order in which they arrive. */
static void a_program_and_what_it_was_before(void **state)
{
	struct world *world = *state;
	struct stamp fork = at(20, CHILD), first = at(30, CHILD), exec = at(40, CHILD),
		     second = at(45, CHILD), map = at(50, CHILD), third = at(60, CHILD);
	struct stamp parents = at(10, SHELL), parent = at(65, SHELL);

	user_sample(world, &parent, 0x1010);
	user_sample(world, &third, 0x401010);
	stream_mmap(world->in.stream, &map, 0x401000, 0x1000, 5, "/nowhere/cat");
	stream_comm(world->in.stream, &exec, "cat", PERF_RECORD_MISC_COMM_EXEC);
	user_sample(world, &second, 0x1010);
	user_sample(world, &first, 0x1010);
	stream_task(world->in.stream, &fork, PERF_RECORD_FORK, SHELL, SHELL);
	stream_mmap(world->in.stream, &parents, 0x1000, 0x1000, 4, "/nowhere/sh");
	drain(world);
	assert_int_equal(world->writer.count, 4);
	assert_task(world, 0, "sh/sh(101)");
	assert_leaf(world, 0, "/nowhere/sh+10");
	assert_task(world, 1, "cat/cat(101)");
	assert_leaf(world, 1, "[exec]+1010");
	assert_task(world, 2, "cat/cat(101)");
	assert_leaf(world, 2, "/nowhere/cat+10");
	assert_task(world, 3, "sh/sh(100)");
	assert_leaf(world, 3, "/nowhere/sh+10");
	assert_int_equal(world->in.profile->events[0].loss[LOSS_UNKNOWN_TASK].count, 0);
}

static void a_thread_has_its_own_name(void **state)
{
	struct world *world = *state;
	struct stamp thread = { .time_ns = 20, .pid = SHELL, .tid = 150, .id = CLOCK_ID };

	stream_task(world->in.stream, &thread, PERF_RECORD_FORK, SHELL, SHELL);
	thread.time_ns = 30;
	stream_comm(world->in.stream, &thread, "worker", 0);
	thread.time_ns = 40;
	user_sample(world, &thread, 0x1010);
	drain(world);
	assert_task(world, 0, "sh/worker(150)");
}

/* It runs on for a while on that CPU, first under its number, then under none. Another thread there
 * is not it. */
static void what_has_exited_still_runs(void **state)
{
	struct world *world = *state;
	struct stamp gone = at(20, SHELL), late = at(30, SHELL), reaped = at(40, -1),
		     elsewhere = at(50, -1), other = at(60, CHILD), born = at(10, CHILD);

	gone.cpu = late.cpu = reaped.cpu = other.cpu = 2;
	stream_task(world->in.stream, &born, PERF_RECORD_FORK, SHELL, SHELL);
	elsewhere.cpu = 1;
	stream_task(world->in.stream, &gone, PERF_RECORD_EXIT, 1, 1);
	kernel_sample(world, &late, VFS_READ, VFS_READ);
	kernel_sample(world, &reaped, VFS_READ, VFS_READ);
	kernel_sample(world, &elsewhere, VFS_READ, VFS_READ);
	kernel_sample(world, &other, VFS_READ, VFS_READ);
	drain(world);
	assert_task(world, 0, "sh/sh(100)");
	assert_task(world, 1, "sh/sh(100)");
	assert_task(world, 2, "[exiting]/[exiting](-1)");
	assert_task(world, 3, "sh/sh(101)");
	assert_int_equal(world->in.profile->events[0].loss[LOSS_UNKNOWN_TASK].count, 0);
}

/* The number is another thread's by now. */
static void numbers_are_used_again(void **state)
{
	struct world *world = *state;
	struct stamp fork = at(10, CHILD), gone = at(20, CHILD), again = at(30, CHILD),
		     named = at(40, CHILD), sample = at(50, CHILD);

	stream_task(world->in.stream, &fork, PERF_RECORD_FORK, SHELL, SHELL);
	stream_task(world->in.stream, &gone, PERF_RECORD_EXIT, SHELL, SHELL);
	stream_task(world->in.stream, &again, PERF_RECORD_FORK, SHELL, SHELL);
	stream_comm(world->in.stream, &named, "ls", PERF_RECORD_MISC_COMM_EXEC);
	user_sample(world, &sample, 0x1010);
	drain(world);
	assert_task(world, 0, "ls/ls(101)");
}

static void a_process_that_was_never_announced(void **state)
{
	struct world *world = *state;
	struct stamp stamp = at(20, 4711);

	user_sample(world, &stamp, 0x1010);
	user_sample(world, &stamp, 0x1010);
	drain(world);
	assert_task(world, 1, "[unknown]/[unknown](4711)");
	assert_leaf(world, 1, "[unmapped]+1010");
	assert_int_equal(world->in.profile->events[0].loss[LOSS_UNKNOWN_TASK].count, 2);
}

/* The innermost marked routine says for whom the kernel ran. */
static void contexts_of_the_kernel(void **state)
{
	struct world *world = *state;
	struct stamp stamp = at(20, SHELL);

	kernel_sample(world, &stamp, VFS_READ, VFS_READ);
	kernel_sample(world, &stamp, VFS_READ, SOFTIRQ);
	kernel_sample(world, &stamp, VFS_READ, TIMER_ENTRY);
	user_sample(world, &stamp, 0x1010);
	drain(world);
	assert_int_equal(world->writer.samples[0].context, CONTEXT_TASK);
	assert_int_equal(world->writer.samples[1].context, CONTEXT_SOFTIRQ);
	assert_int_equal(world->writer.samples[2].context, CONTEXT_HARDIRQ);
	assert_int_equal(world->writer.samples[3].context, CONTEXT_TASK);
	assert_leaf(world, 0, "[kernel]+1018");
}

/* No instruction of this kernel can be read; the name says it. */
static int no_code(void *context, uint64_t address, void *bytes, size_t size)
{
	(void)context, (void)address, (void)bytes, (void)size;
	return -1;
}

/* Only a clock that is an ordinary interrupt waits for the end of a section. */
static void sections_with_interrupts_off(void **state)
{
	struct world *world = *state;
	struct event *events = world->in.profile->events;
	struct stamp stamp = at(20, SHELL);

	world->kernel_bytes.read = no_code;
	build(world, true, false);
	events[0].clock = CLOCK_TIMER;
	events[1].clock = CLOCK_PMU_NMI;
	kernel_sample(world, &stamp, UNLOCK, VFS_READ);
	kernel_sample(world, &stamp, VFS_READ, UNLOCK);
	stamp.id = CYCLES_ID;
	kernel_sample(world, &stamp, UNLOCK, VFS_READ);
	drain(world);
	assert_leaf(world, 0, "[kernel]+1018< [kernel]+1708^");
	assert_leaf(world, 1, "[kernel]+1708< [kernel]+1018");
	assert_leaf(world, 2, "[kernel]+1018< [kernel]+1708");
}

/* The idle stream weighs with all its ticks; samples are those that interrupted the idle task. */
static void the_idle_stream(void **state)
{
	struct world *world = *state;
	struct stamp idle = at(20, 0), busy = at(30, SHELL);

	idle.id = busy.id = IDLE_ID;
	kernel_sample(world, &idle, IDLE, IDLE);
	kernel_sample(world, &idle, VFS_READ, TIMER_ENTRY);
	/* A routine of an unknown name, in which this kernel waits. */
	kernel_sample(world, &idle, VFS_READ, IDLE);
	kernel_sample(world, &busy, VFS_READ, VFS_READ);
	drain(world);
	assert_int_equal(world->writer.count, 1);
	assert_task(world, 0, "[idle]/swapper(0)");
	assert_int_equal(world->writer.samples[0].context, CONTEXT_HARDIRQ);
	assert_int_equal(attribution_counts(world->attribution).idle_stream_weight, 4 * PERIOD);
	assert_int_equal(world->in.profile->events[0].weight, PERIOD);
}

/* Where the kernel gave no stack, only the names of the routines show that a CPU waits. */
static void the_idle_stream_without_stacks(void **state)
{
	static const uint64_t mark = (uint64_t)PERF_CONTEXT_KERNEL;
	struct world *world = *state;
	struct stamp idle = at(20, 0);

	idle.id = IDLE_ID;
	stream_sample(world->in.stream, &idle, PERF_RECORD_MISC_KERNEL, IDLE, &mark, 1);
	stream_sample(world->in.stream, &idle, PERF_RECORD_MISC_KERNEL, VFS_READ, &mark, 1);
	drain(world);
	assert_int_equal(world->writer.count, 1);
	assert_leaf(world, 0, "[kernel]+1018");
}

/* Seen from within a PID namespace each task of another has the idle task's number. */
static void tasks_of_other_namespaces(void **state)
{
	struct world *world = *state;
	struct stamp other = at(20, 0), idle = at(30, 0);

	build(world, false, true);
	user_sample(world, &other, 0x1010);
	idle.id = IDLE_ID;
	kernel_sample(world, &idle, VFS_READ, TIMER_ENTRY); /* the clock has it */
	drain(world);
	assert_int_equal(world->writer.count, 1);
	assert_task(world, 0, "[other namespace]/[other namespace](-1)");
}

static void losses_and_open_throttles(void **state)
{
	struct world *world = *state;
	struct stamp clock = at(100, 0), cycles = at(150, 0), idle = at(160, 0);
	const struct event *events = world->in.profile->events;

	cycles.id = CYCLES_ID;
	idle.id = IDLE_ID;
	stream_throttle(world->in.stream, &clock, PERF_RECORD_THROTTLE);
	stream_throttle(world->in.stream, &cycles, PERF_RECORD_THROTTLE);
	stream_throttle(world->in.stream, &idle, PERF_RECORD_THROTTLE);
	stream_lost(world->in.stream, &clock, PERF_RECORD_LOST, 8);
	clock.time_ns = 300;
	clock.cpu = 1; /* was not throttled there */
	stream_throttle(world->in.stream, &clock, PERF_RECORD_UNTHROTTLE);
	drain(world);
	assert_int_equal(events[0].loss[LOSS_THROTTLED].count, 0);
	attribution_finish(world->attribution, 1100);
	assert_int_equal(events[0].loss[LOSS_THROTTLED].count, 1);
	assert_int_equal(events[0].loss[LOSS_THROTTLED].weight, 1000);
	assert_int_equal(events[1].loss[LOSS_THROTTLED].count, 1);
	assert_int_equal(events[1].loss[LOSS_THROTTLED].weight, 0);
	assert_int_equal(attribution_counts(world->attribution).ring_lost, 8);
}

/* With stacks: the kernel part on top of the user part, which is walked in the interrupt and sent
 * by hash later. */
static void stacks_of_samples(void **state)
{
	struct world *world = *state;
	struct stamp map = at(10, SHELL), sample = at(20, SHELL), again = at(30, SHELL);
	struct raw_stack raw = { .fixed = { .form = STACK_FORM_ADDRESSES,
					    .context = STACK_CONTEXT_UNKNOWN,
					    .end = UNWIND_END_COMPLETE,
					    .hash = 77,
					    .kernel_count = 2,
					    .user_count = 2 },
				 .kernel = { VFS_READ, SOFTIRQ },
				 .user = { 0x1010, 0x1020 } };

	build(world, true, false);
	stream_mmap(world->in.stream, &map, 0x1000, 0x1000, 4, "/nowhere/sh");
	stream_stack(world->in.stream, &sample, PERF_RECORD_MISC_KERNEL, &raw);
	raw.fixed.form = STACK_FORM_KNOWN;
	raw.fixed.kernel_count = raw.fixed.user_count = 0;
	stream_stack(world->in.stream, &again, PERF_RECORD_MISC_KERNEL, &raw);
	drain(world);
	assert_int_equal(world->writer.count, 2);
	assert_leaf(world, 0, "/nowhere/sh+20< /nowhere/sh+10 [kernel]+1308< [kernel]+1018");
	assert_int_equal(world->writer.samples[0].context, CONTEXT_SOFTIRQ);
	assert_int_equal(world->writer.samples[1].stack, world->writer.samples[0].stack);
	assert_int_equal(world->writer.samples[1].context, CONTEXT_SOFTIRQ);
}

/* A process known only from its sample has a stack of its own, though nothing is mapped. */
static void a_stack_of_a_process_never_announced(void **state)
{
	struct world *world = *state;
	struct stamp sample = at(20, 4711);
	const struct raw_stack raw = { .fixed = { .form = STACK_FORM_ADDRESSES,
						  .context = STACK_CONTEXT_TASK,
						  .end = UNWIND_END_COMPLETE,
						  .user_count = 1 },
				       .user = { 0x1010 } };

	build(world, true, false);
	stream_stack(world->in.stream, &sample, PERF_RECORD_MISC_USER, &raw);
	drain(world);
	assert_leaf(world, 0, "[unmapped]+1010");
}

/* Mappings without size, beyond the end of memory, of no process; a CPU that no machine has. */
static void hostile_sizes(void **state)
{
	struct world *world = *state;
	struct stamp stamp = at(20, SHELL), kernel = at(20, -1), gone = at(30, SHELL);
	size_t images = world->in.profile->images.count;

	stream_mmap(world->in.stream, &stamp, 0x1000, 0, 4, "/nowhere/none");
	stream_mmap(world->in.stream, &stamp, UINT64_MAX - 0xfff, 0x2000, 4, "/nowhere/beyond");
	stream_mmap(world->in.stream, &stamp, 0x1000, UINT64_MAX, 4, "/nowhere/all");
	stream_mmap(world->in.stream, &kernel, 0x1000, 0x1000, 4, "/nowhere/kernel");
	drain(world);
	assert_int_equal(address_space_count(machine_space(world->in.machine, SHELL).mappings), 0);
	assert_int_equal(world->in.profile->images.count, images);
	gone.cpu = UINT32_MAX;
	stream_task(world->in.stream, &gone, PERF_RECORD_EXIT, 1, 1);
	drain(world);
	assert_int_equal(machine_process_of(world->in.machine, SHELL), 0);
}

/* The /proc scan's mappings, those without a name are memory. */
static void mappings_of_the_scan(void **state)
{
	struct world *world = *state;
	const struct proc_map file = { .start = 0x1000, .end = 0x2000, .path = "/nowhere/sh" };
	const struct proc_map memory = { .start = 0x5000, .end = 0x6000, .path = "" };
	struct stamp stamp = at(20, SHELL);

	attribution_map(world->attribution, SHELL, &file);
	attribution_map(world->attribution, SHELL, &memory);
	user_sample(world, &stamp, 0x1010);
	user_sample(world, &stamp, 0x5010);
	drain(world);
	assert_leaf(world, 0, "/nowhere/sh+10");
	assert_leaf(world, 1, "[anon]+5010");
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(a_sample_counts_into_its_event),
		IN_WORLD(samples_of_other_times),
		IN_WORLD(a_program_and_what_it_was_before),
		IN_WORLD(a_thread_has_its_own_name),
		IN_WORLD(what_has_exited_still_runs),
		IN_WORLD(numbers_are_used_again),
		IN_WORLD(a_process_that_was_never_announced),
		IN_WORLD(contexts_of_the_kernel),
		IN_WORLD(sections_with_interrupts_off),
		IN_WORLD(the_idle_stream),
		IN_WORLD(the_idle_stream_without_stacks),
		IN_WORLD(tasks_of_other_namespaces),
		IN_WORLD(losses_and_open_throttles),
		IN_WORLD(stacks_of_samples),
		IN_WORLD(a_stack_of_a_process_never_announced),
		IN_WORLD(hostile_sizes),
		IN_WORLD(mappings_of_the_scan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
