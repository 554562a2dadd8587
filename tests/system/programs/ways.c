/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads and processes made in one way, each of which works: its stack ends in way_outer;way_inner. In all they
 * work for SECONDS there by their own clocks. In the end it prints what was used: "rusage USER_S SYSTEM_S".
 * Usage: ways WAY SECONDS [PROGRAM ARGUMENT ARGUMENT]; some ways execute the program, which then works.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <ucontext.h>
#include <unistd.h>

#include "spin.h"

/* Keeps a call from becoming a jump. */
#define AFTERWARDS() __asm__ volatile("" ::: "memory")

enum { STACK_BYTES = 64 * 1024, FIBER_BYTES = 16 * 1024, FIBERS = 8 };

extern char **environ;
static double seconds;
static char **program; /* and its arguments */

static void check(int right, const char *what)
{
	if (right)
		return;
	perror(what);
	_exit(1);
}

/* ---- the work ---- */

static NOINLINE void way_inner(uint64_t end_ns)
{
	while (spin_clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		SPIN(20000);
}

static NOINLINE void way_outer(double part)
{
	way_inner(spin_clock_ns(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)(seconds * part * 1e9));
	AFTERWARDS();
}

static void alone(void)
{
	way_outer(1);
	AFTERWARDS();
}

/* ---- threads ---- */

static void *run_thread(void *unused)
{
	way_outer(0.5);
	return unused;
}

static void by_pthread_create(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		check(pthread_create(&threads[i], NULL, run_thread, NULL) == 0, "pthread_create");
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static int run_c11(void *unused)
{
	(void)unused;
	way_outer(0.5);
	return 7;
}

static void by_thrd_create(void)
{
	thrd_t threads[2];
	int result;

	for (int i = 0; i < 2; i++)
		check(thrd_create(&threads[i], run_c11, NULL) == thrd_success, "thrd_create");
	for (int i = 0; i < 2; i++)
		check(thrd_join(threads[i], &result) == thrd_success && result == 7, "thrd_join");
}

/* It has what the C library keeps of the thread that made it, so it uses nothing of that. */
static int run_clone(void *unused)
{
	(void)unused;
	way_outer(1);
	return 0;
}

static void *new_stack(size_t bytes)
{
	void *stack = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

	check(stack != MAP_FAILED, "mmap");
	return stack;
}

/* Waits by sleeping: the kernel wakes waiters through memory that the thread clears. */
static void by_clone(void)
{
	char *stack = new_stack(STACK_BYTES);
	volatile int tid = 1;
	int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
		    CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;

	check(clone(run_clone, stack + STACK_BYTES, flags, NULL, NULL, NULL, &tid) > 0, "clone");
	while (tid)
		usleep(1000);
}

/* A thread that lets no signal come, as those of libraries do. */
static void *run_blocked(void *unused)
{
	sigset_t set;

	sigfillset(&set);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	way_outer(1);
	return unused;
}

static void by_blocked_thread(void)
{
	pthread_t thread;

	check(pthread_create(&thread, NULL, run_blocked, NULL) == 0, "pthread_create");
	pthread_join(thread, NULL);
}

/* The threads are made while all signals are blocked, and by one that has ended. */
static void *run_maker(void *thread)
{
	check(pthread_create(thread, NULL, run_thread, NULL) == 0, "pthread_create");
	return NULL;
}

static void by_orphans(void)
{
	pthread_t maker, made[2];
	sigset_t set;

	sigfillset(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < 2; i++) {
		check(pthread_create(&maker, NULL, run_maker, &made[i]) == 0, "pthread_create");
		pthread_join(maker, NULL);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(made[i], NULL);
}

/* ---- other stacks ---- */

#if defined(__GLIBC__)

static ucontext_t scheduler, fibers[FIBERS];

static void run_fiber(int number)
{
	way_outer(0.5 / FIBERS);
	swapcontext(&fibers[number], &scheduler);
	way_outer(0.5 / FIBERS);
	AFTERWARDS();
}

static void by_fibers(void)
{
	for (int i = 0; i < FIBERS; i++) {
		getcontext(&fibers[i]);
		fibers[i].uc_stack.ss_sp = new_stack(FIBER_BYTES);
		fibers[i].uc_stack.ss_size = FIBER_BYTES;
		fibers[i].uc_link = &scheduler;
		makecontext(&fibers[i], (void (*)(void))run_fiber, 1, i);
	}
	for (int turn = 0; turn < 2; turn++) {
		for (int i = 0; i < FIBERS; i++)
			swapcontext(&scheduler, &fibers[i]);
	}
}

#else /* musl has none of this */

static void by_fibers(void)
{
	check(0, "swapcontext");
}

static void closefrom(int first)
{
	for (int fd = first; fd < 1024; fd++)
		close(fd);
}

#endif

static void handle(int signal)
{
	(void)signal;
	way_outer(1);
	AFTERWARDS();
}

static void by_handler(int flags)
{
	struct sigaction action = { .sa_handler = handle, .sa_flags = flags };
	stack_t stack = { .ss_sp = new_stack(STACK_BYTES), .ss_size = STACK_BYTES };

	check(sigaltstack(&stack, NULL) == 0, "sigaltstack");
	sigfillset(&action.sa_mask);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
}

static void by_signal_stack(void)
{
	by_handler(SA_ONSTACK);
}

static void by_same_stack(void)
{
	by_handler(0);
}

/* ---- processes that execute nothing ---- */

static void await(pid_t pid)
{
	int status;

	check(pid > 0, "fork");
	check(waitpid(pid, &status, 0) == pid && status == 0, "child");
}

static void by_fork(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		way_outer(1);
		exit(0);
	}
	await(pid);
}

/* The child is a stranger to the C library, and makes itself known by nothing but its end. */
static void by_raw_fork(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid == 0) {
		way_outer(1);
		_exit(0);
	}
	await(pid);
}

/* It blocks its signals as set, and may make a thread. */
static void by_raw_fork_with_thread(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid == 0) {
		by_blocked_thread();
		_exit(0);
	}
	await(pid);
}

/* A server that forks for each request, twice as deep. */
static void by_server(void)
{
	int ends[2];
	char request = 'r';

	check(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0, "socketpair");
	if (fork() == 0) {
		while (read(ends[1], &request, 1) == 1) {
			pid_t pid = fork();

			if (pid == 0) {
				way_outer(0.25);
				_exit(0);
			}
			await(pid);
			check(write(ends[1], &request, 1) == 1, "write");
		}
		_exit(0);
	}
	for (int i = 0; i < 4; i++) {
		check(write(ends[0], &request, 1) == 1, "write");
		check(read(ends[0], &request, 1) == 1, "read");
	}
	shutdown(ends[0], SHUT_RDWR);
	close(ends[1]);
	check(wait(NULL) > 0, "wait");
}

static void *run_fork(void *unused)
{
	by_fork();
	return unused;
}

static void by_fork_of_thread(void)
{
	pthread_t thread;

	check(pthread_create(&thread, NULL, run_fork, NULL) == 0, "pthread_create");
	pthread_join(thread, NULL);
}

/* The parent reads until the last one that has the pipe ends. */
static void by_daemon(void)
{
	int ends[2];
	char byte;

	check(pipe(ends) == 0, "pipe");
	if (fork() == 0) {
		setsid();
		if (fork() != 0)
			_exit(0);
		check(chdir("/") == 0, "chdir");
		close(0);
		close(1);
		close(2);
		way_outer(1);
		_exit(0);
	}
	close(ends[1]);
	check(read(ends[0], &byte, 1) == 0, "read");
	check(wait(NULL) > 0, "wait");
}

/* ---- processes that execute programs ---- */

static void by_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execv(program[0], program);
		_exit(127);
	}
	await(pid);
}

static void by_vfork_without_variables(void)
{
	char *none[] = { NULL };
	pid_t pid = vfork();

	if (pid == 0) {
		execve(program[0], program, none);
		_exit(127);
	}
	await(pid);
}

static void by_spawn(void)
{
	pid_t pid;

	check(posix_spawn(&pid, program[0], NULL, NULL, program, environ) == 0, "posix_spawn");
	await(pid);
}

static void by_spawn_on_path(void)
{
	char *none[] = { NULL }, *slash = strrchr(program[0], '/');
	pid_t pid;

	*slash = '\0';
	setenv("PATH", program[0], 1);
	program[0] = slash + 1;
	check(posix_spawnp(&pid, program[0], NULL, NULL, program, none) == 0, "posix_spawnp");
	await(pid);
}

static void by_execle(void)
{
	char *none[] = { NULL };
	pid_t pid = fork();

	if (pid == 0) {
		execle(program[0], program[0], program[1], program[2], NULL, none);
		_exit(127);
	}
	await(pid);
}

static void by_execv_without_variables(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		clearenv();
		execv(program[0], program);
		_exit(127);
	}
	await(pid);
}

static void by_fexecve(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		fexecve(open(program[0], O_RDONLY | O_CLOEXEC), program, environ);
		_exit(127);
	}
	await(pid);
}

/* Of a process that fork(2) was not called for. */
static void by_raw_fork_and_exec(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid == 0) {
		execl(program[0], program[0], program[1], program[2], NULL);
		_exit(127);
	}
	await(pid);
}

/* After attempts that fail. */
static void by_failed_exec(void)
{
	char *none[] = { NULL };
	pid_t pid = fork();

	if (pid == 0) {
		execve("/nonexistent", program, none);
		execlp("no such program", "x", NULL);
		way_outer(1);
		exit(0);
	}
	await(pid);
}

/* ---- ends ---- */

static void close_all(void)
{
	way_outer(0.5);
	closefrom(3);
	way_outer(0.5);
	AFTERWARDS();
}

static void close_each(void)
{
	way_outer(0.5);
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	way_outer(0.5);
	AFTERWARDS();
}

static void end_at_once(void)
{
	way_outer(1);
	spin_print_rusage(RUSAGE_SELF);
	fflush(stdout);
	_exit(3);
}

static void abort_itself(void)
{
	way_outer(1);
	spin_print_rusage(RUSAGE_SELF);
	fflush(stdout);
	abort();
}

static void kill_itself(void)
{
	way_outer(1);
	spin_print_rusage(RUSAGE_SELF);
	fflush(stdout);
	kill(getpid(), SIGKILL);
}

static void exit_quickly(void)
{
	way_outer(1);
	spin_print_rusage(RUSAGE_SELF);
	fflush(stdout);
	quick_exit(4);
}

static void *end_all(void *unused)
{
	(void)unused;
	way_outer(0.5);
	spin_print_rusage(RUSAGE_SELF);
	fflush(stdout);
	exit(5);
}

static void end_in_thread(void)
{
	pthread_t thread;

	way_outer(0.5);
	check(pthread_create(&thread, NULL, end_all, NULL) == 0, "pthread_create");
	pthread_exit(NULL);
}

static const struct {
	const char *name;
	void (*run)(void);
} ways[] = {
	{ "alone", alone },
	{ "pthread", by_pthread_create },
	{ "thrd", by_thrd_create },
	{ "clone", by_clone },
	{ "blocked", by_blocked_thread },
	{ "orphans", by_orphans },
	{ "fibers", by_fibers },
	{ "signal-stack", by_signal_stack },
	{ "same-stack", by_same_stack },
	{ "fork", by_fork },
	{ "raw-fork", by_raw_fork },
	{ "raw-fork-thread", by_raw_fork_with_thread },
	{ "server", by_server },
	{ "fork-of-thread", by_fork_of_thread },
	{ "daemon", by_daemon },
	{ "vfork", by_vfork },
	{ "vfork-bare", by_vfork_without_variables },
	{ "spawn", by_spawn },
	{ "spawnp", by_spawn_on_path },
	{ "execle", by_execle },
	{ "execv-bare", by_execv_without_variables },
	{ "fexecve", by_fexecve },
	{ "raw-fork-exec", by_raw_fork_and_exec },
	{ "failed-exec", by_failed_exec },
	{ "closefrom", close_all },
	{ "close", close_each },
	{ "_exit", end_at_once },
	{ "abort", abort_itself },
	{ "kill", kill_itself },
	{ "quick_exit", exit_quickly },
	{ "exit-in-thread", end_in_thread },
};

int main(int argc, char **argv)
{
	struct rusage own, children;

	if (argc < 3)
		return 2;
	seconds = atof(argv[2]);
	program = argv + 3;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		if (strcmp(ways[i].name, argv[1]) == 0) {
			ways[i].run();
			getrusage(RUSAGE_SELF, &own);
			getrusage(RUSAGE_CHILDREN, &children);
			timeradd(&own.ru_utime, &children.ru_utime, &own.ru_utime);
			timeradd(&own.ru_stime, &children.ru_stime, &own.ru_stime);
			printf("rusage %ld.%06ld %ld.%06ld\n", (long)own.ru_utime.tv_sec,
			       (long)own.ru_utime.tv_usec, (long)own.ru_stime.tv_sec,
			       (long)own.ru_stime.tv_usec);
			return 0;
		}
	}
	return 2;
}
