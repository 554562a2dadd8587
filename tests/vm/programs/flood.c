/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends datagrams to itself and never reads one, for so long, and longer where the machine hardly
 * gets on. Prints how many. Usage: flood SECONDS
 */
#include <arpa/inet.h>
#include <err.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "spin.h"

enum { LEAST = 20000 };

int main(int argc, char **argv)
{
	struct sockaddr_in self = { .sin_family = AF_INET,
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(self);
	uint64_t end_ns = spin_clock_ns(CLOCK_MONOTONIC);
	unsigned long sent = 0;
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	char datagram[1000] = { 0 };

	if (fd < 0 || bind(fd, (struct sockaddr *)&self, size) < 0 ||
	    getsockname(fd, (struct sockaddr *)&self, &size) < 0)
		err(1, "no socket");
	end_ns += (uint64_t)((argc > 1 ? atof(argv[1]) : 1) * 1e9);
	while (spin_clock_ns(CLOCK_MONOTONIC) < end_ns || sent < LEAST)
		sent += sendto(fd, datagram, sizeof(datagram), 0, (struct sockaddr *)&self, size) >
			0;
	printf("sent %lu\n", sent);
	return 0;
}
