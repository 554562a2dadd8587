/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile with --off-cpu, made by hand: a command of one thread that waits for a lock and sleeps,
 * and another process that releases the lock. */
#ifndef UNIT_AGGREGATE_WAITS_H
#define UNIT_AGGREGATE_WAITS_H

#include <stdio.h>

#include "aggregate/account/account.h"
#include "aggregate/fixture.h"

struct waits {
	struct fixture fixture;
	uint8_t waits, times;	 /* events */
	uint32_t command, other; /* processes */
	size_t recorded;	 /* totals of waits: the last ones */
};

/* A wait on top of a stack (0: of nothing). */
static inline uint32_t waits_leaf(struct fixture *fixture, uint32_t parent, enum wait wait,
				  uint32_t waker)
{
	struct profile *profile = fixture->profile;
	struct image image = { .kind = IMAGE_WAIT };
	struct frame frame = { .offset = waker };
	char path[64];

	snprintf(path, sizeof(path), "[%s]", wait_name(wait));
	image.path = fixture_text(fixture, path);
	frame.image = profile_image(profile, &image);
	return profile_stack(profile, parent, profile_frame(profile, &frame));
}

static inline void waits_hit(struct fixture *fixture, uint8_t event, uint32_t task, uint32_t stack,
			     uint64_t samples, uint64_t ms)
{
	struct total total = fixture_total(task, stack, MODE_KERNEL, CONTEXT_TASK, samples);

	total.event = event;
	total.weight = ms * NS_PER_MS;
	tally_add_all(&fixture->totals, &(const struct total *){ &total }, 1);
	fixture->profile->events[event].samples += samples;
}

static inline void waits_times(struct waits *waits, uint32_t task, uint64_t running,
			       uint64_t runnable, uint64_t blocked)
{
	struct fixture *fixture = &waits->fixture;

	waits_hit(fixture, waits->times, task, waits_leaf(fixture, 0, WAIT_RUNNING, 0), 1, running);
	waits_hit(fixture, waits->times, task, waits_leaf(fixture, 0, WAIT_RUNNABLE, 0), 1,
		  runnable);
	waits_hit(fixture, waits->times, task, waits_leaf(fixture, 0, WAIT_BLOCKED, 0), 1, blocked);
}

static inline void waits_make(struct waits *waits)
{
	struct fixture *fixture = &waits->fixture;
	uint32_t task, waker, clock, lock, sleep;

	fixture_init(fixture);
	waits->waits = fixture_event(fixture, "off-cpu", "ns");
	waits->times = fixture_event(fixture, "thread-time", "ns");
	fixture->profile->events[waits->waits].clock = CLOCK_SCHEDULER;
	fixture->profile->events[waits->times].clock = CLOCK_EXACT;
	waits->command = fixture_process(fixture, "server", 1000);
	waits->other = fixture_process(fixture, "client", 2000);
	fixture->profile->processes.items[waits->command].in_command = true;
	task = fixture_task(fixture, waits->command, "server");
	waker = fixture_task(fixture, waits->other, "client");
	clock = fixture_stack(fixture, "/bin/server", "work", 0x100, SYMBOL_NAMED);
	fixture_hit(fixture, task, clock, MODE_USER, CONTEXT_TASK, 3);
	fixture_hit(fixture, task, clock, MODE_KERNEL, CONTEXT_TASK, 1);
	fixture->profile->events[0].samples = 4;
	waits_times(waits, task, 200, 100, 700);
	waits_times(waits, waker, 1000, 1000, 3000);
	lock = fixture_chain(fixture, 0, "/bin/server", "main work");
	lock = fixture_chain(fixture, lock, "/lib/libc.so.6", "pthread_mutex_lock");
	lock = fixture_chain(fixture, lock, "[kernel]", "do_syscall_64 futex_wait");
	sleep = fixture_chain(fixture, fixture_cut(fixture, STACK_UNKNOWN), "[kernel]",
			      "do_syscall_64 do_nanosleep");
	waits_hit(fixture, waits->waits, task, waits_leaf(fixture, lock, WAIT_LOCK, waker), 4, 400);
	waits_hit(fixture, waits->waits, task, waits_leaf(fixture, sleep, WAIT_SLEEP, 0), 2, 160);
	waits_hit(fixture, waits->waits, task, waits_leaf(fixture, lock, WAIT_RUNNABLE, 0), 1, 90);
	waits->recorded = 3;
}

static inline void waits_done(struct waits *waits)
{
	fixture_done(&waits->fixture);
}

#endif
