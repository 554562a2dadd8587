/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program sees its own signals as if ours did not exist: it can neither block nor ignore the signal of
 * the timers, and what it asks for that signal is kept for it. A program that makes the system calls itself
 * can: then it has no more samples.
 */
#include <errno.h>
#include <signal.h>
#include <ucontext.h>

#include "preload/preload.h"
#include "preload/signal_sets.h"

/* What the program has set for PRELOAD_SIGNAL. */
static struct sigaction programs_action;
/* Handlers of the program during which it wants PRELOAD_SIGNAL to be blocked. */
static uint8_t blocks_ours[PRELOAD_SIGNAL + 8];
/* The calling thread wants it to be blocked. */
static __thread bool thread_blocks_ours __attribute__((tls_model("initial-exec")));

bool preload_program_blocks(void)
{
	return thread_blocks_ours;
}

void preload_unblock(bool blocked)
{
	uint64_t set = SET_OWN, before = 0;

	if (preload_is_over())
		return;
	RAW(rt_sigprocmask, SIG_UNBLOCK, &set, &before, sizeof(set));
	thread_blocks_ours = blocked || before & SET_OWN;
}

/* ---- handlers ---- */

/* As the kernel has them (linux:include/linux/signal_types.h). */
struct kernel_action {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

static void set_real_handler(void (*handler)(int))
{
	struct kernel_action action = { .handler = handler };

	RAW(rt_sigaction, PRELOAD_SIGNAL, &action, NULL, sizeof(action.mask));
}

void preload_ignore(void)
{
	programs_action.sa_handler = SIG_IGN;
}

void preload_show_signal(bool in_exec)
{
	uint64_t set = SET_OWN;

	if (thread_blocks_ours)
		RAW(rt_sigprocmask, SIG_BLOCK, &set, NULL, sizeof(set));
	if (in_exec && programs_action.sa_handler == SIG_IGN)
		set_real_handler(SIG_IGN);
}

void preload_hide_signal(bool in_exec)
{
	if (in_exec && programs_action.sa_handler == SIG_IGN)
		(void)preload_catch();
	if (thread_blocks_ours)
		preload_unblock(true);
}

static void act_by_default(int signal)
{
	uint64_t set = SET_OWN;
	long pid = RAW(getpid), tid = RAW(gettid);

	set_real_handler(SIG_DFL);
	RAW(tgkill, pid, tid, signal);
	RAW(rt_sigprocmask, SIG_UNBLOCK, &set, NULL, sizeof(set));
}

/* The mask that the kernel would have set for this handler. It may not return, but jump away. */
static void set_handler_mask(const struct sigaction *action, ucontext_t *context)
{
	sigset_t handlers = action->sa_mask;
	uint64_t mask = *set_word(&context->uc_sigmask) | *set_word(&handlers) | SET_OWN;

	if (action->sa_flags & SA_NODEFER)
		mask &= ~SET_OWN;
	RAW(rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
}

static void call_handler(int signal, siginfo_t *info, ucontext_t *context)
{
	struct sigaction action = programs_action;

	if (action.sa_flags & (int)SA_RESETHAND)
		programs_action.sa_handler = SIG_DFL;
	set_handler_mask(&action, context);
	if (action.sa_flags & SA_SIGINFO)
		action.sa_sigaction(signal, info, context);
	else
		action.sa_handler(signal);
}

void preload_pass_on(int signal, void *info, void *context)
{
	if (thread_blocks_ours && !preload_thread_yields())
		preload_yield(info, context);
	else if (programs_action.sa_handler == SIG_DFL)
		act_by_default(signal);
	else if (programs_action.sa_handler != SIG_IGN)
		call_handler(signal, info, context);
}

/* For PRELOAD_SIGNAL. The kernel takes no mask that has these. */
static void set_programs_action(const struct sigaction *action, struct sigaction *old)
{
	struct sigaction before = programs_action;

	if (action) {
		programs_action = *action;
		*set_word(&programs_action.sa_mask) &=
			~(1ULL << (SIGKILL - 1) | 1ULL << (SIGSTOP - 1));
	}
	if (old)
		*old = before;
}

static int set_action(enum preload_next which, int signal, const struct sigaction *action,
		      struct sigaction *old)
{
	int (*next)(int, const struct sigaction *, struct sigaction *) = preload_next(which);
	bool in_table = signal > 0 && (size_t)signal < sizeof(blocks_ours);
	bool blocked = in_table && blocks_ours[signal];
	struct sigaction changed;
	int rc;

	if (!preload_head)
		return next(signal, action, old);
	if (signal == PRELOAD_SIGNAL) {
		set_programs_action(action, old);
		return 0;
	}
	if (action) {
		changed = *action;
		changed.sa_mask = set_without_own(&action->sa_mask);
	}
	rc = next(signal, action ? &changed : NULL, old);
	if (rc != 0)
		return rc;
	if (old && blocked)
		*set_word(&old->sa_mask) |= SET_OWN;
	if (action && in_table)
		blocks_ours[signal] = set_has_own(&action->sa_mask);
	return 0;
}

PRELOAD_EXPORT int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
	return set_action(PRELOAD_NEXT_sigaction, signal, action, old);
}

PRELOAD_EXPORT int __sigaction(int signal, const struct sigaction *action, struct sigaction *old);
PRELOAD_EXPORT int __sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
	return set_action(PRELOAD_NEXT___sigaction, signal, action, old);
}

static sighandler_t set_handler(enum preload_next which, int flags, int signal,
				sighandler_t handler)
{
	sighandler_t (*next)(int, sighandler_t) = preload_next(which);
	sighandler_t before = programs_action.sa_handler;

	if (!preload_head || signal != PRELOAD_SIGNAL)
		return next(signal, handler);
	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	programs_action = (struct sigaction){ .sa_handler = handler, .sa_flags = flags };
	if (!(flags & SA_NODEFER))
		*set_word(&programs_action.sa_mask) = SET_OWN;
	return before;
}

/* A name, and the flags that its handlers have: signal(2). */
#define HANDLER_SETTERS(X)                        \
	X(signal, SA_RESTART)                     \
	X(bsd_signal, SA_RESTART)                 \
	X(sysv_signal, SA_RESETHAND | SA_NODEFER) \
	X(__sysv_signal, SA_RESETHAND | SA_NODEFER)
#define SETTER(name, flags)                                                             \
	PRELOAD_EXPORT sighandler_t name(int signal, sighandler_t handler);             \
	PRELOAD_EXPORT sighandler_t name(int signal, sighandler_t handler)              \
	{                                                                               \
		return set_handler(PRELOAD_NEXT_##name, (int)(flags), signal, handler); \
	}
HANDLER_SETTERS(SETTER)

/* ---- masks ---- */

/* What the thread wants after a call of sigprocmask(2). */
static bool will_block(int how, const sigset_t *set)
{
	if (set && how == SIG_SETMASK)
		return set_has_own(set);
	return set_has_own(set) ? how == SIG_BLOCK : thread_blocks_ours;
}

/* The mask that the kernel gets instead of @set: one that lets our signal come. */
static const sigset_t *real_mask(int how, const sigset_t *set, sigset_t *room)
{
	if (!set || how == SIG_UNBLOCK || preload_thread_yields())
		return set;
	*room = set_without_own(set);
	return room;
}

/* A signal that comes while our signal is being unblocked is let through. */
static int set_mask(enum preload_next which, int how, const sigset_t *set, sigset_t *old)
{
	int (*next)(int, const sigset_t *, sigset_t *) = preload_next(which);
	bool blocked = thread_blocks_ours, blocks = will_block(how, set);
	sigset_t room;
	int rc;

	if (!preload_head)
		return next(how, set, old);
	thread_blocks_ours = blocked && blocks;
	rc = next(how, real_mask(how, set, &room), old);
	if (rc != 0) {
		thread_blocks_ours = blocked;
		return rc;
	}
	thread_blocks_ours = blocks;
	if (!blocks)
		preload_thread_ends_yield();
	if (old && blocked)
		*set_word(old) |= SET_OWN;
	return 0;
}

PRELOAD_EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	return set_mask(PRELOAD_NEXT_sigprocmask, how, set, old);
}

PRELOAD_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	return set_mask(PRELOAD_NEXT_pthread_sigmask, how, set, old);
}

/* It also blocks the signal, or no longer. */
PRELOAD_EXPORT sighandler_t sigset(int signal, sighandler_t handler)
{
	sighandler_t (*next)(int, sighandler_t) = PRELOAD_NEXT(sigset);
	sighandler_t before = programs_action.sa_handler;
	bool holds = handler == SIG_HOLD;
	sigset_t set = { 0 }, old;

	if (!preload_head || signal != PRELOAD_SIGNAL)
		return next(signal, handler);
	if (!holds)
		before = set_handler(PRELOAD_NEXT_sigset, 0, signal, handler);
	*set_word(&set) = SET_OWN;
	set_mask(PRELOAD_NEXT_sigprocmask, holds ? SIG_BLOCK : SIG_UNBLOCK, &set, &old);
	return set_has_own(&old) ? SIG_HOLD : before;
}
