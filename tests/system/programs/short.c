/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Uses a few milliseconds of processor time and ends. Usage: short MILLISECONDS */
#include <stdlib.h>

#include "spin.h"

void short_work(uint64_t until_ns);

NOINLINE void short_work(uint64_t until_ns)
{
	while (spin_clock_ns(CLOCK_THREAD_CPUTIME_ID) < until_ns)
		SPIN(20000);
}

int main(int argc, char **argv)
{
	short_work((uint64_t)((argc > 1 ? atof(argv[1]) : 5) * 1e6));
	return 0;
}
