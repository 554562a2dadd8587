/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is busy in user mode alone: between its start and the signal that ends it, it makes no system
 * call. Prints the rusage. Usage: spin SECONDS
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

#include "spin.h"

static volatile sig_atomic_t ended;

static void end(int signal)
{
	ended = 1;
}

NOINLINE void spin_round(void);

NOINLINE void spin_round(void)
{
	SPIN(10000);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	struct itimerval time = { .it_value.tv_sec = (time_t)seconds };

	time.it_value.tv_usec = (suseconds_t)((seconds - (double)time.it_value.tv_sec) * 1e6);
	signal(SIGALRM, end);
	setitimer(ITIMER_REAL, &time, NULL);
	while (!ended)
		spin_round();
	spin_print_rusage(RUSAGE_SELF);
	return 0;
}
