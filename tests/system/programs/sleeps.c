/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread waits for a lock while another one sleeps for a second, polls for half, and then lets it go. Prints how
 * long each took. */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void *waits(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

__attribute__((noinline)) void sleeps(void)
{
	struct timespec second = { 1, 0 };

	nanosleep(&second, NULL);
	__asm__ volatile("");
}

__attribute__((noinline)) void polls(void)
{
	poll(NULL, 0, 500);
	__asm__ volatile("");
}

int main(void)
{
	pthread_t thread;
	double begin, slept, polled;

	pthread_mutex_lock(&lock);
	pthread_create(&thread, NULL, waits, NULL);
	begin = now_s();
	sleeps();
	slept = now_s();
	polls();
	polled = now_s();
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	printf("sleeps %.3f\npolls %.3f\nwaits %.3f\n", slept - begin, polled - slept, polled - begin);
	return 0;
}
