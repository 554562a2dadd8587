/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * targets N [WAIT]: calls functions known numbers of times; the names are what is looked for: two
 * static ones are called alike, one has two names, one is only there inlined.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "targets.h"

volatile int sink;

static __attribute__((noinline)) int twin(int x)
{
	sink = x;
	return x + 1;
}

__attribute__((noinline)) int original(int x)
{
	sink += x;
	return x < 0 ? -22 : x;
}

int same(int x) __attribute__((alias("original")));

static inline __attribute__((always_inline)) void gone(int x)
{
	sink ^= x;
	sink += 3;
}

/* Its loop runs n times, the odd branch half as often. */
__attribute__((noinline)) int rounds(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		sink = i;
		if (sink & 1)
			sum += other_twin(i); /* odd */
	}
	gone(sum);
	return sum;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1000, sum = 0;

	gone(n);
	for (int i = 0; i < n; i++)
		sum += twin(i) + original(i) + same(-i - 1);
	sum += rounds(n);
	printf("%d\n", sum);
	fflush(stdout);
	/* until somebody closes our input */
	if (argc > 2)
		while (getchar() != EOF)
			sum += original(1);
	return 0;
}
