/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks that are used to their last byte: calls that go deeper until the guard page ends them, whose
 * SIGSEGV comes on a stack of its own. It is at an address in or beside that page, again and again.
 * Usage: overflows SECONDS
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "spin.h"

enum { STACK_BYTES = 128 * 1024, PAGE = 4096, OTHER_BYTES = 64 * 1024 };

static char *stack;
static sigjmp_buf out;
static volatile int wrong;

static void handle(int signal, siginfo_t *info, void *context)
{
	const char *address = info->si_addr;

	(void)signal;
	(void)context;
	if (info->si_code != SEGV_ACCERR || address < stack || address >= stack + PAGE)
		wrong++;
	siglongjmp(out, 1);
}

static NOINLINE int overflow(volatile int *depth)
{
	volatile int own = *depth + 1;

	SPIN(500);
	return overflow(&own) + own;
}

static void *run(void *seconds)
{
	struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t other = { .ss_sp = malloc(OTHER_BYTES), .ss_size = OTHER_BYTES };
	double end_ns = *(double *)seconds * 1e9;
	volatile int none = 0;

	sigaltstack(&other, NULL);
	sigaction(SIGSEGV, &action, NULL);
	while ((double)spin_clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns) {
		if (sigsetjmp(out, 1) == 0)
			overflow(&none);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	pthread_attr_t attributes;
	pthread_t thread;

	stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack == MAP_FAILED || mprotect(stack, PAGE, PROT_NONE) < 0)
		return 1;
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stack, STACK_BYTES);
	if (pthread_create(&thread, &attributes, run, &seconds) || pthread_join(thread, NULL))
		return 1;
	printf("%d faults at other places\n", wrong);
	return wrong != 0;
}
