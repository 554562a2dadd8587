/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opens TYPE CONFIG: ends with 0 if this kernel counts the event of that type and number, of user mode
 * and this process; else it says why not. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.exclude_kernel = 1,
					.exclude_hv = 1 };

	if (argc != 3)
		return 2;
	attr.type = (unsigned)strtoul(argv[1], NULL, 0);
	attr.config = strtoull(argv[2], NULL, 0);
	if (syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0) {
		perror("perf_event_open");
		return 1;
	}
	return 0;
}
