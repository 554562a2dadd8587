/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Its main thread has ended, another one works in ended_inner until there is a file "enough" in the
 * working folder. Usage: ended map|plain; "map" works in code of its own, which
 * /tmp/perf-PID.map calls announced_code.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "spin.h"

enum { CODE_BYTES = 64 };

void ended_inner(uint64_t rounds);

/* What is copied: it refers to nothing outside. */
NOINLINE void ended_inner(uint64_t rounds)
{
	SPIN(rounds);
}

static void (*announce(void))(uint64_t)
{
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	if (!map || code == MAP_FAILED)
		abort();
	memcpy(code, (const void *)(uintptr_t)ended_inner, CODE_BYTES);
	fprintf(map, "%020lx %020x announced_code\n", (unsigned long)(uintptr_t)code, CODE_BYTES);
	fclose(map);
	return (void (*)(uint64_t))(uintptr_t)code;
}

static void *work(void *how)
{
	void (*function)(uint64_t) = strcmp(how, "map") == 0 ? announce() : ended_inner;
	char path[64];

	while (access("enough", F_OK) < 0)
		for (int i = 0; i < 100; i++)
			function(100000);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	unlink(path);
	exit(0);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 2 || pthread_create(&thread, NULL, work, argv[1]) != 0)
		return 2;
	pthread_exit(NULL);
}
