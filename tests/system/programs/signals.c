/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a program sees of its signals: masks as they were set, what was there before, what arrives. It
 * prints the same whenever it runs. Usage: signals PART [SECONDS]; it is also executed as "signals mask".
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spin.h"

/* A signal that profilers may use for themselves, and that the program uses as well. */
enum { USED = 61, RESTORER = 0x04000000 };

static volatile sig_atomic_t calls[_NSIG], value;

static uint64_t word(const sigset_t *set)
{
	uint64_t first;

	memcpy(&first, set, sizeof(first));
	return first;
}

static sigset_t only(int signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	return set;
}

static sigset_t all(void)
{
	sigset_t set;

	sigfillset(&set);
	return set;
}

static uint64_t mask_now(void)
{
	sigset_t now;

	pthread_sigmask(SIG_SETMASK, NULL, &now);
	return word(&now);
}

static void count(int signal)
{
	calls[signal]++;
}

static void count_info(int signal, siginfo_t *info, void *context)
{
	(void)context;
	calls[signal]++;
	value = info->si_code == SI_QUEUE || info->si_code == SI_TIMER ? info->si_value.sival_int
								       : -1;
}

/* Long enough for many samples. */
static NOINLINE void work(double seconds)
{
	uint64_t end_ns = spin_clock_ns(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)(seconds * 1e9);

	while (spin_clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		SPIN(20000);
}

/* ---- masks ---- */

static void try_mask(int (*set_mask)(int, const sigset_t *, sigset_t *), const char *name, int how,
		     sigset_t set)
{
	sigset_t old;
	int rc = set_mask(how, &set, &old);

	printf("%s %d %016lx: %d, was %016lx, is %016lx\n", name, how, word(&set), rc, word(&old),
	       mask_now());
}

static void *say_mask(void *what)
{
	printf("%s: %016lx\n", (const char *)what, mask_now());
	return NULL;
}

static void mask_of_children(const char *program)
{
	pthread_t thread;
	pid_t pid;

	fflush(stdout);
	pthread_create(&thread, NULL, say_mask, "thread");
	pthread_join(thread, NULL);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		say_mask("child");
		fflush(stdout);
		execl(program, program, "mask", NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}

static sigjmp_buf out;

static void leave(int signal)
{
	(void)signal;
	/* That USED is blocked here is not seen. */
	printf("in the handler: %016lx\n", mask_now() & ~(1UL << (USED - 1)));
	siglongjmp(out, 1);
}

static void try_handler_mask(sigset_t mask, int flags)
{
	struct sigaction action = { .sa_handler = leave, .sa_mask = mask, .sa_flags = flags };

	sigaction(SIGUSR1, &action, NULL);
	if (sigsetjmp(out, 1) == 0)
		raise(SIGUSR1);
	printf("after it: %016lx\n", mask_now());
}

static void masks(const char *program)
{
	static const int hows[] = { SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK };
	sigset_t none;

	sigemptyset(&none);
	for (int i = 0; i < 3; i++) {
		sigset_t sets[] = { all(), only(USED), only(SIGUSR1), none };

		for (int j = 0; j < 4; j++) {
			try_mask(sigprocmask, "sigprocmask", hows[i], sets[j]);
			work(0.02);
			try_mask(pthread_sigmask, "pthread_sigmask", hows[i], sets[j]);
		}
	}
	try_mask(sigprocmask, "sigprocmask", 9, all());
	try_handler_mask(none, 0);
	try_handler_mask(only(USED), 0);
	try_handler_mask(all(), SA_NODEFER);
	try_mask(sigprocmask, "sigprocmask", SIG_SETMASK, only(USED));
	try_handler_mask(none, 0);
	mask_of_children(program);
	try_mask(sigprocmask, "sigprocmask", SIG_SETMASK, all());
	mask_of_children(program);
	try_mask(sigprocmask, "sigprocmask", SIG_SETMASK, none);
	mask_of_children(program);
}

/* ---- dispositions ---- */

static void say_action(const char *what, int signal, int rc, const struct sigaction *action)
{
	const char *name = action->sa_handler == SIG_DFL	? "default"
			   : action->sa_handler == SIG_IGN	? "ignored"
			   : action->sa_handler == count	? "count"
			   : action->sa_sigaction == count_info ? "count_info"
								: "another";

	printf("%s %d: %d", what, signal, rc);
	if (rc == 0)
		printf(", %s, flags %x, mask %016lx", name, action->sa_flags & ~RESTORER,
		       word(&action->sa_mask));
	puts("");
}

static void actions(void)
{
	for (int signal = 0; signal <= _NSIG; signal++) {
		struct sigaction action = { .sa_sigaction = count_info, .sa_mask = all() };
		struct sigaction old = { 0 };
		int rc;

		action.sa_flags = SA_SIGINFO | (signal % 2 ? SA_RESTART : SA_NODEFER);
		rc = sigaction(signal, &action, &old);
		say_action("set", signal, rc, &old);
		work(0.002);
		rc = sigaction(signal, NULL, &old);
		say_action("is", signal, rc, &old);
		action = (struct sigaction){ .sa_handler = count };
		rc = sigaction(signal, &action, &old);
		say_action("was", signal, rc, &old);
	}
	work(0.05);
}

typedef void (*handler)(int);

static void try_setter(const char *name, handler (*set)(int, handler))
{
	printf("%s:", name);
	for (int signal = 0; signal <= _NSIG; signal++) {
		handler first = set(signal, count), second = set(signal, SIG_IGN),
			third = set(signal, SIG_DFL);

		printf(" %d%s%s%s", signal,
		       first == SIG_DFL	  ? "d"
		       : first == SIG_ERR ? "e"
					  : "?",
		       second == count	   ? "c"
		       : second == SIG_ERR ? "e"
					   : "?",
		       third == SIG_IGN	  ? "i"
		       : third == SIG_ERR ? "e"
					  : "?");
	}
	puts("");
}

extern handler bsd_signal(int, handler);
extern handler __sysv_signal(int, handler);
#if defined(__GLIBC__)
extern handler sysv_signal(int, handler);
#endif

static void setters(void)
{
	try_setter("signal", signal);
	work(0.05);
	try_setter("bsd_signal", bsd_signal);
#if defined(__GLIBC__)
	try_setter("sysv_signal", sysv_signal);
#endif
	try_setter("__sysv_signal", __sysv_signal);
	work(0.05);
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* Functions of System V, by which other signals than those of profilers are set. */
static void old_functions(void)
{
	printf("sigset: %d\n", sigset(SIGUSR1, count) == SIG_DFL);
	printf("sighold: %d, %016lx\n", sighold(SIGUSR1), mask_now());
	raise(SIGUSR1);
	printf("held: %d\n", calls[SIGUSR1]);
	printf("sigrelse: %d, %016lx\n", sigrelse(SIGUSR1), mask_now());
	printf("released: %d\n", calls[SIGUSR1]);
	for (int signal = 1; signal < _NSIG; signal++)
		siginterrupt(signal, 1);
	printf("siginterrupt\n");
	for (int signal = 1; signal < _NSIG; signal++)
		sigignore(signal);
	printf("sigignore\n");
	work(0.05);
	for (int signal = 1; signal < _NSIG; signal++)
		sighold(signal);
	work(0.05);
	printf("all held: %016lx\n", mask_now());
}

/* ---- the signal that profilers may use ---- */

static void handle(int signal, int flags)
{
	struct sigaction action = { .sa_sigaction = count_info, .sa_flags = SA_SIGINFO | flags };

	sigaction(signal, &action, NULL);
}

static void expect_calls(const char *what, int wanted)
{
	for (int i = 0; i < 1000 && calls[USED] < wanted; i++)
		usleep(1000);
	printf("%s: %d calls, value %d\n", what, calls[USED], value);
}

static void own_signal(void)
{
	struct sigevent event = { .sigev_signo = USED, .sigev_value.sival_int = 7 };
	struct itimerspec when = { .it_value.tv_nsec = 1000000 };
	timer_t timer;
	sigset_t set = only(USED);

	handle(USED, 0);
	event.sigev_notify = SIGEV_SIGNAL;
	kill(getpid(), USED);
	expect_calls("kill", 1);
	sigqueue(getpid(), USED, (union sigval){ .sival_int = 5 });
	expect_calls("sigqueue", 2);
	raise(USED);
	expect_calls("raise", 3);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &when, NULL);
	expect_calls("timer", 4);
	work(0.1);
	expect_calls("work", 4);
	signal(USED, SIG_IGN);
	raise(USED);
	work(0.05);
	expect_calls("ignored", 4);
	signal(USED, count);
	raise(USED);
	expect_calls("again", 5);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	raise(USED);
	raise(USED);
	work(0.05);
	printf("blocked: %d\n", calls[USED]);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	printf("not blocked: %d\n", calls[USED]);
}

static void once(void)
{
	handle(USED, SA_RESETHAND);
	raise(USED);
	expect_calls("once", 1);
	work(0.05);
	fflush(stdout);
	raise(USED);
	puts("alive");
}

static void own_death(void)
{
	work(0.05);
	raise(USED);
	puts("alive");
}

/* ---- waiting for signals ---- */

static void *wait_for_all(void *unused)
{
	sigset_t set = all();

	for (int left = 3; left > 0; left--) {
		int signal = 0, rc = sigwait(&set, &signal);

		printf("sigwait: %d, %d\n", rc, signal);
		work(0.02);
	}
	for (int left = 2; left > 0; left--) {
		siginfo_t info;
		int rc = sigwaitinfo(&set, &info);

		printf("sigwaitinfo: %d, value %d\n", rc, info.si_value.sival_int);
		work(0.02);
	}
	return unused;
}

static void waiting(void)
{
	sigset_t set = all();
	struct timespec nothing = { 0 };
	pthread_t thread;

	pthread_sigmask(SIG_SETMASK, &set, NULL);
	pthread_create(&thread, NULL, wait_for_all, NULL);
	for (int i = 0; i < 5; i++) {
		work(0.02);
		sigqueue(getpid(), i % 2 ? SIGUSR1 : SIGRTMIN + 2,
			 (union sigval){ .sival_int = i });
		usleep(20000);
	}
	pthread_join(thread, NULL);
	printf("sigtimedwait: %d\n", sigtimedwait(&set, NULL, &nothing));
	raise(SIGTERM);
	printf("sigtimedwait: %d\n", sigtimedwait(&set, NULL, &nothing));
}

static void by_descriptor(void)
{
	sigset_t set = all();
	int fd = signalfd(-1, &set, SFD_NONBLOCK);
	struct signalfd_siginfo info;
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	pthread_sigmask(SIG_SETMASK, &set, NULL);
	work(0.05);
	printf("poll: %d, read: %zd\n", poll(&ready, 1, 0), read(fd, &info, sizeof(info)));
	kill(getpid(), SIGUSR2);
	sigqueue(getpid(), SIGRTMAX, (union sigval){ .sival_int = 9 });
	for (int i = 0; i < 2; i++) {
		work(0.05);
		printf("poll: %d, read: %zd,", poll(&ready, 1, 1000),
		       read(fd, &info, sizeof(info)));
		printf(" %u value %d\n", info.ssi_signo, info.ssi_int);
	}
}

/* Two threads block the signal, and one waits for it. */
static void wait_for_used(void)
{
	sigset_t set = only(USED);
	siginfo_t info = { 0 };
	struct timespec second = { .tv_sec = 1 };
	struct signalfd_siginfo read_info = { 0 };
	int fd, signal = 0;

	pthread_sigmask(SIG_BLOCK, &set, NULL);
	sigqueue(getpid(), USED, (union sigval){ .sival_int = 3 });
	work(0.05);
	printf("sigtimedwait: %d", sigtimedwait(&set, &info, &second));
	printf(", value %d\n", info.si_value.sival_int);
	raise(USED);
	printf("sigwait: %d", sigwait(&set, &signal));
	printf(", %d\n", signal);
	fd = signalfd(-1, &set, SFD_NONBLOCK);
	raise(USED);
	work(0.05);
	printf("signalfd: %zd", read(fd, &read_info, sizeof(read_info)));
	printf(", %u\n", read_info.ssi_signo);
}

/* ---- profiling timers of its own ---- */

/* The program's own profiler has as many signals as its time has periods; the kernel counts that time in ticks. */
static void own_profiler(double seconds)
{
	enum { PERIOD_US = 20000 };
	const struct itimerval timer = { { 0, PERIOD_US }, { 0, PERIOD_US } };
	struct itimerval off = { 0 }, old;
	struct rusage usage;
	double used_us, wanted;

	handle(SIGPROF, SA_RESTART);
	setitimer(ITIMER_PROF, &timer, NULL);
	work(seconds);
	setitimer(ITIMER_PROF, &off, &old);
	getrusage(RUSAGE_SELF, &usage);
	used_us = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
		  (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
	wanted = used_us / PERIOD_US;
	printf("interval %ld\n", (long)old.it_interval.tv_usec);
	if (calls[SIGPROF] < 0.5 * wanted - 2 || calls[SIGPROF] > 1.5 * wanted + 2)
		printf("%d signals, not %.0f\n", calls[SIGPROF], wanted);
}

int main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "";
	double seconds = argc > 2 ? atof(argv[2]) : 0.5;

	if (strcmp(part, "mask") == 0)
		say_mask("program");
	else if (strcmp(part, "masks") == 0)
		masks(argv[0]);
	else if (strcmp(part, "actions") == 0)
		actions();
	else if (strcmp(part, "setters") == 0)
		setters();
	else if (strcmp(part, "old") == 0)
		old_functions();
	else if (strcmp(part, "own") == 0)
		own_signal();
	else if (strcmp(part, "once") == 0)
		once();
	else if (strcmp(part, "death") == 0)
		own_death();
	else if (strcmp(part, "waiting") == 0)
		waiting();
	else if (strcmp(part, "descriptor") == 0)
		by_descriptor();
	else if (strcmp(part, "used") == 0)
		wait_for_used();
	else if (strcmp(part, "profiler") == 0)
		own_profiler(seconds);
	else
		return 2;
	return 0;
}
