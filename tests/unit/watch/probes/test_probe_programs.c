/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose calls count: processes, their children, those with the number of one that ended. */
#include "watch/probes/probe_programs.h"

#include <linux/sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "watch/probes/watched.h"

static void fork_and_call(int calls)
{
	pid_t child = fork();

	if (child == 0) {
		for (int i = 0; i < calls; i++)
			leaf(i);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void test_children_are_followed_where_wanted(void **state)
{
	(void)state;
	for (int follow = 0; follow < 2; follow++) {
		struct watch watch = watch_of(PROBE_EXITS);

		watch.options.filter.follow = follow;
		watch.options.key = PROBE_BY_PID;
		add(&watch, TARGET(leaf));
		begin(&watch);
		leaf(0);
		fork_and_call(CALLS);
		fork_and_call(CALLS);
		end(&watch);
		assert_int_equal(watch.reading.row_count, follow ? 3 : 1);
		assert_int_equal(counts_of(&watch, 0).entries, follow ? 2 * CALLS + 1 : 1);
		assert_int_equal(counts_of(&watch, 0).exits, follow ? 2 * CALLS + 1 : 1);
		assert_int_equal(counts_of(&watch, 0).unmatched, 0);
		done(&watch);
	}
}

/* Calls of other processes do not count, at entry or exit, though they meet the probes: with two
 * chosen processes the probes are in all. */
static void test_other_processes_count_for_nothing(void **state)
{
	const int32_t pids[] = { getpid(), getpid() };
	struct watch watch = watch_of(PROBE_EXITS);
	struct probe_counts counts;

	(void)state;
	watch.options.filter.pids = pids;
	watch.options.filter.pid_count = 2;
	add(&watch, TARGET(leaf));
	begin(&watch);
	leaf(0);
	fork_and_call(CALLS);
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_whole(&counts, 1);
	done(&watch);
}

/* A child that is numbered @wanted, or as it comes (0), and calls leaf when it is let; -errno. */
static pid_t fork_caller(pid_t wanted, int *ret_gate)
{
	struct clone_args args = { .exit_signal = SIGCHLD };
	int ends[2];
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	if (wanted) {
		args.set_tid = (uintptr_t)&wanted;
		args.set_tid_size = 1;
	}
	child = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (child < 0)
		child = -errno;
	if (child == 0) {
		close(ends[1]);
		wait_for(ends[0]);
		for (int i = 0; i < CALLS; i++)
			leaf(i);
		_exit(0);
	}
	close(ends[0]);
	*ret_gate = ends[1];
	return child;
}

static void let_call(pid_t child, int gate)
{
	close(gate);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

/* Both the first of those that are chosen, which is compared by itself, and others. */
static void test_who_gets_the_number_of_one_that_ended_is_another(void **state)
{
	(void)state;
	for (size_t place = 0; place < 4; place++) {
		struct watch watch = watch_of(place % 2 ? PROBE_EXITS : 0);
		int gate;
		const pid_t child = fork_caller(0, &gate);
		const int32_t pids[] = { place < 2 ? child : getpid(), child };
		pid_t other;

		assert_true(child > 0);
		watch.options.filter.pids = pids;
		watch.options.filter.pid_count = 2;
		watch.options.filter.follow = place == 1;
		add(&watch, TARGET(leaf));
		begin(&watch);
		let_call(child, gate);
		other = fork_caller(child, &gate);
		if (other != child) {
			close(gate);
			done(&watch);
			print_message("no process can get a number of choice: %s\n",
				      strerror(-other));
			skip();
		}
		let_call(other, gate);
		end(&watch);
		assert_int_equal(counts_of(&watch, 0).entries, CALLS);
		assert_int_equal(counts_of(&watch, 0).unmatched, 0);
		done(&watch);
	}
}

WATCHED static void execute(void)
{
	execl("/bin/sh", "sh", "-c", "echo; read line; :", (char *)NULL);
	KEEP;
}

/* The program that the call was in is gone, while its thread runs on. */
static void test_an_exec_leaves_its_callers(void **state)
{
	struct watch watch = watch_of(PROBE_EXITS | PROBE_VIRTUAL);
	struct probe_counts counts;
	int ends[2], status;
	pid_t child;
	char byte;

	(void)state;
	watch.options.filter.follow = true;
	add(&watch, TARGET(execute));
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	begin(&watch);
	child = fork();
	if (child == 0) {
		dup2(ends[1], STDIN_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		execute();
		_exit(1);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	end(&watch);
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	counts = counts_of(&watch, 0);
	assert_int_equal(counts.entries, 1);
	assert_int_equal(counts.exits, 0);
	assert_int_equal(counts.abandoned, 0);
	assert_int_equal(counts.inside, 0);
	assert_int_equal(counts.died, 1);
	done(&watch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_children_are_followed_where_wanted),
		cmocka_unit_test(test_other_processes_count_for_nothing),
		cmocka_unit_test(test_who_gets_the_number_of_one_that_ended_is_another),
		cmocka_unit_test(test_an_exec_leaves_its_callers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
