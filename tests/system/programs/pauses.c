/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits in one way, so that nothing else runs meanwhile. Prints, with tabs between, "least" and "most"
 * seconds: what it waited lies between, by the clocks. Usage: pauses WAY
 *
 *   sleep    sleeps
 *   limit    waits for a pipe of its own, with a limit
 *   child    waits for a child that sleeps
 *   thread   waits for a thread that sleeps, after the first thread has ended
 *   lock     waits for a lock whose owner is busy: "least" and "most" of the wait for the lock
 *   locks    is busy with a lock for which three threads wait: "least" and "most" of all their waits
 *   disk     reads the file in the argument after it, past the page cache
 *   input    reads from standard input
 *   signal   waits for a signal
 *   busy     waits for nothing
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spin.h"

enum { PARTS = 10, PART_MS = 40, BUSY_MS = 300, BLOCK = 4096, WAITERS = 3 };

static struct {
	pthread_mutex_t lock;
	pid_t waiters[WAITERS]; /* 0: there is none, or it has not begun */
	unsigned waiter_count;
	uint64_t held_ns; /* the lock was held while the other thread waited for it */
	const char *file;
} world = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void sleep_often(void)
{
	const struct timespec part = { .tv_nsec = PART_MS * 1000000L };

	for (int i = 0; i < PARTS; i++)
		nanosleep(&part, NULL);
}

/* A thread that is preempted on its way to sleep sleeps shorter: a part of the time may be missing. */
static uint64_t least_sleep_ns(void)
{
	return UINT64_C(1000000) * PARTS * PART_MS * 3 / 4;
}

static void wait_with_limit(void)
{
	struct pollfd fd = { .events = POLLIN };
	int ends[2];

	if (pipe(ends) != 0)
		exit(1);
	fd.fd = ends[0];
	for (int i = 0; i < PARTS; i++)
		poll(&fd, 1, PART_MS);
}

static void wait_for_child(void)
{
	pid_t child = fork();

	if (child == 0) {
		sleep_often();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

NOINLINE static void spin_ms(unsigned ms)
{
	uint64_t end_ns = spin_clock_ns(CLOCK_THREAD_CPUTIME_ID) + ms * UINT64_C(1000000);

	while (spin_clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		SPIN(100000);
}

/* By /proc: it waits for the lock, or is about to. */
static int is_asleep(pid_t tid)
{
	char path[64], text[512] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		exit(1);
	close(fd);
	return strstr(text, ") S ") != NULL;
}

static void *hold(void *argument)
{
	uint64_t start_ns;

	(void)argument;
	pthread_mutex_lock(&world.lock);
	__atomic_store_n(&world.held_ns, 1, __ATOMIC_SEQ_CST);
	for (unsigned i = 0; i < world.waiter_count; i++) {
		while (!__atomic_load_n(&world.waiters[i], __ATOMIC_SEQ_CST) ||
		       !is_asleep(world.waiters[i]))
			SPIN(1000);
	}
	start_ns = spin_clock_ns(CLOCK_MONOTONIC);
	spin_ms(BUSY_MS);
	world.held_ns = spin_clock_ns(CLOCK_MONOTONIC) - start_ns;
	pthread_mutex_unlock(&world.lock);
	return NULL;
}

NOINLINE static void *want_lock(void *own_id)
{
	while (!__atomic_load_n(&world.held_ns, __ATOMIC_SEQ_CST))
		SPIN(1000);
	__atomic_store_n((pid_t *)own_id, gettid(), __ATOMIC_SEQ_CST);
	pthread_mutex_lock(&world.lock);
	pthread_mutex_unlock(&world.lock);
	return NULL;
}

/* Returns how long the wait lasted at least; all of it is within what the caller measures. */
static uint64_t wait_for_lock(void)
{
	pthread_t holder;

	world.waiter_count = 1;
	pthread_create(&holder, NULL, hold, NULL);
	want_lock(&world.waiters[0]);
	pthread_join(holder, NULL);
	return world.held_ns;
}

/* The same, of all waits together. */
static uint64_t let_others_wait(void)
{
	pthread_t threads[WAITERS];

	world.waiter_count = WAITERS;
	for (int i = 0; i < WAITERS; i++)
		pthread_create(&threads[i], NULL, want_lock, &world.waiters[i]);
	hold(NULL);
	for (int i = 0; i < WAITERS; i++)
		pthread_join(threads[i], NULL);
	return world.held_ns * WAITERS;
}

static uint64_t read_past_cache(void)
{
	int fd = open(world.file, O_RDONLY | O_DIRECT | O_CLOEXEC);
	void *block = aligned_alloc(BLOCK, BLOCK);

	if (fd < 0 || !block)
		exit(77);
	for (int i = 0; i < 2000; i++) {
		if (pread(fd, block, BLOCK, (off_t)i * BLOCK) != BLOCK)
			exit(77);
	}
	close(fd);
	free(block);
	return 0;
}

static void read_input(void)
{
	char byte;

	while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR)
		;
}

static void on_signal(int number)
{
	(void)number;
}

static void tell(uint64_t least_ns, uint64_t most_ns)
{
	printf("least\t%.6f\nmost\t%.6f\n", (double)least_ns / 1e9, (double)most_ns / 1e9);
	fflush(stdout);
}

static void *outlive(void *argument)
{
	uint64_t start_ns = spin_clock_ns(CLOCK_MONOTONIC);

	(void)argument;
	sleep_often();
	tell(least_sleep_ns(), spin_clock_ns(CLOCK_MONOTONIC) - start_ns);
	return NULL;
}

static uint64_t wait_as(const char *way)
{
	pthread_t thread;

	if (strcmp(way, "sleep") == 0) {
		sleep_often();
		return least_sleep_ns();
	}
	if (strcmp(way, "limit") == 0) {
		wait_with_limit();
		return least_sleep_ns();
	}
	if (strcmp(way, "child") == 0) {
		wait_for_child();
		return least_sleep_ns();
	}
	if (strcmp(way, "lock") == 0)
		return wait_for_lock();
	if (strcmp(way, "locks") == 0)
		return let_others_wait();
	if (strcmp(way, "disk") == 0)
		return read_past_cache();
	if (strcmp(way, "thread") == 0) {
		pthread_create(&thread, NULL, outlive, NULL);
		pthread_exit(NULL);
	}
	if (strcmp(way, "input") == 0)
		read_input();
	else if (strcmp(way, "signal") == 0)
		pause();
	else if (strcmp(way, "busy") == 0)
		spin_ms(BUSY_MS);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t start_ns, least_ns;
	unsigned threads; /* that may wait at a time: the first one waits for the others to end */

	if (argc < 2)
		return 2;
	world.file = argc > 2 ? argv[2] : "";
	signal(SIGUSR1, on_signal);
	start_ns = spin_clock_ns(CLOCK_MONOTONIC);
	least_ns = wait_as(argv[1]);
	threads = strcmp(argv[1], "locks") == 0 ? WAITERS + 1 : 1;
	tell(least_ns, (spin_clock_ns(CLOCK_MONOTONIC) - start_ns) * threads);
	return 0;
}
