/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Executes two instructions a round, and little else. Usage: rounds NUMBER */
#include <stdlib.h>

int main(int argc, char **argv)
{
	unsigned long left = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;

#if defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(left)::"cc");
#elif defined(__x86_64__)
	__asm__ volatile("1: decq %0\n\tjnz 1b" : "+r"(left)::"cc");
#endif
	return left != 0;
}
