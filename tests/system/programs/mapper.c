/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads a library while its parent, the recorder, is stopped, does something to the file, and works in
 * the library once the recorder goes on. So the recorder reads of the mapping when that is done.
 * Usage: mapper SECONDS LIBRARY FUNCTION COMMAND
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "spin.h"

typedef void work_fn(uint64_t rounds);

static int is_stopped(pid_t pid)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		exit(1);
	fclose(file);
	return state == 'T';
}

int main(int argc, char **argv)
{
	uint64_t start_ns, ns;
	void *library;
	work_fn *work = NULL;
	int status;

	if (argc != 5)
		return 2;
	ns = (uint64_t)(atof(argv[1]) * 1e9);
	kill(getppid(), SIGSTOP);
	while (!is_stopped(getppid()))
		usleep(1000);
	library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
	if (library)
		work = (work_fn *)dlsym(library, argv[3]);
	status = system(argv[4]);
	kill(getppid(), SIGCONT);
	if (!work || status != 0)
		return 1;
	start_ns = spin_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	do
		work(200000);
	while (spin_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns < ns);
	return 0;
}
