/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A 32-bit program without a library, for machines that have none: _start > down, five times >
 * leaf, for a second of processor time. Built with frame pointers.
 */
#define NOINLINE      __attribute__((noinline, noclone))
#define SYSCALL_EXIT  1
#define SYSCALL_TIMES 43

void _start(void);

static long ask(long number, long argument)
{
	long result;

	__asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(argument) : "memory");
	return result;
}

/* Ticks of user mode, 100 a second. */
static long used(void)
{
	volatile long times[4] = { 0 };

	ask(SYSCALL_TIMES, (long)times);
	return times[0];
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
		while (used() < end)
			leaf();
	__asm__ volatile("" ::: "memory");
}

void _start(void)
{
	down(5, used() + 100);
	ask(SYSCALL_EXIT, 0);
}
