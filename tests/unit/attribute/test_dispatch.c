/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attribute/dispatch.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "perf/records.h"

enum { SHELL = 100, CLOCK_ID = 7, OTHER_ID = 8 };

struct world {
	struct profile *profile;
	struct machine *machine;
	struct record_stream *stream;
	struct dispatch dispatch;
	struct buf seen; /* what the hooks saw, a word each */
	int sample_rc, rc;
};

/* ---- a source and hooks that write down what they get ---- */

static struct record_origin origin(void *context, const struct perf_record *record)
{
	(void)context;
	return (struct record_origin){ .event = record->id == CLOCK_ID ? 0 : RECORD_NO_EVENT,
				       .is_time = true,
				       .weight = record->type == PERF_RECORD_SAMPLE ? 250 : 0 };
}

/* The record at time 666 is passed over. */
static bool admit(void *context, const struct perf_record *record)
{
	struct world *world = context;

	buf_printf(&world->seen, "%u:", record->type);
	return record->time_ns != 666;
}

static int sample(void *context, const struct perf_record *record, const struct record_origin *of)
{
	struct world *world = context;

	buf_printf(&world->seen, "sample(%d,%d,%llu) ", record->tid, of->event,
		   (unsigned long long)of->weight);
	return world->sample_rc;
}

static int map(void *context, const struct perf_record *record)
{
	struct world *world = context;

	buf_printf(&world->seen, "map(%s) ", record->mmap.path);
	return 0;
}

/* The machine still has the thread. */
static void leave(void *context, const struct perf_record *record)
{
	struct world *world = context;

	assert_true(machine_tid_alive(world->machine, record->tid));
	buf_printf(&world->seen, "leave(%d) ", record->tid);
}

static void comm(void *context, const struct perf_record *record)
{
	struct world *world = context;

	buf_printf(&world->seen, "comm(%s) ", record->comm.comm);
}

static void fork_hook(void *context, const struct perf_record *record)
{
	struct world *world = context;

	buf_printf(&world->seen, "fork(%d) ", record->pid);
}

static void ksymbol(void *context, const struct perf_record *record)
{
	struct world *world = context;

	buf_printf(&world->seen, "ksymbol(%s) ", record->ksymbol.name);
}

static void cgroup(void *context, const struct perf_record *record)
{
	struct world *world = context;

	buf_printf(&world->seen, "cgroup(%s) ", record->cgroup.path);
}

static const struct dispatch_hooks no_hooks = { .admit = NULL };
static const struct dispatch_hooks all_hooks = {
	.admit = admit,
	.sample = sample,
	.map = map,
	.comm = comm,
	.fork = fork_hook,
	.leave = leave,
	.ksymbol = ksymbol,
	.cgroup = cgroup,
};

/* ---- the world ---- */

static int begin(void **state)
{
	static struct world world;
	const struct machine_process shell = { .pid = SHELL,
					       .comm = "sh",
					       .executable = "/bin/sh" };

	world = (struct world){ .profile = profile_new(), .stream = stream_new() };
	world.profile->event_count = 1;
	world.machine = machine_new(world.profile, NULL, NULL);
	machine_add_process(world.machine, &shell);
	world.dispatch = (struct dispatch){ .profile = world.profile,
					    .machine = world.machine,
					    .source = { origin, NULL },
					    .hooks = &no_hooks,
					    .context = &world };
	*state = &world;
	return 0;
}

static int end(void **state)
{
	struct world *world = *state;

	dispatch_done(&world->dispatch);
	buf_done(&world->seen);
	stream_free(world->stream);
	machine_free(world->machine);
	profile_free(world->profile);
	return 0;
}

static void take(void *context, const struct perf_record *record)
{
	struct world *world = context;
	int rc = dispatch_take(&world->dispatch, record);

	world->rc = world->rc ? world->rc : rc;
}

static void drain(struct world *world)
{
	stream_drain(world->stream, take, world);
}

static struct stamp shell_at(uint64_t time_ns)
{
	return (struct stamp){ .time_ns = time_ns, .pid = SHELL, .tid = SHELL, .id = CLOCK_ID };
}

static const char *program_of(const struct world *world, int32_t pid)
{
	const struct process *row =
		&world->profile->processes.items[machine_process_of(world->machine, pid)];

	return profile_text(world->profile, row->program);
}

/* ---- tests ---- */

/* Without any hooks, names, forks and exits reach the machine, in order of time. */
static void tasks_live_and_die_without_hooks(void **state)
{
	struct world *world = *state;
	struct stamp born = { .time_ns = 20, .pid = 101, .tid = 101 };
	struct stamp named = { .time_ns = 30, .pid = 101, .tid = 101 };
	struct stamp thread = { .time_ns = 40, .pid = 101, .tid = 102 };
	struct stamp gone = { .time_ns = 50, .pid = 101, .tid = 102 };

	/* As rings bring them: not in order. */
	stream_task(world->stream, &gone, PERF_RECORD_EXIT, 101, 101);
	stream_comm(world->stream, &named, "sleep", PERF_RECORD_MISC_COMM_EXEC);
	stream_task(world->stream, &thread, PERF_RECORD_FORK, 101, 101);
	stream_task(world->stream, &born, PERF_RECORD_FORK, SHELL, SHELL);
	drain(world);
	assert_string_equal(program_of(world, 101), "sleep");
	assert_true(machine_tid_alive(world->machine, 101));
	assert_false(machine_tid_alive(world->machine, 102));
	gone.tid = 101;
	gone.time_ns = 60;
	stream_task(world->stream, &gone, PERF_RECORD_EXIT, SHELL, SHELL);
	drain(world);
	assert_int_equal(machine_process_of(world->machine, 101), 0);
	assert_int_not_equal(machine_process_of(world->machine, SHELL), 0);
	assert_int_equal(world->rc, 0);
}

static void put_ksymbol(struct world *world)
{
	struct stamp stamp = shell_at(50);

	made_begin(&world->stream->made);
	made_u64(&world->stream->made, 0xffffffffc0000000);
	made_u32(&world->stream->made, 64);
	made_u32(&world->stream->made, 0);
	made_text(&world->stream->made, "bpf_prog_1");
	stream_stamp(world->stream, &stamp, PERF_RECORD_KSYMBOL, 0);
}

static void put_cgroup(struct world *world)
{
	struct stamp stamp = shell_at(60);

	made_begin(&world->stream->made);
	made_u64(&world->stream->made, 17);
	made_text(&world->stream->made, "/web");
	stream_stamp(world->stream, &stamp, PERF_RECORD_CGROUP, 0);
}

/* Each type once, to its hook; the hook replaces what is done with names and forks, not with exits.
 */
static void each_record_has_its_hook(void **state)
{
	struct world *world = *state;
	struct stamp stamp = { .time_ns = 10, .pid = 101, .tid = 101, .id = OTHER_ID };
	struct stamp at20 = shell_at(20), at30 = shell_at(30), at40 = shell_at(40),
		     at70 = shell_at(70), at80 = shell_at(80);

	world->dispatch.hooks = &all_hooks;
	stream_task(world->stream, &stamp, PERF_RECORD_FORK, SHELL, SHELL);
	stream_comm(world->stream, &at20, "other", 0);
	stream_mmap(world->stream, &at30, 0x1000, 0x1000, 5, "/lib/a");
	stream_sample(world->stream, &at40, PERF_RECORD_MISC_USER, 0x1010, NULL, 0);
	put_ksymbol(world);
	put_cgroup(world);
	at70.id = OTHER_ID;
	stream_sample(world->stream, &at70, PERF_RECORD_MISC_USER, 0x1010, NULL, 0);
	stream_task(world->stream, &at80, PERF_RECORD_EXIT, 1, 1);
	drain(world);
	assert_string_equal(buf_text(&world->seen),
			    "7:fork(101) 3:comm(other) 10:map(/lib/a) 9:sample(100,0,250) "
			    "17:ksymbol(bpf_prog_1) 19:cgroup(/web) 9:sample(100,-1,250) "
			    "4:leave(100) ");
	assert_int_equal(machine_process_of(world->machine, 101), 0);
	assert_false(machine_tid_alive(world->machine, SHELL));
}

static void what_is_not_admitted_changes_nothing(void **state)
{
	struct world *world = *state;
	struct stamp stamp = shell_at(666);

	world->dispatch.hooks = &all_hooks;
	stream_lost(world->stream, &stamp, PERF_RECORD_LOST, 5);
	stream_task(world->stream, &stamp, PERF_RECORD_EXIT, 1, 1);
	drain(world);
	assert_string_equal(buf_text(&world->seen), "2:4:");
	assert_int_equal(world->dispatch.lost, 0);
	assert_true(machine_tid_alive(world->machine, SHELL));
}

static void what_a_hook_fails_with_is_returned(void **state)
{
	struct world *world = *state;
	struct stamp stamp = shell_at(10);

	world->dispatch.hooks = &all_hooks;
	world->sample_rc = -ENOSPC;
	stream_sample(world->stream, &stamp, PERF_RECORD_MISC_USER, 0x1010, NULL, 0);
	drain(world);
	assert_int_equal(world->rc, -ENOSPC);
}

/* One count of losses, and one table of throttles: by event and CPU. */
static void losses_and_throttles(void **state)
{
	struct world *world = *state;
	struct stamp on0 = shell_at(100), on1 = shell_at(150), end1 = shell_at(170),
		     end0 = shell_at(300);
	const struct loss *throttled = &world->profile->events[0].loss[LOSS_THROTTLED];

	on1.cpu = end1.cpu = 1;
	stream_throttle(world->stream, &on0, PERF_RECORD_THROTTLE);
	stream_throttle(world->stream, &on1, PERF_RECORD_THROTTLE);
	stream_throttle(world->stream, &end1, PERF_RECORD_UNTHROTTLE);
	stream_lost(world->stream, &on1, PERF_RECORD_LOST, 3);
	stream_lost(world->stream, &on1, PERF_RECORD_LOST_SAMPLES, 4);
	on1.id = OTHER_ID;
	stream_lost(world->stream, &on1, PERF_RECORD_LOST, 5);
	drain(world);
	assert_int_equal(throttled->count, 1);
	assert_int_equal(throttled->weight, 20);
	stream_throttle(world->stream, &end0, PERF_RECORD_UNTHROTTLE);
	drain(world);
	assert_int_equal(throttled->count, 2);
	assert_int_equal(throttled->weight, 220);
	assert_int_equal(world->dispatch.lost, 12);
	assert_int_equal(world->dispatch.in_ring[0], 7);
}

/* Types we have no use for, types that no kernel writes, and the highest number there can be. */
static void unknown_types_are_passed_over(void **state)
{
	static const uint32_t types[] = { 0, PERF_RECORD_ITRACE_START, PERF_RECORD_AUX, 40, 65535 };
	struct world *world = *state;
	struct perf_record record = { .time_ns = 5, .pid = SHELL, .tid = SHELL };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		record.type = types[i];
		assert_int_equal(dispatch_take(&world->dispatch, &record), 0);
	}
	record.type = UINT32_MAX;
	assert_int_equal(dispatch_take(&world->dispatch, &record), 0);
	assert_true(machine_tid_alive(world->machine, SHELL));
	assert_int_equal(world->dispatch.lost, 0);
}

/* Cut off at any word, a name is no record: its trailer, its numbers or its NUL is missing. */
static void truncated_records_are_counted(void **state)
{
	struct world *world = *state;
	struct stamp stamp = shell_at(10);
	size_t whole, cuts = 0;

	world->dispatch.hooks = &all_hooks;
	stream_comm(world->stream, &stamp, "a-name-of-15-by", 0);
	whole = world->stream->made.size;
	for (size_t size = sizeof(struct perf_event_header); size < whole; size += 8) {
		struct perf_event_header header = { PERF_RECORD_COMM, 0, (uint16_t)size };
		uint64_t words[MADE_ROOM];

		memcpy(words, world->stream->made.words, size);
		memcpy(words, &header, sizeof(header));
		record_queue_add(world->stream->queue, 0, words, size);
		cuts++;
	}
	drain(world);
	assert_int_equal(cuts, 7);
	assert_int_equal(record_queue_counts(world->stream->queue).malformed, cuts);
	assert_string_equal(buf_text(&world->seen), "3:comm(a-name-of-15-by) ");
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(tasks_live_and_die_without_hooks),
		IN_WORLD(each_record_has_its_hook),
		IN_WORLD(what_is_not_admitted_changes_nothing),
		IN_WORLD(what_a_hook_fails_with_is_returned),
		IN_WORLD(losses_and_throttles),
		IN_WORLD(unknown_types_are_passed_over),
		IN_WORLD(truncated_records_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
