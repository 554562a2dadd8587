/* SPDX-License-Identifier: GPL-2.0-or-later */
/* called COUNT: calls work() so many times, in stretches; prints "call NS", what one took in the
 * fastest stretch: what else runs only slows down. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { STRETCH = 200 };

long work(long value);

__attribute__((noinline)) long work(long value)
{
	__asm__ volatile("" ::: "memory");
	return value;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double stretch(void)
{
	double began = now();

	for (long i = 0; i < STRETCH; i++)
		work(i);
	return (now() - began) / STRETCH;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1000;
	double least = stretch();

	for (long done = STRETCH; done < count; done += STRETCH) {
		double took = stretch();

		least = took < least ? took : least;
	}
	printf("call %.1f\n", least);
	return 0;
}
