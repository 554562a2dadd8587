/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Works half a second of CPU time in `left_out`, in `wanted` and in `left_out` again, and wants only the second
 * to be profiled. */
#include "../../../src/preload/prospect.h"
#include "spin.h"

#include <time.h>

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

NOINLINE void left_out(double end_s)
{
	while (cpu_s() < end_s)
		SPIN(100000);
}

NOINLINE void wanted(double end_s)
{
	while (cpu_s() < end_s)
		SPIN(100000);
}

int main(void)
{
	prospect_stop();
	left_out(cpu_s() + 0.5);
	prospect_mark("begin of it");
	prospect_start();
	wanted(cpu_s() + 0.5);
	prospect_stop();
	prospect_mark("end of it");
	left_out(cpu_s() + 0.5);
	return 0;
}
