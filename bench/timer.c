/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timer HZ COMMAND...: runs a command while the clock event interrupts every CPU at HZ and nothing
 * takes its samples: what every sampling profiler must cost at least.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int open_timer(int cpu, double hz)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = (uint64_t)(1e9 / hz),
		.exclude_idle = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

int main(int argc, char **argv)
{
	double hz = argc > 2 ? strtod(argv[1], NULL) : 0;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int status;
	pid_t pid;

	if (hz < 1) {
		fputs("usage: timer HZ COMMAND...\n", stderr);
		return 2;
	}
	for (long cpu = 0; cpu < cpus; cpu++) {
		if (open_timer((int)cpu, hz) < 0) {
			fprintf(stderr, "timer: %s\n", strerror(errno));
			return 1;
		}
	}
	pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		fprintf(stderr, "timer: %s: %s\n", argv[2], strerror(errno));
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
