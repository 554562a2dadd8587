/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * starts THREADS: begin() returns NULL as what so many threads begin with, and 3 times called by
 * the main thread and by each of 2 other threads; hand_on() leaves that to finish(), by a jump
 * where it was compiled with optimisation. C and C++.
 */
#include <pthread.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, noclone))
#define CALLS	 3

static volatile int turns;

NOINLINE void *begin(void *argument)
{
	turns++;
	return argument;
}

NOINLINE void *finish(void *argument)
{
	turns++;
	return argument;
}

NOINLINE void *hand_on(void *argument)
{
	turns++;
	return finish(argument);
}

static void *call(void *argument)
{
	for (int i = 0; i < CALLS; i++) {
		if (begin(NULL))
			abort();
	}
	return argument;
}

#ifdef __cplusplus
/* Gives the file an exception table. */
NOINLINE void *passes(void *argument)
{
	struct owner {
		~owner()
		{
			turns++;
		}
	} owner;

	return begin(argument);
}
#endif

static void run(void *(*start)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, start, NULL) != 0)
		abort();
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1;

	for (int i = 0; i < threads; i++) {
		run(begin);
		run(hand_on);
	}
	call(NULL);
	run(call);
	run(call);
	return 7;
}
