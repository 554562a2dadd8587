/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a command waits, and for what: the scheduler is the test, which knows. */
#include <fcntl.h>

#include "command_wait_world.h"

/* ---- when it waits ---- */

static void test_a_command_that_sleeps_waits_as_long(void **state)
{
	struct thread *thread = one_thread();

	(void)state;
	after(2 * MS);
	block(thread, __NR_clock_nanosleep);
	after(30 * MS);
	wake(thread);
	after(MS); /* runnable */
	switch_tasks(&world.stranger, thread, true);
	after(MS);
	assert_int_equal(totals.idle_ns[COMMAND_WAIT_SLEEP], 30 * MS);
	assert_int_equal(idle_ns(), 30 * MS);
	assert_int_equal(command_wait_active, 1);
}

static void test_a_busy_command_waits_for_nothing(void **state)
{
	struct thread *thread = one_thread();

	(void)state;
	for (int i = 0; i < 10; i++) {
		after(MS);
		thread->task.__state = i % 2 ? SLEEPS : TASK_RUNNING; /* on its way to sleep */
		switch_tasks(thread, &world.stranger, true);
		after(MS);
		switch_tasks(&world.stranger, thread, true);
	}
	assert_int_equal(idle_ns(), 0);
	assert_int_equal(command_wait_active, 1);
}

static void test_others_do_not_count(void **state)
{
	struct thread *thread = one_thread();

	(void)state;
	block(thread, __NR_read);
	after(MS);
	wake(&world.stranger);
	start(&world.stranger, &world.threads[5]);
	block(&world.threads[5], __NR_pause);
	after(MS);
	assert_int_equal(command_wait_active, COMMAND_WAIT_IDLE | (kernel.now_ns - 2 * MS));
}

/* A thread waits for another one, which waits for a child, which sleeps. */
static void test_the_reason_is_outside_the_command(void **state)
{
	struct thread *thread = one_thread(), *second = &world.threads[1];
	struct thread *child = &world.threads[4];

	(void)state;
	start(thread, second);
	start(second, child);
	block(thread, __NR_futex);
	after(MS);
	block(child, __NR_nanosleep);
	after(MS);
	block(second, __NR_wait4);
	after(10 * MS);
	wake(child);
	after(MS);
	wake(second);
	die(child);
	wake(thread);
	die(second);
	after(MS);
	assert_int_equal(idle_ns(), 10 * MS);
	assert_int_equal(totals.idle_ns[COMMAND_WAIT_SLEEP], 10 * MS);
	assert_int_equal(command_wait_active, 1);
}

static void test_the_first_thread_may_end_before_others(void **state)
{
	struct thread *thread = one_thread(), *second = &world.threads[1];

	(void)state;
	start(thread, second);
	die(thread);
	after(MS);
	block(second, __NR_nanosleep);
	after(5 * MS);
	wake(second);
	die(second);
	after(7 * MS); /* there is nobody who waits */
	close_window();
	assert_int_equal(idle_ns(), 5 * MS);
	assert_int_equal(totals.open, 0);
}

/* A thread that has ended is still there until its parent asks for it. */
static void test_a_thread_that_has_ended_does_not_wait(void **state)
{
	struct thread *thread = one_thread(), *late = &world.threads[1];

	(void)state;
	late->alive = true;
	late->task.__state = TASK_DEAD;
	iterate(command_wait_open);
	assert_int_equal(totals.chosen, 2); /* the first one again */
	leave_in(thread, TASK_DEAD);
	close_window();
	assert_int_equal(totals.open, 0);
}

/* What the launched process did before belongs to who launched it. */
static void test_may_begin_with_exec(void **state)
{
	struct thread *thread = one_thread();
	__u64 by_command[] = { (uintptr_t)&thread->task };

	opened_ns = 0;
	opens_at_exec = true;
	for (uint64_t opens = 0; opens < 2; opens++) {
		assert_int_equal(!opened_ns, !opens);
		block(thread, __NR_nanosleep);
		after(3 * MS);
		wake(thread);
		assert_int_equal(idle_ns(), opens * 3 * MS);
		KERNEL_RUN(command_wait_exec(by_command));
	}
	assert_int_equal(opened_ns, kernel.now_ns - 3 * MS);
}

/* ---- races ---- */

static void test_woken_on_its_way_to_sleep(void **state)
{
	struct thread *thread = one_thread();

	(void)state;
	in_call(thread, __NR_pause);
	leave_in(thread, TASK_WAKING);
	after(MS);
	switch_tasks(&world.stranger, thread, false);
	assert_int_equal(idle_ns(), 0);
	assert_int_equal(command_wait_active, 1);
}

static void test_a_waking_that_was_not_seen(void **state)
{
	struct thread *thread = one_thread();

	(void)state;
	wake(thread); /* before the switch that it prevents from being a wait is seen */
	block(thread, __NR_nanosleep);
	after(MS);
	switch_tasks(&world.stranger, thread, false);
	assert_int_equal(idle_ns(), MS);
	assert_int_equal(command_wait_active, 1);
}

static struct thread *woken_meanwhile;

static void wake_meanwhile(void)
{
	kernel.now_ns += US;
	KERNEL_RUN(command_wait_waking((__u64[]){ (uintptr_t)&woken_meanwhile->task }));
}

/* On another CPU, between a thread's look at the clock and its end of activity. */
static void test_woken_as_the_last_one_leaves(void **state)
{
	struct thread *thread = one_thread(), *second = &world.threads[1];

	(void)state;
	start(thread, second);
	block(second, __NR_nanosleep);
	woken_meanwhile = second;
	after(MS);
	kernel.at_clock = wake_meanwhile;
	block(thread, __NR_nanosleep);
	assert_int_equal(command_wait_active, 1);
	assert_int_equal(idle_ns(), 0);
	after(MS);
	block(second, __NR_nanosleep);
	after(3 * MS);
	wake(thread);
	assert_int_equal(idle_ns(), 3 * MS);
}

/* The kernel may correct its clock back a little at any time. */
static void test_the_clock_steps_back(void **state)
{
	struct thread *thread = one_thread();

	(void)state;
	for (int i = 0; i < 20; i++) {
		block(thread, __NR_nanosleep);
		after(MS);
		wake(thread);
		kernel.now_ns -= 30 * US;
	}
	assert_true(idle_ns() <= kernel.now_ns + 30 * US - opened_ns);
	assert_true(idle_ns() >= 19 * MS);
}

static uint32_t chance(uint32_t below)
{
	static uint32_t bits = 1;

	bits = bits * 1664525 + 1013904223;
	return (bits >> 16) % below;
}

static size_t count_active(void)
{
	size_t count = 0;

	for (int i = 0; i < THREADS; i++)
		count += world.threads[i].active;
	return count;
}

static const struct {
	uint64_t number;
	__u32 reason;
} chances[] = {
	{ __NR_nanosleep, COMMAND_WAIT_SLEEP },	     { __NR_wait4, COMMAND_WAIT_CHILD },
	{ __NR_futex, COMMAND_WAIT_LOCK },	     { __NR_recvfrom, COMMAND_WAIT_NETWORK },
	{ __NR_fsync, COMMAND_WAIT_DISK },	     { __NR_splice, COMMAND_WAIT_PIPE },
	{ __NR_rt_sigsuspend, COMMAND_WAIT_SIGNAL }, { __NR_getpid, COMMAND_WAIT_OTHER },
};

static void happen_to(struct thread *thread, struct thread *running)
{
	size_t call = chance(sizeof(chances) / sizeof(chances[0]));

	if (!thread->alive && running)
		start(running, thread);
	else if (thread->alive && !thread->active)
		wake(thread);
	else if (thread->active && count_active() > 1 && chance(6) == 0)
		die(thread);
	else if (thread->active) {
		thread->reason = chances[call].reason;
		block(thread, chances[call].number);
	}
}

/* Threads that start, wait and end by chance. */
static void test_waits_add_up(void **state)
{
	uint64_t waited_ns[COMMAND_WAIT_ROOM] = { 0 }, total_ns = 0;
	uint64_t none_since_ns = 0;

	(void)state;
	one_thread();
	for (int i = 0; i < 20000; i++) {
		struct thread *thread = &world.threads[chance(THREADS)], *running = NULL;
		size_t before = count_active();

		for (int j = 0; j < THREADS; j++)
			running = world.threads[j].active ? &world.threads[j] : running;
		after(chance(1000));
		happen_to(thread, running);
		if (before && !count_active())
			none_since_ns = kernel.now_ns;
		if (!before && count_active()) {
			waited_ns[thread->reason] += kernel.now_ns - none_since_ns;
			total_ns += kernel.now_ns - none_since_ns;
		}
	}
	assert_memory_equal(totals.idle_ns, waited_ns, sizeof(waited_ns));
	assert_int_equal(idle_ns(), total_ns);
	assert_true(total_ns > 0);
	assert_int_equal(totals.missed, 0);
}

/* ---- the window ---- */

static void test_only_the_window_counts(void **state)
{
	struct thread *thread = &world.threads[0];

	(void)state;
	thread->alive = true;
	thread->task.__state = SLEEPS;
	in_call(thread, __NR_recvfrom);
	choose(thread);
	iterate(command_wait_open);
	after(10 * MS);
	opened_ns = kernel.now_ns;
	after(3 * MS);
	wake(thread);
	after(MS);
	block(thread, __NR_nanosleep);
	closed_ns = kernel.now_ns + 2 * MS;
	after(20 * MS);
	wake(thread);
	assert_int_equal(totals.idle_ns[COMMAND_WAIT_NETWORK], 3 * MS);
	assert_int_equal(totals.idle_ns[COMMAND_WAIT_SLEEP], 2 * MS);
}

/* The second process is a server with a thread for its connections, and one that waits for work. */
static void test_waits_that_do_not_end(void **state)
{
	struct thread *parent = &world.threads[0], *server = &world.threads[4];
	struct thread *worker = &world.threads[5];

	(void)state;
	parent->alive = server->alive = worker->alive = true;
	in_call(parent, __NR_wait4);
	in_call(server, __NR_accept4);
	in_call(worker, __NR_futex);
	worker->registers.dx = 2;
	parent->task.__state = server->task.__state = worker->task.__state = SLEEPS;
	choose(parent);
	choose(server);
	open_window();
	after(8 * MS);
	close_window();
	assert_int_equal(totals.open, 3);
	assert_int_equal(totals.open_reason, COMMAND_WAIT_NETWORK);
	assert_int_equal(totals.lock_ns, 8 * MS);
	assert_true(command_wait_active & COMMAND_WAIT_IDLE);
	assert_true((command_wait_active & ~COMMAND_WAIT_IDLE) <= opened_ns);
}

static void test_the_last_wait_is_the_open_one(void **state)
{
	struct thread *thread = one_thread(), *second = &world.threads[1];

	(void)state;
	start(thread, second);
	block(thread, __NR_recvfrom);
	after(MS);
	block(second, __NR_nanosleep);
	after(MS);
	close_window();
	assert_int_equal(totals.open_reason, COMMAND_WAIT_SLEEP);
}

static void test_threads_without_memory_are_counted(void **state)
{
	struct thread *thread = one_thread();

	(void)state;
	kernel.elements_left = 0;
	start(thread, &world.threads[1]);
	assert_int_equal(totals.missed, 1);
}

/* ---- reasons ---- */

/* The reason that has got what is beyond @before. */
static __u32 reason_beyond(const struct command_wait_totals *before)
{
	__u32 reason = 0;

	while (reason < COMMAND_WAIT_ROOM && totals.idle_ns[reason] == before->idle_ns[reason])
		reason++;
	return reason;
}

/* What a thread waits for that leaves with these registers, as it is when the wait ends. */
static struct command_wait_thread left_with(struct thread *thread,
					    struct pt_regs___kernel registers, uint32_t state)
{
	const struct command_wait_totals before = totals;
	struct command_wait_thread *found;

	thread->registers = registers;
	leave_in(thread, state);
	found = bpf_task_storage_get(&command_threads, &thread->task, NULL, 0);
	assert_non_null(found);
	assert_int_equal(found->state, COMMAND_WAIT_BLOCKED);
	after(MS);
	wake(thread);
	found->reason = reason_beyond(&before);
	return *found;
}

static void test_reasons_of_calls(void **state)
{
	static const struct {
		struct pt_regs___kernel registers;
		uint32_t state;
		__u32 reason;
	} cases[] = {
		{ { .orig_ax = __NR_clock_nanosleep }, SLEEPS, COMMAND_WAIT_SLEEP },
		{ { .orig_ax = __NR_restart_syscall }, SLEEPS, COMMAND_WAIT_SLEEP },
		{ { .orig_ax = __NR_clock_nanosleep | X32_CALL }, SLEEPS, COMMAND_WAIT_SLEEP },
		{ { .orig_ax = __NR_clock_nanosleep, .cs = USER_CS_32 },
		  SLEEPS,
		  COMMAND_WAIT_OTHER },
		{ { .orig_ax = __NR_flock }, SLEEPS, COMMAND_WAIT_LOCK },
		{ { .orig_ax = __NR_accept }, SLEEPS, COMMAND_WAIT_NETWORK },
		{ { .orig_ax = __NR_mq_timedreceive }, SLEEPS, COMMAND_WAIT_PIPE },
		{ { .orig_ax = __NR_openat }, SLEEPS, COMMAND_WAIT_PIPE },
		{ { .orig_ax = __NR_openat }, UNINTERRUPTIBLE, COMMAND_WAIT_DISK },
		{ { .orig_ax = __NR_fdatasync }, UNINTERRUPTIBLE, COMMAND_WAIT_DISK },
		{ { .orig_ax = __NR_waitid }, SLEEPS, COMMAND_WAIT_CHILD },
		{ { .orig_ax = __NR_vfork }, UNINTERRUPTIBLE, COMMAND_WAIT_CHILD },
		{ { .orig_ax = __NR_pause }, SLEEPS, COMMAND_WAIT_SIGNAL },
		{ { .orig_ax = __NR_poll, .si = 1 }, SLEEPS, COMMAND_WAIT_POLL },
		{ { .orig_ax = __NR_poll }, SLEEPS, COMMAND_WAIT_SLEEP },
		{ { .orig_ax = __NR_ppoll, .si = 2 }, SLEEPS, COMMAND_WAIT_POLL },
		{ { .orig_ax = __NR_select, .di = 4 }, SLEEPS, COMMAND_WAIT_POLL },
		{ { .orig_ax = __NR_select }, SLEEPS, COMMAND_WAIT_SLEEP },
		{ { .orig_ax = __NR_pselect6 }, SLEEPS, COMMAND_WAIT_SLEEP },
		{ { .orig_ax = __NR_epoll_wait }, SLEEPS, COMMAND_WAIT_POLL },
		{ { .orig_ax = __NR_nanosleep }, 8, COMMAND_WAIT_STOPPED },
		{ { .orig_ax = __NR_nanosleep }, TASK_FROZEN, COMMAND_WAIT_STOPPED },
		{ { .orig_ax = (unsigned long)-1 }, UNINTERRUPTIBLE, COMMAND_WAIT_OTHER },
		{ { .orig_ax = CALLS + __NR_nanosleep }, SLEEPS, COMMAND_WAIT_OTHER },
		{ { .orig_ax = __NR_exit_group }, SLEEPS, COMMAND_WAIT_OTHER },
	};
	struct thread *thread = one_thread();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(left_with(thread, cases[i].registers, cases[i].state).reason,
				 cases[i].reason);
}

static void test_waiting_for_a_device_is_disk(void **state)
{
	struct thread *thread = one_thread();

	(void)state;
	thread->task.in_iowait = 1; /* a page fault */
	assert_int_equal(left_with(thread,
				   (struct pt_regs___kernel){ .orig_ax = (unsigned long)-1 },
				   UNINTERRUPTIBLE)
				 .reason,
			 COMMAND_WAIT_DISK);
	thread->task.in_iowait = 1; /* whatever its requests are */
	assert_int_equal(left_with(thread,
				   (struct pt_regs___kernel){ .orig_ax = __NR_io_uring_enter },
				   SLEEPS)
				 .reason,
			 COMMAND_WAIT_OTHER);
}

static void test_reasons_of_files(void **state)
{
	struct super_block disk = { .s_magic = 0xef53 }, anonymous = { ANON_INODE_FS_MAGIC };
	struct {
		struct inode inode;
		__u32 reason;
	} cases[] = {
		{ { S_IFIFO, 0, &disk }, COMMAND_WAIT_PIPE },
		{ { S_IFSOCK, 0, &disk }, COMMAND_WAIT_NETWORK },
		{ { S_IFREG, 0, &disk }, COMMAND_WAIT_DISK },
		{ { S_IFDIR, 0, &disk }, COMMAND_WAIT_DISK },
		{ { S_IFBLK, 0, &disk }, COMMAND_WAIT_DISK },
		{ { S_IFREG, 0, &anonymous }, COMMAND_WAIT_OTHER },
		{ { 0, 0, &anonymous }, COMMAND_WAIT_OTHER },
		{ { S_IFCHR, 136 << DEVICE_MINOR_BITS | 3, &disk }, COMMAND_WAIT_TERMINAL },
		{ { S_IFCHR, 143 << DEVICE_MINOR_BITS, &disk }, COMMAND_WAIT_TERMINAL },
		{ { S_IFCHR, TTYAUX_MAJOR << DEVICE_MINOR_BITS, &disk }, COMMAND_WAIT_TERMINAL },
		{ { S_IFCHR, 1 << DEVICE_MINOR_BITS | 8, &disk }, COMMAND_WAIT_OTHER },
	};
	struct thread *thread = one_thread();
	struct file file;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		file.f_inode = &cases[i].inode;
		world.open[3] = &file;
		assert_int_equal(
			left_with(thread,
				  (struct pt_regs___kernel){ .orig_ax = __NR_read, .di = 3 },
				  SLEEPS)
				.reason,
			cases[i].reason);
	}
}

/* Closed meanwhile, beyond the table, or of a thread that has given up its files. */
static void test_files_that_are_not_open(void **state)
{
	const unsigned long numbers[] = { 4, OPEN_FILES, 1UL << 31, (unsigned long)-1 };
	struct thread *thread = one_thread();

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		assert_int_equal(left_with(thread,
					   (struct pt_regs___kernel){ .orig_ax = __NR_read,
								      .di = numbers[i] },
					   SLEEPS)
					 .reason,
				 COMMAND_WAIT_OTHER);
	thread->task.files = NULL;
	assert_int_equal(
		left_with(thread, (struct pt_regs___kernel){ .orig_ax = __NR_read }, SLEEPS).reason,
		COMMAND_WAIT_OTHER);
}

static void test_locks_and_conditions(void **state)
{
	static const struct {
		unsigned long operation, word;
		__u32 is_lock;
	} cases[] = {
		{ FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 2, 1 },
		{ FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 2, 1 },
		{ FUTEX_WAIT, FUTEX_WAITERS | 100, 1 },
		{ FUTEX_LOCK_PI | FUTEX_PRIVATE_FLAG, 0, 1 },
		{ FUTEX_LOCK_PI_2, 0, 1 },
		{ FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 0, 0 },	      /* a condition */
		{ FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, COMMAND + 1, 0 }, /* pthread_join */
		{ FUTEX_WAKE, 2, 0 },
	};
	struct thread *thread = one_thread();
	struct thread *second = &world.threads[1];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct pt_regs___kernel registers = { .orig_ax = __NR_futex,
							    .si = cases[i].operation,
							    .dx = cases[i].word };
		struct command_wait_thread left = left_with(thread, registers, SLEEPS);

		assert_int_equal(left.reason, COMMAND_WAIT_LOCK);
		assert_int_equal(left.is_lock, cases[i].is_lock);
	}
	memset(&totals, 0, sizeof(totals));
	start(thread, second);
	after(MS);
	thread->registers =
		(struct pt_regs___kernel){ .orig_ax = __NR_futex, .si = FUTEX_WAIT, .dx = 2 };
	leave_in(thread, SLEEPS);
	after(6 * MS); /* the second one holds it, and is busy */
	wake(thread);
	assert_int_equal(totals.lock_ns, 6 * MS);
	assert_int_equal(idle_ns(), 0);
}

/* Above a number of waits in a second it does not ask what they are for, until the next second. */
static void test_too_many_waits_are_not_asked(void **state)
{
	enum { MORE = 10 };
	struct thread *thread = one_thread();

	(void)state;
	after(1000 * MS);
	for (int i = 0; i < COMMAND_WAIT_MOST_ASKED + MORE; i++) {
		block(thread, __NR_nanosleep);
		after(US);
		wake(thread);
	}
	assert_int_equal(totals.not_asked, MORE);
	assert_int_equal(totals.idle_ns[COMMAND_WAIT_SLEEP], COMMAND_WAIT_MOST_ASKED * US);
	assert_int_equal(totals.idle_ns[COMMAND_WAIT_UNKNOWN], MORE * US);
	after(1000 * MS);
	block(thread, __NR_nanosleep);
	after(US);
	wake(thread);
	assert_int_equal(totals.not_asked, MORE);
	assert_int_equal(totals.idle_ns[COMMAND_WAIT_SLEEP], (COMMAND_WAIT_MOST_ASKED + 1) * US);
}

/* A wait with a limit is a sleep if it lasts that long. */
static void test_limits(void **state)
{
	static const long limit[] = { 0, 40 * 1000 };
	const struct {
		struct pt_regs___kernel registers;
		uint64_t limit_ns;
	} cases[] = {
		{ { .orig_ax = __NR_poll, .si = 1, .dx = 40 }, 40 * MS },
		{ { .orig_ax = __NR_epoll_wait, .r10 = 40 }, 40 * MS },
		{ { .orig_ax = __NR_epoll_pwait, .r10 = 0xffffffff }, 0 },
		{ { .orig_ax = __NR_ppoll, .si = 1, .dx = USER_MEMORY }, 40 * US },
		{ { .orig_ax = __NR_pselect6, .di = 1, .r8 = USER_MEMORY }, 40 * US },
		{ { .orig_ax = __NR_select, .di = 1, .r8 = USER_MEMORY }, 40 * MS },
		{ { .orig_ax = __NR_epoll_pwait2, .r10 = USER_MEMORY }, 40 * US },
		{ { .orig_ax = __NR_select, .di = 1, .r8 = 1 }, 0 },
		{ { .orig_ax = __NR_futex,
		    .si = FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG,
		    .r10 = USER_MEMORY },
		  1 },
	};
	struct thread *thread = one_thread();

	(void)state;
	kernel_memory_add(USER_MEMORY, limit, sizeof(limit));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(left_with(thread, cases[i].registers, SLEEPS).limit_ns,
				 cases[i].limit_ns);
	memset(&totals, 0, sizeof(totals));
	thread->registers = cases[0].registers;
	leave_in(thread, SLEEPS);
	after(10 * MS);
	wake(thread);
	assert_int_equal(totals.idle_ns[COMMAND_WAIT_POLL], 10 * MS);
	thread->registers = cases[0].registers;
	leave_in(thread, SLEEPS);
	after(40 * MS - 20 * US); /* the kernel looked at its clock before the switch */
	wake(thread);
	assert_int_equal(totals.idle_ns[COMMAND_WAIT_POLL], 10 * MS);
	assert_int_equal(totals.idle_ns[COMMAND_WAIT_SLEEP], 40 * MS - 20 * US);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_command_that_sleeps_waits_as_long),
		TEST(test_a_busy_command_waits_for_nothing),
		TEST(test_others_do_not_count),
		TEST(test_the_reason_is_outside_the_command),
		TEST(test_the_first_thread_may_end_before_others),
		TEST(test_may_begin_with_exec),
		TEST(test_a_thread_that_has_ended_does_not_wait),
		TEST(test_woken_on_its_way_to_sleep),
		TEST(test_a_waking_that_was_not_seen),
		TEST(test_woken_as_the_last_one_leaves),
		TEST(test_the_clock_steps_back),
		TEST(test_waits_add_up),
		TEST(test_only_the_window_counts),
		TEST(test_waits_that_do_not_end),
		TEST(test_the_last_wait_is_the_open_one),
		TEST(test_threads_without_memory_are_counted),
		TEST(test_reasons_of_calls),
		TEST(test_waiting_for_a_device_is_disk),
		TEST(test_reasons_of_files),
		TEST(test_files_that_are_not_open),
		TEST(test_locks_and_conditions),
		TEST(test_too_many_waits_are_not_asked),
		TEST(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
