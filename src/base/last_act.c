/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/last_act.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

struct last_act {
	void (*act)(void *context);
	void *context;
	sigset_t awaited, before; /* blocked meanwhile; the mask before */
	int signals, cancelled;	  /* signalfd, eventfd; owned */
	bool begun;
	pthread_t thread; /* if begun */
};

static void await_those_of_nobody(struct last_act *last)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action;

	sigemptyset(&last->awaited);
	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		if (sigaction(ending[i], NULL, &action) == 0 && action.sa_handler == SIG_DFL &&
		    !sigismember(&last->before, ending[i]))
			sigaddset(&last->awaited, ending[i]);
}

/* A caller that cancels while @act runs waits until the process ends. */
static void *wait_and_act(void *context)
{
	const struct last_act *last = context;
	struct pollfd places[] = { { last->cancelled, POLLIN, 0 }, { last->signals, POLLIN, 0 } };
	struct signalfd_siginfo info;

	while (poll(places, 2, -1) < 0)
		if (errno != EINTR)
			return NULL;
	if (places[0].revents || read(last->signals, &info, sizeof(info)) != sizeof(info))
		return NULL;
	last->act(last->context);
	pthread_sigmask(SIG_UNBLOCK, &last->awaited, NULL);
	raise((int)info.ssi_signo);
	return NULL;
}

static void last_act_free(struct last_act *last)
{
	pthread_sigmask(SIG_SETMASK, &last->before, NULL);
	cleanup_closep(&last->signals);
	cleanup_closep(&last->cancelled);
	free(last);
}

struct last_act *last_act_new(void)
{
	struct last_act *last = xcalloc(1, sizeof(*last));

	pthread_sigmask(SIG_SETMASK, NULL, &last->before);
	await_those_of_nobody(last);
	last->cancelled = eventfd(0, EFD_CLOEXEC);
	last->signals = signalfd(-1, &last->awaited, SFD_CLOEXEC);
	pthread_sigmask(SIG_BLOCK, &last->awaited, NULL);
	return last;
}

void last_act_begin(struct last_act *last, void (*act)(void *context), void *context)
{
	last->act = act;
	last->context = context;
	last->begun = last->cancelled >= 0 && last->signals >= 0 &&
		      pthread_create(&last->thread, NULL, wait_and_act, last) == 0;
	if (!last->begun)
		pthread_sigmask(SIG_SETMASK, &last->before, NULL);
}

void last_act_cancel(struct last_act *last)
{
	if (!last)
		return;
	/* The write fails only if the counter is full, which it is not. */
	if (last->begun && eventfd_write(last->cancelled, 1) == 0)
		pthread_join(last->thread, NULL);
	last_act_free(last);
}
