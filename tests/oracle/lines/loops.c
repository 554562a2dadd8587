/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "loops.h"

#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static int helper(int n)
{
	if (n < 0)
		abort(); /* compilers move this far away */
	return fold(n) + fold(n + 1);
}

int never_called(int n)
{
	return helper(n) * fold(n);
}

__attribute__((noinline)) int work(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		sum += helper(i & 15);
		if (sum == 77)
			puts("seventy-seven");
	}
	return sum;
}
