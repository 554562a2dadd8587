/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads, processes and signals by the thousand, in every way at once, while threads compute what is known and
 * look whether anything was changed under them: errno, registers, masks, and the number of signals that were
 * sent. Prints what it found wrong, and in the end "N threads, N processes, N signals".
 * Usage: storm SECONDS LIBRARY...; it executes itself as "storm leaf".
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

/* The signal of the preloaded library, which the program uses as well. */
enum { USED = 61, WORKERS = 2, STACK_BYTES = 64 * 1024 };

extern char **environ;
static const char *self;
static char **libraries;
static atomic_int over, wrong;
static atomic_long threads, processes, sent, came;

static void complain(const char *what)
{
	if (wrong++ < 10)
		fprintf(stderr, "%s: %s\n", what, strerror(errno));
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static unsigned next_random(unsigned *random)
{
	*random = *random * 1103515245 + 12345;
	return *random >> 16;
}

/* ---- what must come out the same ---- */

static NOINLINE double sum_of(int count)
{
	double a = 1, b = 2, c = 3, d = 4;

	for (int i = 0; i < count; i++) {
		a = a * 1.0000001 + b;
		b = b * 0.9999999 + c;
		c = c * 1.0000003 - d;
		d = d * 0.9999997 + a * 1e-9;
	}
	return a + b + c + d;
}

static NOINLINE double deep(int depth, int count)
{
	volatile double room[16];

	room[depth % 16] = depth ? deep(depth - 1, count) : sum_of(count);
	return room[depth % 16];
}

static sigset_t *wanted_mask(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGRTMIN + 5);
	sigaddset(set, SIGURG);
	return set;
}

static void *work(void *unused)
{
	double right = sum_of(20000);
	sigset_t mask, is;

	pthread_sigmask(SIG_SETMASK, wanted_mask(&mask), NULL);
	while (!over) {
		errno = 12345;
		if (deep(50, 20000) != right)
			complain("a sum");
		if (errno != 12345)
			complain("errno");
		pthread_sigmask(SIG_SETMASK, NULL, &is);
		if (memcmp(&is, &mask, 8) != 0)
			complain("a mask");
	}
	return unused;
}

/* ---- threads ---- */

static void *live(void *rounds)
{
	sigset_t set;

	if ((size_t)rounds % 3 == 0) {
		sigfillset(&set);
		pthread_sigmask(SIG_BLOCK, &set, NULL);
	}
	if (sum_of((int)(size_t)rounds) == 0)
		complain("no sum");
	return NULL;
}

static void *make_threads(void *seed)
{
	unsigned random = (unsigned)(size_t)seed;

	while (!over) {
		pthread_t made[8];
		int count = 0;

		for (; count < 8; count++) {
			size_t rounds = next_random(&random) * 10;

			if (pthread_create(&made[count], NULL, live, (void *)rounds))
				break;
			threads++;
		}
		while (count > 0)
			pthread_join(made[--count], NULL);
	}
	return NULL;
}

/* ---- processes ---- */

static void await(pid_t pid, int may_die)
{
	int status;

	if (pid < 0) {
		complain("fork");
		return;
	}
	processes++;
	while (waitpid(pid, &status, 0) < 0) {
		if (errno == EINTR)
			continue;
		complain("waitpid");
		return;
	}
	if (!may_die && status != 0) {
		errno = 0;
		fprintf(stderr, "status %x\n", status);
		complain("a child");
	}
}

static void fork_and_kill(unsigned random)
{
	pid_t pid = fork();

	if (pid == 0) {
		for (;;)
			sum_of(1000);
	}
	usleep(random % 3000);
	kill(pid, SIGKILL);
	await(pid, 1);
}

static void fork_with_thread(int raw)
{
	pid_t pid = raw ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
	pthread_t thread;

	if (pid == 0) {
		/* After fork, another thread may have held a lock of the allocator. */
		if (!raw && pthread_create(&thread, NULL, live, (void *)30000) == 0)
			pthread_join(thread, NULL);
		live((void *)30000);
		_exit(0);
	}
	await(pid, 0);
}

static void execute(int way)
{
	char *arguments[] = { (char *)self, (char *)"leaf", NULL }, *none[] = { NULL };
	pid_t pid = -1;

	if (way == 0) {
		pid = vfork();
	} else if (way == 1) {
		pid = fork();
	} else if (posix_spawn(&pid, self, NULL, NULL, arguments, way == 2 ? environ : none)) {
		complain("posix_spawn");
		return;
	}
	if (pid == 0) {
		execve("/nonexistent", arguments, environ);
		execve(self, arguments, way ? none : environ);
		_exit(127);
	}
	await(pid, 0);
}

static void *make_processes(void *seed)
{
	unsigned random = (unsigned)(size_t)seed;

	while (!over) {
		unsigned way = next_random(&random) % 8;

		if (way < 2)
			fork_and_kill(next_random(&random));
		else if (way < 4)
			fork_with_thread(way == 3);
		else
			execute((int)way - 4);
	}
	return NULL;
}

/* ---- signals ---- */

static void count(int signal)
{
	(void)signal;
	came++;
}

static __thread sigjmp_buf out;
static __thread volatile int may_leave;

static void leave(int signal)
{
	(void)signal;
	if (may_leave)
		siglongjmp(out, 1);
}

static void nothing(int signal)
{
	(void)signal;
	sum_of(100);
}

static void *send_signals(void *unused)
{
	while (!over) {
		if (sigqueue(getpid(), USED, (union sigval){ .sival_int = 1 }) == 0)
			sent++;
		kill(getpid(), SIGUSR1);
		usleep(500);
	}
	return unused;
}

/* On a stack of its own, out of which it jumps. */
static void *jump(void *unused)
{
	stack_t stack = { .ss_sp = malloc(STACK_BYTES), .ss_size = STACK_BYTES };

	sigaltstack(&stack, NULL);
	while (!over) {
		if (sigsetjmp(out, 1) == 0) {
			may_leave = 1;
			pthread_kill(pthread_self(), SIGUSR2);
			sum_of(2000);
		}
		may_leave = 0;
	}
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
	free(stack.ss_sp);
	return unused;
}

static void *change_masks(void *unused)
{
	struct timespec none = { 0 };
	sigset_t all, before, is;

	sigfillset(&all);
	while (!over) {
		struct sigaction action;

		pthread_sigmask(SIG_BLOCK, &all, &before);
		sigdelset(&all, USED); /* it would be waited for */
		sigtimedwait(&all, NULL, &none);
		sigaddset(&all, USED);
		sum_of(2000);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		pthread_sigmask(SIG_SETMASK, NULL, &is);
		if (memcmp(&before, &is, 8) != 0)
			complain("a mask that changes");
		for (int signal = 1; signal < NSIG; signal++)
			sigaction(signal, NULL, &action);
	}
	return unused;
}

/* ---- code ---- */

static void *load(void *unused)
{
	for (int i = 0; !over && libraries[0]; i++) {
		void *library;
		void (*run)(unsigned long rounds);

		if (!libraries[i])
			i = 0;
		library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
		run = library ? (void (*)(unsigned long))dlsym(library, i ? "b_first" : "a_first")
			      : NULL;
		if (run)
			run(10000);
		else
			complain("dlopen");
		if (library)
			dlclose(library);
	}
	return unused;
}

static void *map(void *unused)
{
	while (!over) {
		void *code = mmap(NULL, 65536, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
				  -1, 0);

		usleep(100);
		munmap(code, 65536);
	}
	return unused;
}

static void handle(int signal, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(signal, &action, NULL);
}

int main(int argc, char **argv)
{
	static void *(*const parts[])(void *) = { make_threads,	  make_threads, make_processes,
						  make_processes, send_signals, jump,
						  change_masks,	  load,		map };
	enum { PARTS = sizeof(parts) / sizeof(*parts) };
	const struct itimerval timer = { { 0, 1000 }, { 0, 1000 } };
	pthread_t all[PARTS + WORKERS];
	double end;

	if (argc > 1 && strcmp(argv[1], "leaf") == 0)
		return sum_of(50000) == 0;
	if (argc < 3)
		return 2;
	self = argv[0];
	libraries = argv + 2;
	end = now() + atof(argv[1]);
	handle(USED, count, SA_RESTART);
	handle(SIGUSR1, nothing, SA_RESTART);
	handle(SIGUSR2, leave, SA_RESTART | SA_ONSTACK);
	handle(SIGPROF, nothing, SA_RESTART);
	setitimer(ITIMER_PROF, &timer, NULL);
	for (size_t i = 0; i < PARTS + WORKERS; i++) {
		if (pthread_create(&all[i], NULL, i < PARTS ? parts[i] : work, (void *)(i + 1)))
			return 3;
	}
	while (now() < end)
		usleep(10000);
	over = 1;
	for (size_t i = 0; i < PARTS + WORKERS; i++)
		pthread_join(all[i], NULL);
	if (sent != came) {
		errno = 0;
		fprintf(stderr, "%ld signals sent, %ld came\n", (long)sent, (long)came);
		complain("signals");
	}
	printf("%ld threads, %ld processes, %ld signals\n", (long)threads, (long)processes,
	       (long)sent);
	return wrong != 0;
}
