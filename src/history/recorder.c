/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "history/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "history/history.h"
#include "record/record.h"

enum {
	SAY = 3, /* the recorder's only open file besides the standard ones */
	FLUSH_CS = 1000,
	MAX_DEPTH = 512,
};

static void say(const struct recorder_state *state)
{
	/* Smaller than PIPE_BUF: all of it or nothing. The supervisor may be gone. */
	(void)!write(SAY, state, sizeof(*state));
}

static void say_progress(void *context, double elapsed_s, uint64_t samples, uint64_t lost)
{
	struct recorder_state *state = context;

	(void)elapsed_s;
	*state = (struct recorder_state){ .ready = true, .samples = samples, .lost = lost };
	say(state);
}

static int record(const struct recorder *recorder, const struct history_options *options,
		  const char *folder)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", folder, recorder->name);
	struct recorder_state state = { .ready = false };
	const struct record_options record = { .machine_only = true,
					       .rate_hz = options->rate_hz,
					       .stacks = "full",
					       .max_depth = MAX_DEPTH,
					       .flush_cs = FLUSH_CS,
					       .output = path,
					       .from_ns = recorder->from_ns,
					       .to_ns = recorder->to_ns,
					       .progress = say_progress,
					       .progress_context = &state };
	struct record_result result;
	struct err err;
	int rc = record_run(&record, &result, &err);

	if (rc == 0)
		return 0;
	snprintf(state.error, sizeof(state.error), "%s", err.text);
	say(&state);
	return 1;
}

/* Nothing of the supervisor's is left open: its socket and its other recorders are not ours. */
static void become_recorder(int said, pid_t supervisor)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (said != SAY && dup2(said, SAY) < 0)
		_exit(1);
	fcntl(SAY, F_SETFD, FD_CLOEXEC);
	syscall(SYS_close_range, SAY + 1, ~0U, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != supervisor)
		_exit(1);
}

int recorder_start(struct recorder *recorder, const struct history_options *options,
		   const char *folder, struct err *err)
{
	pid_t supervisor = getpid(), pid;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return err_set(err, -errno, "cannot make a pipe: %s", strerror(errno));
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
	recorder->said = ends[0];
	return 0;
}

void recorder_hear(struct recorder *recorder)
{
	struct recorder_state state;

	while (read(recorder->said, &state, sizeof(state)) == (ssize_t)sizeof(state)) {
		state.error[sizeof(state.error) - 1] = '\0';
		recorder->state = state;
	}
}

void recorder_done(struct recorder *recorder)
{
	if (recorder->pid)
		close(recorder->said);
	*recorder = (struct recorder){ 0 };
}
