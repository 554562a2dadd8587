/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A 32-bit program without a library, for machines that have none: _start > down, five times >
 * leaf, for a second or so. Built with frame pointers.
 */
#define NOINLINE __attribute__((noinline, noclone))
#define SYSCALL_EXIT 1
#define SYSCALL_TIME 13

void _start(void);

static long ask(long number, long argument)
{
	long result;

	__asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(argument) : "memory");
	return result;
}

static NOINLINE void leaf(void)
{
	for (volatile int i = 0; i < 100000; i++)
		;
}

static NOINLINE void down(int depth, long end)
{
	if (depth > 1)
		down(depth - 1, end);
	else
		while (ask(SYSCALL_TIME, 0) < end)
			leaf();
	__asm__ volatile("" ::: "memory");
}

void _start(void)
{
	down(5, ask(SYSCALL_TIME, 0) + 2);
	ask(SYSCALL_EXIT, 0);
}
