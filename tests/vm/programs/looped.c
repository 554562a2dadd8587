/* SPDX-License-Identifier: GPL-2.0-or-later */
/* looped CALLS: calls brief() and long_one() so many times each; these are 2,000 and 202,000
 * instructions, and a few more. */
#include <stdlib.h>

#define WATCHED __attribute__((noinline, noclone))

static void rounds(unsigned long left)
{
#if defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(left)::"cc");
#elif defined(__x86_64__)
	__asm__ volatile("1: decq %0\n\tjnz 1b" : "+r"(left)::"cc");
#endif
}

void brief(void);
void long_one(void);

WATCHED void brief(void)
{
	rounds(1000);
}

WATCHED void long_one(void)
{
	rounds(101000);
}

int main(int argc, char **argv)
{
	for (long left = argc > 1 ? atol(argv[1]) : 1; left > 0; left--) {
		brief();
		long_one();
	}
	return 0;
}
