/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "foreign/live_task.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools.h"

static void *say_number(void *context)
{
	pid_t own = gettid();

	if (write(*(int *)context, &own, sizeof(own)) != sizeof(own))
		_exit(1);
	pause();
	return NULL;
}

static void end_main_thread(int result)
{
	pthread_t thread;

	pthread_create(&thread, NULL, say_number, &result);
	/* ends this thread alone, without what cmocka would do at the end */
	syscall(SYS_exit, 0);
}

static bool has_no_root(pid_t pid)
{
	char path[64], target[64];

	snprintf(path, sizeof(path), "/proc/%d/root", (int)pid);
	return readlink(path, target, sizeof(target)) < 0;
}

static void test_task(void **state)
{
	int result[2];
	pid_t other, child;

	(void)state;
	assert_int_equal(live_task(getpid()), getpid());
	assert_int_equal(live_task(0), 0);
	assert_int_equal(pipe2(result, O_CLOEXEC), 0);
	child = fork();
	if (child == 0)
		end_main_thread(result[1]);
	assert_int_equal(read(result[0], &other, sizeof(other)), sizeof(other));
	while (!has_no_root(child))
		usleep(1000);
	assert_int_equal(live_task(child), other);
	kill(child, SIGKILL);
	/* a process that has ended but was not waited for */
	waitid(P_PID, (id_t)child, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
	assert_int_equal(live_task(child), child);
	waitpid(child, NULL, 0);
	assert_int_equal(live_task(child), child);
}

static void test_root(void **state)
{
	char path[64], *root;
	int ready[2];
	pid_t child;

	(void)state;
	assert_null(live_task_root(getpid()));
	assert_null(live_task_root(0));
	if (geteuid() != 0)
		skip();
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	child = fork();
	if (child == 0) {
		if (chroot("/usr") < 0 || write(ready[1], "", 1) != 1)
			_exit(1);
		pause();
	}
	assert_int_equal(read(ready[0], path, 1), 1);
	snprintf(path, sizeof(path), "/proc/%d/root", (int)child);
	root = live_task_root(child);
	assert_string_equal(root, path);
	free(root);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_null(live_task_root(child));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_task),
		cmocka_unit_test(test_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
