/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * called COUNT: calls work() so many times, with 0, 1, 2 ... as its argument, nap() five times, and
 * leaves with 7. called wait: waits for a line on stdin before and after.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WATCHED __attribute__((noinline, noclone))

enum { NAPS = 5, NAP_NS = 10 * 1000 * 1000, STATUS = 7, CALLS = 100 };

long work(long value);
void nap(void);

WATCHED long work(long value)
{
	__asm__ volatile("" ::: "memory");
	return value % 10 == 9 ? -1 : value;
}

WATCHED void nap(void)
{
	const struct timespec time = { 0, NAP_NS };

	nanosleep(&time, NULL);
	__asm__ volatile("" ::: "memory");
}

static void wait_for_line(void)
{
	char line[16];

	printf("%p\n", (void *)work);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		exit(1);
}

int main(int argc, char **argv)
{
	int waits = argc > 1 && strcmp(argv[1], "wait") == 0;
	long count = argc > 1 && !waits ? atol(argv[1]) : CALLS;

	if (waits)
		wait_for_line();
	for (long i = 0; i < count; i++)
		work(i);
	for (int i = 0; i < NAPS; i++)
		nap();
	if (waits)
		wait_for_line();
	return STATUS;
}
