/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spends part of its time in the kernel (reading zeroes) and part in itself; prints its rusage.
 * Usage: systime SECONDS */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "spin.h"

static char zeroes[65536];

int main(int argc, char **argv)
{
	double wanted_ns = (argc > 1 ? atof(argv[1]) : 1) * 1e9;
	int fd = open("/dev/zero", O_RDONLY);

	if (fd < 0)
		return 1;
	while ((double)spin_clock_ns(CLOCK_THREAD_CPUTIME_ID) < wanted_ns) {
		for (int i = 0; i < 50; i++)
			if (read(fd, zeroes, sizeof(zeroes)) < 0)
				return 1;
		SPIN(100000);
	}
	spin_print_rusage(RUSAGE_SELF);
	return 0;
}
