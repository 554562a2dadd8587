/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forbids itself all system calls but those that it makes, by a filter that ends it at any other one, and works
 * on, in a child and a thread as well. Usage: restricts prctl|seccomp|strict SECONDS
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spin.h"

#define ALLOW(number)                                        \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static uint64_t rounds;
static int forked[2], ready[2];

static NOINLINE void before(void)
{
	SPIN(rounds);
}

/* Not the same code as the other one. */
static NOINLINE void after(void)
{
	SPIN(rounds + 1);
}

/* It was there before. */
static void *run(void *unused)
{
	char byte;

	if (write(forked[1], "", 1) != 1 || read(ready[0], &byte, 1) != 1)
		_exit(1);
	after();
	return unused;
}

static int restrict_calls(const char *how)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_read),
		ALLOW(SYS_write),
		ALLOW(SYS_exit),
		ALLOW(SYS_exit_group),
		ALLOW(SYS_rt_sigreturn),
		ALLOW(SYS_clone),
		ALLOW(SYS_wait4),
		ALLOW(SYS_futex),
		ALLOW(SYS_set_robust_list),
		ALLOW(SYS_rt_sigprocmask),
		ALLOW(SYS_gettid),
		ALLOW(SYS_munmap),
		ALLOW(SYS_madvise),
		ALLOW(SYS_restart_syscall),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	if (strcmp(how, "strict") == 0)
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	if (strcmp(how, "prctl") == 0)
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
			    &program);
}

static void work_in_child(void)
{
	char byte;
	pid_t pid = fork();

	if (pid == 0) {
		after();
		if (write(forked[1], "", 1) != 1)
			_exit(1);
		_exit(0);
	}
	if (pid < 0 || read(forked[0], &byte, 1) != 1)
		_exit(1);
	wait4(pid, NULL, 0, NULL);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int strict;
	char byte;

	if (argc < 3 || pipe(forked) < 0 || pipe(ready) < 0)
		return 2;
	rounds = (uint64_t)((double)spin_rounds_per_us() * 1e6 * atof(argv[2]));
	strict = strcmp(argv[1], "strict") == 0;
	before();
	if (!strict && (pthread_create(&thread, NULL, run, NULL) || read(forked[0], &byte, 1) != 1))
		return 1;
	if (restrict_calls(argv[1]) < 0)
		return 3;
	after();
	if (!strict) {
		if (write(ready[1], "", 1) != 1)
			return 1;
		pthread_join(thread, NULL);
		work_in_child();
	}
	if (write(1, "done\n", 5) != 5)
		return 1;
	syscall(SYS_exit, 0);
	return 0;
}
