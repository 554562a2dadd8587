/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spends part of its time in the kernel (reading zeroes) and part in itself, in turns of random
 * length: the kernel's own account is by its tick, which would be in step with turns that are all
 * alike. Prints its rusage. Usage: systime SECONDS */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "spin.h"

static char zeroes[65536];

int main(int argc, char **argv)
{
	double wanted_ns = (argc > 1 ? atof(argv[1]) : 1) * 1e9;
	int fd = open("/dev/zero", O_RDONLY);
	uint32_t random = 12345;

	if (fd < 0)
		return 1;
	while ((double)spin_clock_ns(CLOCK_THREAD_CPUTIME_ID) < wanted_ns) {
		for (uint32_t i = random >> 26; i > 0; i--)
			if (read(fd, zeroes, sizeof(zeroes)) < 0)
				return 1;
		random = random * 1103515245 + 12345;
		SPIN(random >> 15);
		random = random * 1103515245 + 12345;
	}
	spin_print_rusage(RUSAGE_SELF);
	return 0;
}
