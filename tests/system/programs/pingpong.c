/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two processes that wake each other over the loopback interface as fast as they can. Usage:
 * pingpong SECONDS */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spin.h"

/* A UDP socket on the loopback interface; *ret_address is where it can be reached. */
static int make_socket(struct sockaddr_in *ret_address)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(*ret_address);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0 ||
	    getsockname(fd, (struct sockaddr *)ret_address, &size) != 0)
		exit(1);
	return fd;
}

static void echo(int fd)
{
	struct sockaddr_in from;
	socklen_t size = sizeof(from);
	char byte;

	do {
		size = sizeof(from);
		if (recvfrom(fd, &byte, 1, 0, (struct sockaddr *)&from, &size) != 1)
			_exit(1);
		sendto(fd, &byte, 1, 0, (struct sockaddr *)&from, size);
	} while (byte != 'q');
	_exit(0);
}

int main(int argc, char **argv)
{
	double wanted_ns = (argc > 1 ? atof(argv[1]) : 1) * 1e9;
	uint64_t start_ns = spin_clock_ns(CLOCK_MONOTONIC), rounds = 0;
	struct sockaddr_in there, here;
	int theirs = make_socket(&there), ours = make_socket(&here);
	char byte = 'p';

	if (fork() == 0)
		echo(theirs);
	while (byte != 'q') {
		if ((double)(spin_clock_ns(CLOCK_MONOTONIC) - start_ns) > wanted_ns)
			byte = 'q';
		if (sendto(ours, &byte, 1, 0, (struct sockaddr *)&there, sizeof(there)) != 1 ||
		    recv(ours, &byte, 1, 0) != 1)
			return 1;
		rounds++;
	}
	wait(NULL);
	printf("rounds %llu\n", (unsigned long long)rounds);
	return 0;
}
