/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "history/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "history/history.h"
#include "record/record.h"

enum {
	TALK = 3, /* the recorder's only open file besides the standard ones */
	FLUSH_CS = 1000,
	MAX_DEPTH = 512,
	NICE = -15,
};

/* ---- in the recorder ---- */

/* The supervisor may be gone. */
static void say(const struct recorder_state *state)
{
	(void)!send(TALK, state, sizeof(*state), MSG_NOSIGNAL);
}

static void say_progress(void *context, double elapsed_s, uint64_t samples, uint64_t lost)
{
	struct recorder_state *state = context;

	(void)elapsed_s;
	state->ready = true;
	state->samples = samples;
	state->lost = lost;
	say(state);
}

static bool next_order(void *context, struct record_order *ret_order)
{
	ssize_t got = recv(TALK, ret_order, sizeof(*ret_order), 0);

	(void)context;
	ret_order->text[MARK_MAX_BYTES] = '\0';
	return got == (ssize_t)sizeof(*ret_order);
}

static void say_flushed(void *context, const struct record_flushed *flushed)
{
	struct recorder_state *state = context;

	state->flushes++;
	if (!flushed->reason) {
		state->flushed_ns = flushed->until_ns;
		state->marks = flushed->marks;
	}
	snprintf(state->error, sizeof(state->error), "%s", flushed->reason ? flushed->reason : "");
	say(state);
}

static int record(const struct recorder *recorder, const struct history_options *options,
		  const char *folder)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", folder, recorder->name);
	struct recorder_state state = { .ready = false };
	const struct record_orders orders = {
		.fd = TALK, .next = next_order, .flushed = say_flushed, .context = &state
	};
	const struct record_options record = { .machine_only = true,
					       .rate_hz = options->rate_hz,
					       .off_cpu = options->off_cpu,
					       .stacks = "full",
					       .max_depth = MAX_DEPTH,
					       .flush_cs = FLUSH_CS,
					       .output = path,
					       .from_ns = recorder->from_ns,
					       .to_ns = recorder->to_ns,
					       .rests = true,
					       .orders = &orders,
					       .progress = say_progress,
					       .progress_context = &state };
	struct record_result result;
	struct err err;
	int rc;

	/* To be ready in time on a busy machine, too. */
	(void)setpriority(PRIO_PROCESS, 0, NICE);
	rc = record_run(&record, &result, &err);

	if (rc == 0)
		return 0;
	snprintf(state.error, sizeof(state.error), "%s", err.text);
	say(&state);
	return 1;
}

/* Nothing of the supervisor's is left open: its socket and its other recorders are not ours. */
static void become_recorder(int talk, pid_t supervisor)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (talk != TALK && dup2(talk, TALK) < 0)
		_exit(1);
	fcntl(TALK, F_SETFD, FD_CLOEXEC);
	syscall(SYS_close_range, TALK + 1, ~0U, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != supervisor)
		_exit(1);
}

/* ---- in the supervisor ---- */

int recorder_start(struct recorder *recorder, const struct history_options *options,
		   const char *folder, struct err *err)
{
	pid_t supervisor = getpid(), pid;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) < 0)
		return err_set(err, -errno, "cannot make a socket: %s", strerror(errno));
	pid = fork();
	if (pid == 0) {
		become_recorder(ends[1], supervisor);
		_exit(record(recorder, options, folder));
	}
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return err_set(err, -errno, "cannot start a recorder: %s", strerror(errno));
	}
	recorder->pid = pid;
	recorder->talk = ends[0];
	return 0;
}

bool recorder_tell(const struct recorder *recorder, const struct record_order *order)
{
	return recorder->pid &&
	       send(recorder->talk, order, sizeof(*order), MSG_NOSIGNAL) == (ssize_t)sizeof(*order);
}

void recorder_hear(struct recorder *recorder)
{
	struct recorder_state state;

	while (recv(recorder->talk, &state, sizeof(state), 0) == (ssize_t)sizeof(state)) {
		state.error[sizeof(state.error) - 1] = '\0';
		recorder->state = state;
	}
}

void recorder_done(struct recorder *recorder)
{
	if (recorder->pid)
		close(recorder->talk);
	*recorder = (struct recorder){ 0 };
}
