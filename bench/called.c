/* SPDX-License-Identifier: GPL-2.0-or-later */
/* called COUNT: calls work() so many times; prints "call NS", what one took. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1000;
	double began = now();

	for (long i = 0; i < count; i++)
		work(i);
	printf("call %.1f\n", (now() - began) / (double)count);
	return 0;
}
