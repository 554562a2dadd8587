/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lets the kernel hash zeros (AF_ALG, see the kernel's crypto/userspace-if): nearly all its time is
 * spent in the module that has the algorithm. For so long, and until it got something done: a
 * machine whose host is busy takes few samples in a second. Prints the rusage. Usage: hash
 * ALGORITHM SECONDS
 */
#include <err.h>
#include <linux/if_alg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "spin.h"

enum { BLOCK = 65536, LEAST_BLOCKS = 40 };

static int open_hash(const char *algorithm)
{
	struct sockaddr_alg address = { .salg_family = AF_ALG, .salg_type = "hash" };
	int named = socket(AF_ALG, SOCK_SEQPACKET, 0), hash;

	strncpy((char *)address.salg_name, algorithm, sizeof(address.salg_name) - 1);
	if (named < 0 || bind(named, (struct sockaddr *)&address, sizeof(address)) < 0)
		err(1, "the kernel does not offer %s", algorithm);
	hash = accept(named, NULL, 0);
	if (hash < 0)
		err(1, "accept");
	close(named);
	return hash;
}

int main(int argc, char **argv)
{
	static char block[BLOCK];
	uint64_t end_ns = spin_clock_ns(CLOCK_MONOTONIC);
	int hash;

	if (argc != 3)
		errx(2, "usage: hash ALGORITHM SECONDS");
	hash = open_hash(argv[1]);
	end_ns += (uint64_t)(atof(argv[2]) * 1e9);
	for (int i = 0; spin_clock_ns(CLOCK_MONOTONIC) < end_ns || i < LEAST_BLOCKS; i++) {
		if (send(hash, block, sizeof(block), MSG_MORE) != sizeof(block))
			err(1, "send");
	}
	spin_print_rusage(RUSAGE_SELF);
	return 0;
}
