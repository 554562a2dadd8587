/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that rename themselves just before they end: renames THREADS [FILE] starts them at once;
 * with FILE they do nothing before it exists, and "ready" is printed when all are there. The first
 * thread is "first-renamed" at last.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *file;

static void *rename_and_end(void *argument)
{
	char name[16];

	while (file && access(file, F_OK) < 0)
		usleep(1000);
	for (long i = 0; i < 100000; i++)
		syscall(SYS_getppid);
	snprintf(name, sizeof(name), "renamed-%ld", (long)argument);
	prctl(PR_SET_NAME, name);
	return NULL;
}

int main(int argc, char **argv)
{
	enum { MOST = 64 };
	long count = argc > 1 ? atol(argv[1]) : 0;
	pthread_t threads[MOST];

	file = argc > 2 ? argv[2] : NULL;
	if (count < 1 || count > MOST)
		return 2;
	for (long i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, rename_and_end, (void *)i);
	puts("ready");
	fflush(stdout);
	for (long i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	prctl(PR_SET_NAME, "first-renamed");
	return 0;
}
