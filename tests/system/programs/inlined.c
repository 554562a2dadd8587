/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nearly all time is in a function that is inlined into one that is inlined into outermost(). With an
 * argument it goes on until it is stopped. */
#include <stdio.h>
#include <unistd.h>

static inline double innermost(double x)
{
	double sum = 0;
	for (int i = 0; i < 1000; i++)
		sum += x * i / (1.0 + sum);
	return sum;
}

static inline double between(double x)
{
	return innermost(x) + 1;
}

__attribute__((noinline)) double outermost(double x)
{
	double sum = 0;
	for (int i = 0; i < 50000; i++)
		sum += between(x + i);
	return sum;
}

int main(int argc, char **argv)
{
	static volatile double sum;

	alarm(600);
	do
		sum += outermost(sum + 1);
	while (argc > 1);
	printf("%f\n", sum);
	return 0;
}
