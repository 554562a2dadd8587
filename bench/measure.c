/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure FILE COMMAND...: runs a command and writes to FILE what the kernel accounts to it and its waited-for
 * children: wall, user and system seconds, largest resident set in KiB (of one process), exit status.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double seconds(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	double start = now();
	FILE *file;
	pid_t pid;
	int status;

	if (argc < 3) {
		fputs("usage: measure FILE COMMAND...\n", stderr);
		return 2;
	}
	pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		fprintf(stderr, "measure: %s: %s\n", argv[2], strerror(errno));
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0)
		return 1;
	file = fopen(argv[1], "w");
	if (!file)
		return 1;
	fprintf(file, "%.6f %.6f %.6f %ld %d\n", now() - start, seconds(&usage.ru_utime),
		seconds(&usage.ru_stime), usage.ru_maxrss,
		WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return fclose(file) == 0 ? 0 : 1;
}
