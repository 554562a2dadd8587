/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that compilers inline into one another. */
#ifndef TESTS_ORACLE_LINES_LOOPS_H
#define TESTS_ORACLE_LINES_LOOPS_H

static inline int mix(int x)
{
	return x * 3 + 1;
}

static inline __attribute__((always_inline)) int fold(int x)
{
	int sum = 0;

	for (int i = 0; i < x; i++)
		sum += mix(sum ^ i);
	return sum;
}

int work(int n);
int never_called(int n);

#endif
