/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes processes and threads in every way there is, as many of each as asked for, one after the
 * other. Usage: births COUNT. It is executed again as "births end" (leaves) and "births chain N"
 * (executes itself N times more). With a second argument it waits for a byte on stdin first. */
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spin.h"

extern char **environ;

static void await(pid_t pid)
{
	int status;

	if (pid <= 0 || waitpid(pid, &status, 0) != pid || status)
		exit(1);
}

static void *live(void *unused)
{
	return unused;
}

static void make_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, live, NULL) || pthread_join(thread, NULL))
		exit(1);
}

static void make_child(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	await(pid);
}

static void spawn(const char *program, const char *first, const char *second)
{
	char *argv[] = { (char *)program, (char *)first, (char *)second, NULL };
	pid_t pid;

	if (posix_spawn(&pid, program, NULL, NULL, argv, environ))
		exit(1);
	await(pid);
}

static void make_by_vfork(const char *program)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execl(program, program, "end", NULL);
		_exit(1);
	}
	await(pid);
}

static void go_on_chain(const char *program, int left)
{
	char number[16];

	if (left == 0)
		exit(0);
	snprintf(number, sizeof(number), "%d", left - 1);
	execl(program, program, "chain", number, NULL);
	exit(1);
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "10";
	char byte;

	if (strcmp(word, "end") == 0)
		return 0;
	if (strcmp(word, "chain") == 0)
		go_on_chain(argv[0], atoi(argv[2]));
	if (argc > 2 && read(0, &byte, 1) != 1)
		return 1;
	for (int i = 0; i < atoi(word); i++) {
		make_thread();
		make_child();
		spawn(argv[0], "end", NULL);
		make_by_vfork(argv[0]);
	}
	spawn(argv[0], "chain", word);
	return 0;
}
