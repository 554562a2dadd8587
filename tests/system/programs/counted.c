/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does things a known number of times, after its own start: counted PAGES CALLS YIELDS [exec
 * PROGRAM] touches PAGES new pages, calls the kernel CALLS times, starts YIELDS threads one after
 * the other, and at last becomes PROGRAM. With PAGES it says how many faults the kernel counted of
 * the process: "faults MINOR MAJOR". One fault may bring more pages than one.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *rest(void *argument)
{
	for (long i = 0; i < 100; i++)
		syscall(SYS_getppid);
	return argument;
}

static void print_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	printf("faults %ld %ld\n", usage.ru_minflt, usage.ru_majflt);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	long pages = argc > 1 ? atol(argv[1]) : 0, calls = argc > 2 ? atol(argv[2]) : 0;
	long threads = argc > 3 ? atol(argv[3]) : 0, size = sysconf(_SC_PAGESIZE);
	char *memory;

	if (pages) {
		memory = mmap(NULL, (size_t)(pages * size), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED ||
		    madvise(memory, (size_t)(pages * size), MADV_NOHUGEPAGE))
			return 1;
		for (long i = 0; i < pages; i++)
			memory[i * size] = 1;
	}
	for (long i = 0; i < calls; i++)
		syscall(SYS_getppid);
	for (long i = 0; i < threads; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, rest, NULL) || pthread_join(thread, NULL))
			return 1;
	}
	if (pages)
		print_faults();
	if (argc > 5 && strcmp(argv[4], "exec") == 0)
		execv(argv[5], argv + 5);
	return 0;
}
