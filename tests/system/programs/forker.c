/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Forks workers that never exec but rename themselves with prctl, as servers do. Usage: forker
 * COUNT MILLISECONDS */
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spin.h"

static NOINLINE void worker_work(uint64_t until_ns)
{
	while (spin_clock_ns(CLOCK_THREAD_CPUTIME_ID) < until_ns)
		SPIN(20000);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 3;
	double milliseconds = argc > 2 ? atof(argv[2]) : 100;

	for (int i = 0; i < count; i++) {
		char name[32];

		if (fork() != 0)
			continue;
		snprintf(name, sizeof(name), "worker-%d", i);
		prctl(PR_SET_NAME, name);
		worker_work((uint64_t)(milliseconds * 1e6));
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
