/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waiting for signals: for all that the program asks for but ours, so that no timer ends a wait.
 *
 * A program may block the signal in order to wait for it, or so that another thread handles it. When one comes that
 * is not ours to a thread that wants it to be blocked, the thread yields: from then on its mask is what the program
 * says, and the signal is sent again. Waits then are for our signal as well, and pass over what timers have sent. A
 * descriptor cannot: if the program has one for the signal, the library retires.
 */
#include <errno.h>
#include <signal.h>
#include <ucontext.h>

#include "preload/preload.h"
#include "preload/signal_sets.h"

static uint32_t yielded; /* one of the threads has, at some time */
static __thread bool thread_yields __attribute__((tls_model("initial-exec")));

/* Descriptors of signalfd(2) that were to have ours. */
static struct descriptor {
	uint32_t used; /* the number + 1; 0: none */
	uint64_t set;
} descriptors[64];

static bool has_yielded(void)
{
	return __atomic_load_n(&yielded, __ATOMIC_ACQUIRE);
}

bool preload_thread_yields(void)
{
	return thread_yields;
}

void preload_thread_ends_yield(void)
{
	thread_yields = false;
}

/* ---- yielding; in the signal handler ---- */

/* As the program had asked. Of a number that is something else by now, the kernel knows it. */
static void complete_descriptors(void)
{
	for (size_t i = 0; i < sizeof(descriptors) / sizeof(descriptors[0]); i++) {
		uint32_t used = __atomic_load_n(&descriptors[i].used, __ATOMIC_ACQUIRE);

		if (!used)
			continue;
		preload_retire(PRELOAD_REFUSAL_SIGNAL);
		RAW(signalfd4, used - 1, &descriptors[i].set, sizeof(uint64_t), 0);
	}
}

/* To the thread or the process that it was for. The kernel lets only the first thread say that a signal came
 * from kill(2). */
static void send_again(siginfo_t *info)
{
	long pid = RAW(getpid), tid = RAW(gettid);

	if (info->si_code == SI_TKILL) {
		RAW(rt_tgsigqueueinfo, pid, tid, PRELOAD_SIGNAL, info);
	} else if (RAW(rt_sigqueueinfo, pid, PRELOAD_SIGNAL, info) < 0) {
		info->si_code = SI_QUEUE;
		RAW(rt_sigqueueinfo, pid, PRELOAD_SIGNAL, info);
	}
}

void preload_yield(void *info, void *context)
{
	ucontext_t *interrupted = context;

	thread_yields = true;
	if (!__atomic_exchange_n(&yielded, 1, __ATOMIC_ACQ_REL))
		complete_descriptors();
	*set_word(&interrupted->uc_sigmask) |= SET_OWN;
	send_again(info);
}

/* ---- sigwait(3), sigwaitinfo(2) ---- */

static sigset_t waited_for(const sigset_t *set)
{
	return has_yielded() ? *set : set_without_own(set);
}

/* If a thread yields meanwhile, it waits for the rest as well. */
static int wait_for(const sigset_t *set, siginfo_t *ret_info, const struct timespec *timeout)
{
	int (*next)(const sigset_t *, siginfo_t *, const struct timespec *) =
		PRELOAD_NEXT(sigtimedwait);
	siginfo_t info;
	bool again;
	int rc;

	do {
		bool whole = has_yielded() || !set_has_own(set);
		sigset_t now = waited_for(set);

		rc = next(&now, &info, timeout);
		again = rc < 0 ? errno == EINTR && !whole && has_yielded()
			       : rc == PRELOAD_SIGNAL && preload_is_timers(&info);
	} while (again);
	if (rc >= 0 && ret_info)
		*ret_info = info;
	return rc;
}

PRELOAD_EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info,
				const struct timespec *timeout)
{
	int (*next)(const sigset_t *, siginfo_t *, const struct timespec *) =
		PRELOAD_NEXT(sigtimedwait);

	return preload_head ? wait_for(set, info, timeout) : next(set, info, timeout);
}

PRELOAD_EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	int (*next)(const sigset_t *, siginfo_t *) = PRELOAD_NEXT(sigwaitinfo);

	return preload_head ? wait_for(set, info, NULL) : next(set, info);
}

/* It is never interrupted, and leaves errno alone. */
PRELOAD_EXPORT int sigwait(const sigset_t *set, int *ret_signal)
{
	int (*next)(const sigset_t *, int *) = PRELOAD_NEXT(sigwait);
	int before, rc, reason;

	if (!preload_head || !set_has_own(set))
		return next(set, ret_signal);
	before = errno;
	do {
		rc = wait_for(set, NULL, NULL);
		reason = errno;
	} while (rc < 0 && reason == EINTR);
	errno = before;
	if (rc < 0)
		return reason;
	*ret_signal = rc;
	return 0;
}

/* ---- signalfd(2) ---- */

static struct descriptor *find_descriptor(uint32_t used)
{
	for (size_t i = 0; i < sizeof(descriptors) / sizeof(descriptors[0]); i++) {
		if (__atomic_load_n(&descriptors[i].used, __ATOMIC_ACQUIRE) == used)
			return &descriptors[i];
	}
	return NULL;
}

/* Two threads may take the same row: then one of the descriptors lacks our signal, if the program waits for it. */
static void note_descriptor(int fd, const sigset_t *set)
{
	struct descriptor *row = find_descriptor((uint32_t)fd + 1);

	if (!row && set_has_own(set))
		row = find_descriptor(0);
	if (!row)
		return;
	row->set = *(const uint64_t *)(const void *)set;
	__atomic_store_n(&row->used, set_has_own(set) ? (uint32_t)fd + 1 : 0, __ATOMIC_RELEASE);
}

PRELOAD_EXPORT int signalfd(int fd, const sigset_t *set, int flags);
PRELOAD_EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	int (*next)(int, const sigset_t *, int) = PRELOAD_NEXT(signalfd);
	sigset_t now;
	int rc;

	if (!preload_head)
		return next(fd, set, flags);
	if (has_yielded() && set_has_own(set))
		preload_retire(PRELOAD_REFUSAL_SIGNAL);
	now = waited_for(set);
	rc = next(fd, &now, flags);
	if (rc >= 0)
		note_descriptor(rc, set);
	return rc;
}
