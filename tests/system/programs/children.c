/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a program many times, one after the other, and prints the rusage of all of them. Usage:
 * children COUNT PROGRAM [ARGUMENT...] */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spin.h"

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	for (int left = atoi(argv[1]); left > 0; left--) {
		pid_t pid = fork();
		int status;

		if (pid == 0) {
			execv(argv[2], argv + 2);
			_exit(127);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
			return 1;
	}
	spin_print_rusage(RUSAGE_CHILDREN);
	return 0;
}
