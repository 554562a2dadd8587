/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes and threads that are made by clone(2), _Fork(3) or the system call itself. The C library calls
 * nothing of ours in these children. And filters of system calls: a program that sets one may not survive ours.
 */
#include "preload/preload.h"

#include <errno.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>

/* A child with memory of its own. */
static void begin_process(void)
{
	(void)preload_own();
}

PRELOAD_EXPORT int _Fork(void);
PRELOAD_EXPORT int _Fork(void)
{
	int (*next)(void) = PRELOAD_NEXT(_Fork);
	int pid = next();

	if (pid == 0)
		begin_process();
	return pid;
}

/* ---- clone(2) ---- */

/* What a child is to run. It has a copy of the memory in which this lies. */
struct child {
	int (*run)(void *argument);
	void *argument;
};

static int run_child(void *copied)
{
	struct child child = *(struct child *)copied;

	begin_process();
	return child.run(child.argument);
}

/* The last three are there if the flags say so; any others may be passed on. */
PRELOAD_EXPORT int clone(int (*run)(void *), void *stack, int flags, void *argument, ...);
PRELOAD_EXPORT int clone(int (*run)(void *), void *stack, int flags, void *argument, ...)
{
	int (*next)(int (*)(void *), void *, int, void *, ...) = PRELOAD_NEXT(clone);
	struct child child = { run, argument };
	struct preload_state *state = preload_own();
	void *parent_tid, *storage, *child_tid;
	va_list rest;
	int tid;

	va_start(rest, argument);
	parent_tid = va_arg(rest, void *);
	storage = va_arg(rest, void *);
	child_tid = va_arg(rest, void *);
	va_end(rest);
	if (state && !(flags & CLONE_VM))
		return next(run_child, stack, flags, &child, parent_tid, storage, child_tid);
	tid = next(run, stack, flags, argument, parent_tid, storage, child_tid);
	if (state && tid > 0 && flags & CLONE_THREAD)
		preload_add_new_thread(state, tid, (uint64_t)stack);
	return tid;
}

/* ---- prctl(2) ---- */

PRELOAD_EXPORT int prctl(int option, ...)
{
	int (*next)(int, ...) = PRELOAD_NEXT(prctl);
	unsigned long words[4];
	va_list rest;

	va_start(rest, option);
	for (int i = 0; i < 4; i++)
		words[i] = va_arg(rest, unsigned long);
	va_end(rest);
	if (option == PR_SET_SECCOMP && (words[0] != SECCOMP_MODE_FILTER || words[1]))
		preload_retire(PRELOAD_REFUSAL_FILTER);
	return next(option, words[0], words[1], words[2], words[3]);
}

/* ---- syscall(2) ---- */

/* As in the C libraries, but that some calls come to preload_special_call. Nothing is kept on the stack: a child
 * that shares the memory may return on another one, and the caller's may be seen by other threads. */
#if defined(__x86_64__)
__asm__(".text\n"
	".balign 16\n"
	".globl syscall\n"
	".type syscall, @function\n"
	"syscall:\n"
	".cfi_startproc\n"
	"cmp $56, %rdi\n" /* clone */
	"je preload_special_call\n"
	"cmp $57, %rdi\n" /* fork */
	"je preload_special_call\n"
	"cmp $435, %rdi\n" /* clone3 */
	"je preload_special_call\n"
	"cmp $317, %rdi\n" /* seccomp */
	"je preload_special_call\n"
	"preload_plain_call:\n"
	"mov %rdi, %rax\n"
	"mov %rsi, %rdi\n"
	"mov %rdx, %rsi\n"
	"mov %rcx, %rdx\n"
	"mov %r8, %r10\n"
	"mov %r9, %r8\n"
	"mov 8(%rsp), %r9\n"
	"syscall\n"
	"cmp $-4095, %rax\n"
	"jae 1f\n"
	"ret\n"
	"1: mov %rax, %rdi\n"
	"jmp preload_fail_call\n"
	".cfi_endproc\n"
	".size syscall, . - syscall\n");
#else
__asm__(".text\n"
	".balign 16\n"
	".globl syscall\n"
	".type syscall, %function\n"
	"syscall:\n"
	".cfi_startproc\n"
	"cmp x0, #220\n" /* clone */
	"b.eq preload_special_call\n"
	"cmp x0, #435\n" /* clone3 */
	"b.eq preload_special_call\n"
	"cmp x0, #277\n" /* seccomp */
	"b.eq preload_special_call\n"
	"preload_plain_call:\n"
	"mov x8, x0\n"
	"mov x0, x1\n"
	"mov x1, x2\n"
	"mov x2, x3\n"
	"mov x3, x4\n"
	"mov x4, x5\n"
	"mov x5, x6\n"
	"svc 0\n"
	"cmn x0, #4095\n"
	"b.cs preload_fail_call\n"
	"ret\n"
	".cfi_endproc\n"
	".size syscall, . - syscall\n");
#endif

typedef long system_call(long number, long a, long b, long c, long d, long e);
typedef long failing_call(long result);

extern system_call preload_plain_call __attribute__((visibility("hidden")));
__attribute__((visibility("hidden"), used)) system_call preload_special_call;
__attribute__((visibility("hidden"), used)) failing_call preload_fail_call;

long preload_fail_call(long result)
{
	errno = (int)-result;
	return -1;
}

static bool forks(long number, long a, long b)
{
	const struct clone_args *arguments = (const struct clone_args *)a;

	switch (number) {
#if defined(__NR_fork)
	case __NR_fork:
		return true;
#endif
	case __NR_clone:
		return !(a & CLONE_VM);
	case __NR_clone3:
		return b >= CLONE_ARGS_SIZE_VER0 && preload_is_readable((uint64_t)a) &&
		       !(arguments->flags & CLONE_VM);
	default:
		return false;
	}
}

/* Without a filter, programs ask whether there could be one. */
static bool sets_filter(long number, long a, long c)
{
	return number == __NR_seccomp &&
	       (a == SECCOMP_SET_MODE_STRICT || (a == SECCOMP_SET_MODE_FILTER && c));
}

/* The first call is a jump. */
long preload_special_call(long number, long a, long b, long c, long d, long e)
{
	long result;

	if (!forks(number, a, b)) {
		if (sets_filter(number, a, c))
			preload_retire(PRELOAD_REFUSAL_FILTER);
		return preload_plain_call(number, a, b, c, d, e);
	}
	result = raw_call(number, a, b, c, d, e, 0);
	if (result < 0)
		return preload_fail_call(result);
	if (result == 0)
		begin_process();
	return result;
}
