/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that wait for something known. Prints, with tabs between, "pid" and its own, and "wait"
 * NAME SECONDS: how long the thread of that name was not running, by the clocks. Usage: waits
 *
 *   sleeper   sleeps
 *   locker    waits for a mutex that the thread "holder" has; sleeps in between
 *   reader    reads from a pipe into which the thread "writer" writes now and then
 *   first, second  each busy all the time, on one CPU
 *
 * "late" NAME: it could not be put before all others for its end, which comes later than it knows.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "spin.h"

enum { ROUNDS = 60, PAUSE_MS = 30, BUSY_MS = 1500 };

struct world {
	pthread_mutex_t mutex;
	int pipe_ends[2];
	int cpu; /* for those that compete */
};

struct worker {
	const char *name;
	void (*run)(struct worker *worker);
	struct world *world;
	uint64_t waited_ns;  /* 0: not printed */
	uint64_t created_ns; /* until it runs it waits for a processor */
	int ends_late;
};

static void pause_ms(unsigned ms)
{
	struct timespec time = { .tv_nsec = (long)ms * 1000000 };

	nanosleep(&time, NULL);
}

static NOINLINE void sleep_often(struct worker *worker)
{
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t start_ns = spin_clock_ns(CLOCK_MONOTONIC);

		pause_ms(PAUSE_MS);
		worker->waited_ns += spin_clock_ns(CLOCK_MONOTONIC) - start_ns;
	}
}

static NOINLINE void hold(struct worker *worker)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&worker->world->mutex);
		pause_ms(PAUSE_MS);
		pthread_mutex_unlock(&worker->world->mutex);
		pause_ms(2); /* the other one's turn */
	}
}

static NOINLINE void lock_often(struct worker *worker)
{
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t start_ns = spin_clock_ns(CLOCK_MONOTONIC);

		pthread_mutex_lock(&worker->world->mutex);
		pthread_mutex_unlock(&worker->world->mutex);
		pause_ms(5); /* the other one has it again */
		worker->waited_ns += spin_clock_ns(CLOCK_MONOTONIC) - start_ns;
	}
}

static NOINLINE void write_slowly(struct worker *worker)
{
	for (int i = 0; i < ROUNDS; i++) {
		pause_ms(PAUSE_MS);
		if (write(worker->world->pipe_ends[1], "x", 1) != 1)
			exit(1);
	}
}

static NOINLINE void read_often(struct worker *worker)
{
	char byte;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t start_ns = spin_clock_ns(CLOCK_MONOTONIC);

		if (read(worker->world->pipe_ends[0], &byte, 1) != 1)
			exit(1);
		worker->waited_ns += spin_clock_ns(CLOCK_MONOTONIC) - start_ns;
	}
}

/* How long this thread was runnable since its birth, as the scheduler's own statistics have it
 * (Documentation/scheduler/sched-stats.rst); 0 where they are not kept. A virtual machine's clocks
 * would count with it the time that the host took. */
static uint64_t run_delay_ns(void)
{
	unsigned long long delay = 0;
	FILE *file = fopen("/proc/thread-self/schedstat", "re");

	if (file && fscanf(file, "%*u %llu", &delay) != 1)
		delay = 0;
	if (file)
		fclose(file);
	return delay;
}

static NOINLINE void compete(struct worker *worker)
{
	uint64_t start_ns = spin_clock_ns(CLOCK_MONOTONIC), wall_ns;
	uint64_t cpu_ns = spin_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(worker->world->cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	do {
		SPIN(20000);
		wall_ns = spin_clock_ns(CLOCK_MONOTONIC) - start_ns;
	} while (wall_ns < BUSY_MS * UINT64_C(1000000));
	worker->waited_ns = wall_ns - (spin_clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns);
}

/* What is known has been waited for: nobody may keep this thread from its end any more, for how
 * long it waits then no clock of its own can tell. Does it come first? */
static int end_at_once(void)
{
	struct sched_param first = { .sched_priority = 1 };

	return sched_setscheduler(0, SCHED_FIFO, &first) == 0;
}

static void *run(void *argument)
{
	struct worker *worker = argument;

	uint64_t birth_ns = spin_clock_ns(CLOCK_MONOTONIC) - worker->created_ns;

	prctl(PR_SET_NAME, worker->name);
	worker->run(worker);
	worker->ends_late = !end_at_once();
	if (worker->waited_ns && worker->run != compete)
		worker->waited_ns += birth_ns;
	else if (worker->run == compete && run_delay_ns())
		worker->waited_ns = run_delay_ns();
	return NULL;
}

int main(void)
{
	struct world world = { .mutex = PTHREAD_MUTEX_INITIALIZER, .cpu = sched_getcpu() };
	struct worker workers[] = {
		{ .name = "sleeper", .run = sleep_often },
		{ .name = "holder", .run = hold },
		{ .name = "locker", .run = lock_often },
		{ .name = "writer", .run = write_slowly },
		{ .name = "reader", .run = read_often },
		{ .name = "first", .run = compete },
		{ .name = "second", .run = compete },
	};
	enum { WORKERS = sizeof(workers) / sizeof(workers[0]) };
	pthread_t threads[WORKERS];

	if (pipe(world.pipe_ends) != 0)
		return 1;
	printf("pid\t%d\n", (int)getpid());
	for (int i = 0; i < WORKERS; i++) {
		workers[i].world = &world;
		workers[i].created_ns = spin_clock_ns(CLOCK_MONOTONIC);
		pthread_create(&threads[i], NULL, run, &workers[i]);
	}
	for (int i = 0; i < WORKERS; i++) {
		pthread_join(threads[i], NULL);
		if (workers[i].waited_ns)
			printf("wait\t%s\t%.6f\n", workers[i].name,
			       (double)workers[i].waited_ns / 1e9);
		if (workers[i].ends_late)
			printf("late\t%s\n", workers[i].name);
	}
	return 0;
}
