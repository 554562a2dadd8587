/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What kernel stacks say of waits: those of other kernels as written here, those of the running one
 * as /proc/PID/stack shows them of children that wait for something known. */
#include "place/kernel/wait_marks.h"

#include <linux/futex.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"

enum { MAX_DEPTH = 8, MAX_LOOKS = 5000 };

static const struct {
	enum wait wait;
	const char *stack[MAX_DEPTH];
} stacks[] = {
	{ WAIT_LOCK,
	  { "__schedule", "schedule", "futex_wait_queue_me", "futex_wait", "do_futex" } },
	{ WAIT_LOCK,
	  { "__schedule", "schedule", "schedule_preempt_disabled", "__mutex_lock.constprop.0",
	    "pipe_read", "vfs_read" } },
	{ WAIT_DISK,
	  { "__schedule", "schedule", "io_schedule", "folio_wait_bit_common", "filemap_fault" } },
	{ WAIT_DISK,
	  { "__schedule", "schedule", "jbd2_log_wait_commit", "ext4_sync_file", "do_fsync" } },
	{ WAIT_POLL,
	  { "__schedule", "schedule", "schedule_hrtimeout_range_clock", "ep_poll",
	    "do_epoll_wait" } },
	{ WAIT_NETWORK,
	  { "__schedule", "schedule", "schedule_timeout", "wait_woken", "sk_wait_data",
	    "tcp_recvmsg_locked" } },
	{ WAIT_WORK, { "__schedule", "schedule", "worker_thread", "kthread", "ret_from_fork" } },
	{ WAIT_WORK, { "__schedule", "schedule", "rcu_gp_fqs_loop", "rcu_gp_kthread", "kthread" } },
	{ WAIT_CHILD, { "__schedule", "schedule", "do_wait", "kernel_wait4" } },
	{ WAIT_OTHER, { "__schedule", "schedule", "schedule_timeout", "vfs_ioctl" } },
	{ WAIT_OTHER, { NULL } },
};

static void test_stacks(void **state)
{
	for (size_t i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++) {
		enum wait found = WAIT_OTHER;

		for (int j = 0; j < MAX_DEPTH && stacks[i].stack[j] && found == WAIT_OTHER; j++)
			found = wait_marks_by_name(stacks[i].stack[j]);
		assert_string_equal(wait_name(found), wait_name(stacks[i].wait));
	}
}

static void test_names(void **state)
{
	assert_int_equal(wait_marks_by_name("do_nanosleep"), WAIT_SLEEP);
	assert_int_equal(wait_marks_by_name("do_nanosleep.isra.0"), WAIT_SLEEP);
	assert_int_equal(wait_marks_by_name("do_nanosleeping"), WAIT_OTHER);
	assert_int_equal(wait_marks_by_name("schedule"), WAIT_OTHER);
	assert_int_equal(wait_marks_by_name(""), WAIT_OTHER);
}

/* ---- the running kernel ---- */

static void wait_asleep(void)
{
	struct timespec time = { .tv_sec = 60 };

	nanosleep(&time, NULL);
}

static void wait_on_pipe(void)
{
	int ends[2];
	char byte;

	if (pipe(ends) == 0 && read(ends[0], &byte, 1) < 0)
		abort();
}

static void wait_on_socket(void)
{
	int ends[2];
	char byte;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && read(ends[0], &byte, 1) < 0)
		abort();
}

static void wait_on_futex(void)
{
	uint32_t word = 1;

	syscall(SYS_futex, &word, FUTEX_WAIT, 1, NULL, NULL, 0);
}

static void wait_on_poll(void)
{
	poll(NULL, 0, -1);
}

static void wait_on_epoll(void)
{
	struct epoll_event event;

	epoll_wait(epoll_create1(0), &event, 1, -1);
}

static void wait_on_child(void)
{
	pid_t child = fork();

	if (child == 0) {
		wait_asleep();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void wait_on_signal(void)
{
	pause();
}

static void wait_stopped(void)
{
	raise(SIGSTOP);
}

static const struct {
	enum wait wait;
	char state;
	void (*enter)(void);
} waits[] = {
	{ WAIT_SLEEP, 'S', wait_asleep },      { WAIT_PIPE, 'S', wait_on_pipe },
	{ WAIT_NETWORK, 'S', wait_on_socket }, { WAIT_LOCK, 'S', wait_on_futex },
	{ WAIT_POLL, 'S', wait_on_poll },      { WAIT_POLL, 'S', wait_on_epoll },
	{ WAIT_CHILD, 'S', wait_on_child },    { WAIT_SIGNAL, 'S', wait_on_signal },
	{ WAIT_STOPPED, 'T', wait_stopped },
};

static char state_of(pid_t pid)
{
	_cleanup_fclose_ FILE *file = NULL;
	char path[64], state = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		return 0;
	return state;
}

static bool may_read_stacks(void)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/self/stack", "re");

	return file && fgetc(file) == '[';
}

/* The first routine of a thread's kernel stack that says something. */
static enum wait read_stack(pid_t pid)
{
	_cleanup_fclose_ FILE *file = NULL;
	enum wait found = WAIT_OTHER;
	char path[64], name[128];

	snprintf(path, sizeof(path), "/proc/%d/stack", (int)pid);
	file = fopen(path, "re");
	while (file && fscanf(file, " [<%*[^>]>] %127[^+]+%*[^\n]", name) == 1) {
		found = found == WAIT_OTHER ? wait_marks_by_name(name) : found;
	}
	return found;
}

/* Looks until the child waits where it was sent: before, it may wait for its own start. */
static void check_wait(size_t i)
{
	const struct timespec pause_time = { .tv_nsec = 1000000 };
	enum wait found = WAIT_OTHER;
	pid_t child = fork();

	if (child == 0) {
		setpgid(0, 0);
		waits[i].enter();
		_exit(0);
	}
	setpgid(child, child); /* whoever of the two comes first */
	for (int look = 0; look < MAX_LOOKS && found != waits[i].wait; look++) {
		nanosleep(&pause_time, NULL);
		if (state_of(child) == waits[i].state)
			found = read_stack(child);
	}
	kill(-child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_string_equal(wait_name(found), wait_name(waits[i].wait));
}

static void test_running_kernel(void **state)
{
	if (!may_read_stacks()) {
		print_message("/proc/PID/stack is not to be read\n");
		skip();
	}
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		check_wait(i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_running_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
