/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nothing but a loop. Usage: loop SECONDS */
#include <stdlib.h>

#include "spin.h"

int main(int argc, char **argv)
{
	uint64_t rounds = (uint64_t)((argc > 1 ? atof(argv[1]) : 1) * 1e6) * spin_rounds_per_us();
	volatile uint64_t sum = 0;

	for (uint64_t i = 0; i < rounds; i++)
		sum = sum + i * 3;
	return sum == 1;
}
