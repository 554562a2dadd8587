/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which system calls a signal interrupts. "interrupted waits SECONDS": threads that wait, each by another
 * call, while the main thread works. "interrupted both SECONDS": a thread that works and waits by turns, by
 * every call. Prints "CALL: N waits, N EINTR".
 */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include "spin.h"

/* Nothing ever comes here. */
static int silent[2], sockets[2], epoll_fd;
static sem_t semaphore;
static double wait_s;
static volatile int over;

static NOINLINE void work(double seconds)
{
	uint64_t end_ns = spin_clock_ns(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)(seconds * 1e9);

	while (spin_clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		SPIN(2000);
}

static struct timespec time_of(double seconds)
{
	return (struct timespec){ (time_t)seconds,
				  (long)((seconds - (double)(time_t)seconds) * 1e9) };
}

static int wait_nanosleep(void)
{
	struct timespec time = time_of(wait_s);

	return nanosleep(&time, NULL);
}

static int wait_clock_nanosleep(void)
{
	struct timespec time = time_of(wait_s);

	errno = clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
	return errno ? -1 : 0;
}

static int wait_poll(void)
{
	struct pollfd fd = { .fd = silent[0], .events = POLLIN };

	return poll(&fd, 1, (int)(wait_s * 1000));
}

static int wait_ppoll(void)
{
	struct pollfd fd = { .fd = silent[0], .events = POLLIN };
	struct timespec time = time_of(wait_s);
	sigset_t all;

	sigfillset(&all);
	return ppoll(&fd, 1, &time, &all);
}

static int wait_select(void)
{
	struct timeval time = { 0, (suseconds_t)(wait_s * 1e6) };
	fd_set set;

	FD_ZERO(&set);
	FD_SET(silent[0], &set);
	return select(silent[0] + 1, &set, NULL, NULL, &time);
}

static int wait_epoll(void)
{
	struct epoll_event event;

	return epoll_wait(epoll_fd, &event, 1, (int)(wait_s * 1000));
}

/* Sockets have a time limit, after which a read has EAGAIN. */
static int wait_recv(void)
{
	char byte;

	return recv(sockets[0], &byte, 1, 0) < 0 && errno == EINTR ? -1 : 0;
}

static int wait_semaphore(void)
{
	struct timespec time, more = time_of(wait_s);

	clock_gettime(CLOCK_REALTIME, &time);
	time.tv_sec += more.tv_sec + (time.tv_nsec + more.tv_nsec) / 1000000000;
	time.tv_nsec = (time.tv_nsec + more.tv_nsec) % 1000000000;
	return sem_timedwait(&semaphore, &time) < 0 && errno == EINTR ? -1 : 0;
}

static int wait_sigtimedwait(void)
{
	struct timespec time = time_of(wait_s);
	sigset_t all;

	sigfillset(&all);
	return sigtimedwait(&all, NULL, &time) < 0 && errno == EINTR ? -1 : 0;
}

/* Another thread writes now and then. */
static int pipes[2];

static int wait_read(void)
{
	char byte;

	return (int)read(pipes[0], &byte, 1);
}

static const struct {
	const char *name;
	int (*wait)(void);
} calls[] = {
	{ "nanosleep", wait_nanosleep },
	{ "clock_nanosleep", wait_clock_nanosleep },
	{ "poll", wait_poll },
	{ "ppoll", wait_ppoll },
	{ "select", wait_select },
	{ "epoll_wait", wait_epoll },
	{ "recv", wait_recv },
	{ "sem_timedwait", wait_semaphore },
	{ "sigtimedwait", wait_sigtimedwait },
	{ "read", wait_read },
};

enum { CALLS = sizeof(calls) / sizeof(*calls) };

static int waits[CALLS], interrupted[CALLS];

static void wait_once(size_t i)
{
	errno = 0;
	waits[i]++;
	if (calls[i].wait() < 0 && errno == EINTR)
		interrupted[i]++;
}

static void *wait_always(void *call)
{
	while (!over)
		wait_once((size_t)call);
	return NULL;
}

/* Works as long as it waits, so that timers of its time go off at any place. */
static void *work_and_wait(void *unused)
{
	while (!over) {
		for (size_t i = 0; i < CALLS; i++) {
			wait_once(i);
			work(0.0005);
		}
	}
	return unused;
}

static void *write_now_and_then(void *unused)
{
	for (;;) {
		usleep((useconds_t)(wait_s * 1e6));
		if (write(pipes[1], "", 1) != 1)
			exit(1);
	}
	return unused;
}

static void prepare(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct timeval time = { 0, (suseconds_t)(wait_s * 1e6) };

	if (pipe(silent) < 0 || pipe(pipes) < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) < 0)
		exit(1);
	setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
	epoll_fd = epoll_create1(0);
	epoll_ctl(epoll_fd, EPOLL_CTL_ADD, silent[0], &event);
	sem_init(&semaphore, 0, 0);
}

int main(int argc, char **argv)
{
	double seconds = argc > 2 ? atof(argv[2]) : 1;
	int both = argc > 1 && strcmp(argv[1], "both") == 0;
	pthread_t threads[CALLS], writer;

	wait_s = both ? 0.001 : 0.05;
	prepare();
	pthread_create(&writer, NULL, write_now_and_then, NULL);
	for (size_t i = 0; i < (both ? 1 : CALLS); i++)
		pthread_create(&threads[i], NULL, both ? work_and_wait : wait_always, (void *)i);
	if (both) {
		while ((double)spin_clock_ns(CLOCK_PROCESS_CPUTIME_ID) < seconds * 1e9)
			usleep(10000);
	} else {
		work(seconds);
	}
	over = 1;
	for (size_t i = 0; i < (both ? 1 : CALLS); i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < CALLS; i++)
		printf("%s: %d waits, %d EINTR\n", calls[i].name, waits[i], interrupted[i]);
	return 0;
}
