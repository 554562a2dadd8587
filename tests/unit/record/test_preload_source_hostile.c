/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes can write anything, and the numbers of some mean nothing here. */
#include "record/preload_world.h"

static uint64_t seed = 88172645463325252ULL;

static uint64_t next_random(void)
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return seed;
}

static struct preload_chunk *chunk_of(const struct world *world, uint32_t index)
{
	return (struct preload_chunk *)(void *)((char *)world->head + PRELOAD_HEAD_BYTES) + index;
}

static void drain(struct world *world, uint64_t cutoff_ns)
{
	preload_source_drain(world->source, cutoff_ns, world->attribution);
}

/* With what the model awaits after an execution. */
static void put_program(struct world *world, uint32_t index, int32_t pid, uint64_t time_ns)
{
	put_fork(world, index, pid, COMMAND, time_ns);
	put_exec(world, index, pid, "busy", time_ns);
	put_map(world, index, pid, CODE * 2, "/bin/busy", time_ns);
	put_map(world, index, pid, CODE * 3, "/lib/libc.so", time_ns);
	put_map(world, index, pid, CODE * 4, "[vdso]", time_ns);
}

static void expect_code(const struct world *world, size_t sample, const char *wanted)
{
	const struct profile *profile = world->in.profile;
	const struct stack_node *leaf;

	assert_true(sample < world->writer.count);
	leaf = &profile->stacks.items[world->writer.samples[sample].stack];
	assert_frame(profile, leaf->frame, wanted);
}

/* A mapping is dated back to the last look at them, of which samples were passed on already. */
static void test_mappings_are_not_late(void **state)
{
	struct world *world = *state;
	uint64_t t = world->now_ns;

	put_program(world, 0, CHILD, t + 10);
	drain(world, t + 30);
	put_map(world, 0, CHILD, CODE, "/lib/loaded.so", t + 5);
	put_sample(world, 0, CHILD, 5, t + 40);
	drain(world, UINT64_MAX);
	expect_code(world, 0, "/lib/loaded.so+10");
	preload_source_settle(world->source);
	assert_int_equal(world->in.profile->events[0].loss[LOSS_LATE].count, 0);
}

static void test_libraries_in_one_place(void **state)
{
	struct world *world = *state;
	uint64_t t = world->now_ns;

	put_program(world, 0, CHILD, t + 10);
	put_map(world, 0, CHILD, CODE, "/lib/second.so", t + 40);
	put_sample(world, 0, CHILD, 5, t + 50);
	put_sample(world, 1, CHILD, 5, t + 30);
	put_map(world, 1, CHILD, CODE, "/lib/first.so", t + 20);
	drain(world, UINT64_MAX);
	expect_code(world, 0, "/lib/first.so+10");
	expect_code(world, 1, "/lib/second.so+10");
}

static void put_thread(struct world *world, uint32_t index, uint32_t type, int32_t pid, int32_t tid,
		       uint64_t time_ns)
{
	const struct {
		struct perf_event_header header;
		int32_t pid, parent_pid, tid, parent_tid;
		uint64_t time_ns;
		struct preload_trailer trailer;
	} record = { { type, 0, sizeof(record) }, pid, pid, tid, pid, time_ns,
		     { pid, tid, time_ns, 0, 0 } };

	put(world, index, &record, sizeof(record));
}

/* The process is not there; of its threads' ends, one is reported. */
static void test_processes_end_with_their_threads(void **state)
{
	struct world *world = *state;
	uint64_t t = world->now_ns;
	uint32_t row;

	put_program(world, 0, CHILD, t + 10);
	put_thread(world, 0, PERF_RECORD_FORK, CHILD, CHILD + 1, t + 20);
	put_thread(world, 0, PERF_RECORD_FORK, CHILD, CHILD + 2, t + 20);
	put_thread(world, 0, PERF_RECORD_EXIT, CHILD, CHILD + 2, t + 30);
	drain(world, t + 40);
	row = machine_process_of(world->in.machine, CHILD);
	assert_int_not_equal(row, 0);
	assert_true(machine_tid_alive(world->in.machine, CHILD + 1));
	assert_false(machine_tid_alive(world->in.machine, CHILD + 2));
	drain(world, UINT64_MAX);
	assert_int_equal(machine_process_of(world->in.machine, CHILD), 0);
	assert_false(machine_tid_alive(world->in.machine, CHILD + 1));
	assert_true(world->in.profile->processes.items[row].end_ns > t + 30);
}

/* The same number in two PID namespaces and in ours, where this process has it. */
static void test_numbers_of_other_namespaces(void **state)
{
	struct world *world = *state;
	uint64_t t = world->now_ns;
	int32_t pid = getpid();
	const struct profile *profile = world->in.profile;

	for (uint32_t i = 0; i < 3; i++) {
		put_fork(world, i, pid, i ? 0 : COMMAND, t + 10);
		put_exec(world, i, pid, "busy", t + 20);
		put_sample(world, i, pid, 5, t + 30);
		if (i)
			chunk_of(world, i)->pid_namespace = i;
	}
	drain(world, UINT64_MAX);
	drain(world, UINT64_MAX);
	assert_int_equal(world->writer.count, 3);
	for (int32_t i = 0; i < 3; i++) {
		uint32_t row = machine_process_of(world->in.machine, i * 10000000 + pid);
		const struct process *process = &profile->processes.items[row];

		assert_int_not_equal(row, 0); /* none of them has ended, as far as we know */
		assert_int_equal(process->pid, i * 10000000 + pid);
		assert_int_equal(profile->tasks.items[world->writer.samples[i].task].tid,
				 process->pid);
		/* before it executed a program */
		process = &profile->processes.items[process->parent];
		assert_int_equal(profile->processes.items[process->parent].pid, COMMAND);
	}
}

/* Each kind of record, at each length, full of anything. */
static void test_random_records(void **state)
{
	static const uint32_t types[] = {
		PERF_RECORD_SAMPLE,  PERF_RECORD_FORK,	  PERF_RECORD_COMM,
		PERF_RECORD_MMAP2,   PERF_RECORD_EXIT,	  PRELOAD_RECORD_EXEC,
		PRELOAD_RECORD_MARK, PERF_RECORD_KSYMBOL, 12345,
	};
	struct world *world = *state;
	_Alignas(8) uint64_t record[64];

	for (int round = 0; round < 20; round++) {
		for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
			for (uint16_t size = 8; size <= sizeof(record); size += 8) {
				struct perf_event_header header = { types[i], PERF_RECORD_MISC_USER,
								    size };

				for (size_t j = 1; j < sizeof(record) / 8; j++)
					record[j] =
						round % 2 ? next_random() : next_random() % 1000;
				memcpy(record, &header, sizeof(header));
				put(world, (uint32_t)i, record, size);
			}
		}
		drain(world, round % 3 ? UINT64_MAX : world->now_ns);
		for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
			chunk_of(world, (uint32_t)i)->state = PRELOAD_CHUNK_FULL;
		drain(world, UINT64_MAX);
	}
	preload_source_settle(world->source);
	assert_true(world->in.profile->events[0].loss[LOSS_MALFORMED].count > 100);
}

static void test_programs_without_a_name(void **state)
{
	struct world *world = *state;
	struct {
		struct preload_exec head;
		char path[16];
	} record = { .head = { .header = { PRELOAD_RECORD_EXEC, 0, sizeof(record) } } };

	memset(record.path, 'x', sizeof(record.path));
	put(world, 0, &record, sizeof(record));
	record.head.header.size = sizeof(record.head);
	put(world, 0, &record, sizeof(record.head));
	drain(world, UINT64_MAX);
	preload_source_settle(world->source);
	assert_int_equal(world->in.profile->events[0].loss[LOSS_MALFORMED].count, 2);
	assert_true(!world->in.profile->run.not_visible ||
		    !strstr(world->in.profile->run.not_visible, "xxx"));
}

/* More than are followed at a time; each has a sample. */
static void test_many_processes(void **state)
{
	enum { PROCESSES = 70000, AT_ONCE = KEPT_SAMPLES / 2 };
	struct world *world = *state;
	uint64_t t = world->now_ns;
	size_t samples = 0;

	for (int32_t i = 0; i < PROCESSES; i += AT_ONCE) {
		for (int32_t j = i; j < i + AT_ONCE && j < PROCESSES; j++) {
			put_fork(world, 0, CHILD + 1 + j, COMMAND, t + (uint64_t)j);
			put_sample(world, 0, CHILD + 1 + j, 5, t + (uint64_t)j);
		}
		chunk_of(world, 0)->state = PRELOAD_CHUNK_FULL;
		drain(world, UINT64_MAX);
		samples += world->writer.count;
		world->writer.count = 0;
	}
	assert_int_equal(samples, PROCESSES);
	assert_true(world->in.profile->processes.count >= PROCESSES);
	preload_source_settle(world->source);
	assert_int_equal(world->in.profile->events[0].loss[LOSS_MALFORMED].count, 0);
}

/* Of a process that is there: what /proc says of it is added, but takes no place that is known. */
static void test_mappings_of_living_processes(void **state)
{
	struct world *world = *state;
	uint64_t t = world->now_ns, here = (uint64_t)(uintptr_t)&test_mappings_of_living_processes;
	struct machine_space space;
	struct mapping mapping;

	put_fork(world, 0, getpid(), COMMAND, t + 10);
	put_exec(world, 0, getpid(), "test", t + 10);
	drain(world, t + 20);
	put_sample(world, 0, getpid(), 5, t + 30);
	drain(world, t + 40); /* it is read, for the next samples */
	drain(world, UINT64_MAX);
	space = machine_space(world->in.machine, getpid());
	assert_int_equal(machine_find_code(&space, here, &mapping), CODE_MAPPED);
	assert_non_null(strstr(profile_text(world->in.profile,
					    world->in.profile->images.items[mapping.image].path),
			       "test_record_preload_source_hostile"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_mappings_are_not_late, begin, end),
		cmocka_unit_test_setup_teardown(test_libraries_in_one_place, begin, end),
		cmocka_unit_test_setup_teardown(test_processes_end_with_their_threads, begin, end),
		cmocka_unit_test_setup_teardown(test_numbers_of_other_namespaces, begin, end),
		cmocka_unit_test_setup_teardown(test_random_records, begin, end),
		cmocka_unit_test_setup_teardown(test_programs_without_a_name, begin, end),
		cmocka_unit_test_setup_teardown(test_many_processes, begin, end),
		cmocka_unit_test_setup_teardown(test_mappings_of_living_processes, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
