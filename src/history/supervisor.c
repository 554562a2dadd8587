/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "history/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "history/control.h"
#include "history/history.h"
#include "history/recorder.h"
#include "history/segments.h"

enum {
	LEAD_S = 3,	 /* the next recorder is started so long before its time */
	RETRY_MS = 1000, /* after a recorder that failed */
	MOST_SLEEP_S = 60,
};

struct supervisor {
	const struct history_options *options;
	const char *folder;
	int folder_fd, lock_fd, signal_fd, started;
	struct control *control;
	struct recorder current, next;
	uint64_t since_s;	/* since 1970 */
	uint64_t retry_ns;	/* no recorder is started before */
	uint64_t samples, lost; /* of recorders that have ended */
	uint64_t failures;
	char problem[600]; /* of the last one that failed; "" */
	uint64_t problem_s;
	bool paused, stopping;
	bool failed; /* the first recorder did: there is nothing to supervise */
};

static uint64_t real_s(void)
{
	return clock_read(CLOCK_REALTIME) / NS_PER_S;
}

/* ---- recorders ---- */

/* The first multiple of a segment's length after @from_ns, by the real time of now; a piece that
 * would be shorter than the lead is added to the next one. */
static uint64_t cut_after(const struct supervisor *supervisor, uint64_t from_ns)
{
	uint64_t length_ns = (uint64_t)(supervisor->options->segment_s * NS_PER_S);
	uint64_t real_ns = clock_read(CLOCK_REALTIME) + (from_ns - clock_ns());
	uint64_t cut_ns = from_ns + length_ns - real_ns % length_ns;

	return cut_ns - from_ns < 2ULL * LEAD_S * NS_PER_S ? cut_ns + length_ns : cut_ns;
}

static void note_problem(struct supervisor *supervisor, const char *text)
{
	supervisor->failures++;
	supervisor->problem_s = real_s();
	snprintf(supervisor->problem, sizeof(supervisor->problem), "%s", text);
	supervisor->retry_ns = clock_ns() + RETRY_MS * NS_PER_MS;
}

static void start_recorder(struct supervisor *supervisor, struct recorder *recorder,
			   uint64_t from_ns)
{
	uint64_t now_ns = clock_ns();
	struct err err;

	*recorder =
		(struct recorder){ .from_ns = from_ns, .to_ns = cut_after(supervisor, from_ns) };
	segment_name(supervisor->folder_fd, real_s() + (from_ns - now_ns + NS_PER_S / 2) / NS_PER_S,
		     recorder->name);
	if (recorder_start(recorder, supervisor->options, supervisor->folder, &err) < 0) {
		note_problem(supervisor, err.text);
		*recorder = (struct recorder){ 0 };
	}
}

static void remove_old(const struct supervisor *supervisor)
{
	const struct history_options *options = supervisor->options;
	uint64_t now_s = real_s(), keep_s = (uint64_t)options->keep_s;
	struct segments segments;

	if (segments_read(supervisor->folder_fd, &segments) == 0)
		segments_prune(supervisor->folder_fd, &segments,
			       keep_s && keep_s < now_s ? now_s - keep_s : 0,
			       (uint64_t)options->max_bytes,
			       segment_start(supervisor->current.pid ? supervisor->current.name
								     : supervisor->next.name));
	vec_free(&segments.list);
}

/* Why a recorder that was not asked to end has ended; NULL: its time was over. */
static const char *why_ended(const struct supervisor *supervisor, const struct recorder *recorder,
			     int status, char *text, size_t size)
{
	if (supervisor->paused || supervisor->stopping)
		return NULL;
	if (WIFSIGNALED(status))
		snprintf(text, size, "the recorder of %s was killed by signal %d (%s)",
			 recorder->name, WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		snprintf(text, size, "%s",
			 recorder->state.error[0] ? recorder->state.error : "the recorder failed");
	else if (clock_ns() < recorder->to_ns)
		snprintf(text, size, "the recorder of %s was stopped by another process",
			 recorder->name);
	else
		return NULL;
	return text;
}

static void take_end(struct supervisor *supervisor, struct recorder *recorder, int status)
{
	char text[sizeof(supervisor->problem)];
	const char *why;

	recorder_hear(recorder);
	why = why_ended(supervisor, recorder, status, text, sizeof(text));
	supervisor->samples += recorder->state.samples;
	supervisor->lost += recorder->state.lost;
	if (why)
		note_problem(supervisor, why);
	supervisor->failed |= why && supervisor->started >= 0;
	recorder_done(recorder);
	if (recorder == &supervisor->current) {
		supervisor->current = supervisor->next;
		supervisor->next = (struct recorder){ 0 };
	}
	remove_old(supervisor);
}

static void reap(struct supervisor *supervisor)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == supervisor->current.pid)
			take_end(supervisor, &supervisor->current, status);
		else if (pid == supervisor->next.pid)
			take_end(supervisor, &supervisor->next, status);
	}
}

static void end_recorders(const struct supervisor *supervisor)
{
	if (supervisor->current.pid)
		kill(supervisor->current.pid, SIGTERM);
	if (supervisor->next.pid)
		kill(supervisor->next.pid, SIGTERM);
}

/* Starts what should run now. Returns when to look again. */
static uint64_t keep_recording(struct supervisor *supervisor)
{
	uint64_t now_ns = clock_ns(), lead_ns;

	if (supervisor->paused || supervisor->stopping)
		return UINT64_MAX;
	if (now_ns < supervisor->retry_ns)
		return supervisor->retry_ns;
	if (!supervisor->current.pid)
		start_recorder(supervisor, &supervisor->current, now_ns);
	lead_ns = supervisor->current.to_ns - LEAD_S * NS_PER_S;
	if (!supervisor->current.pid || supervisor->next.pid)
		return UINT64_MAX;
	if (now_ns < lead_ns)
		return lead_ns;
	start_recorder(supervisor, &supervisor->next, supervisor->current.to_ns);
	return UINT64_MAX;
}

/* ---- what clients ask ---- */

static double cpu_s(const struct supervisor *supervisor)
{
	const struct recorder *both[] = { &supervisor->current, &supervisor->next };
	struct rusage own, children;
	double sum;

	getrusage(RUSAGE_SELF, &own);
	getrusage(RUSAGE_CHILDREN, &children);
	sum = (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec + children.ru_utime.tv_sec +
		       children.ru_stime.tv_sec) +
	      (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec + children.ru_utime.tv_usec +
		       children.ru_stime.tv_usec) /
		      1e6;
	for (size_t i = 0; i < 2; i++) {
		clockid_t clock;

		if (both[i]->pid && clock_getcpuclockid(both[i]->pid, &clock) == 0)
			sum += (double)clock_read(clock) / NS_PER_S;
	}
	return sum;
}

static void add_status(const struct supervisor *supervisor, struct buf *text)
{
	const struct recorder *current = &supervisor->current;

	buf_printf(text, "pid %d\nsince %" PRIu64 "\nrate_hz %g\n", getpid(), supervisor->since_s,
		   supervisor->options->rate_hz);
	buf_printf(text, "state %s\n",
		   supervisor->paused			  ? "paused"
		   : current->pid && current->state.ready ? "recording"
							  : "starting");
	if (current->pid)
		buf_printf(text, "segment %s\n", current->name);
	buf_printf(text, "samples %" PRIu64 "\nlost %" PRIu64 "\n",
		   supervisor->samples + current->state.samples,
		   supervisor->lost + current->state.lost);
	buf_printf(text, "cpu_s %.3f\nfailures %" PRIu64 "\n", cpu_s(supervisor),
		   supervisor->failures);
	if (supervisor->problem[0])
		buf_printf(text, "problem_at %" PRIu64 "\nproblem %s\n", supervisor->problem_s,
			   supervisor->problem);
}

/* An answer that stays empty is given when no recorder runs any more. */
static void take_question(void *context, const char *verb, bool owner, struct buf *answer)
{
	struct supervisor *supervisor = context;

	if (strcmp(verb, "status") == 0) {
		buf_add_str(answer, "ok\n");
		add_status(supervisor, answer);
	} else if (!owner) {
		buf_add_str(answer, "error\nonly root and the user who started it may do that");
	} else if (strcmp(verb, "stop") == 0) {
		supervisor->stopping = true;
		end_recorders(supervisor);
	} else if (strcmp(verb, "pause") == 0) {
		supervisor->paused = true;
		end_recorders(supervisor);
	} else if (strcmp(verb, "resume") == 0) {
		supervisor->paused = false;
		buf_add_str(answer, "ok\n");
	} else {
		buf_add_str(answer, "error\nthe supervisor does not know this: it is of another "
				    "version of prospect");
	}
}

/* ---- the loop ---- */

static void read_signals(struct supervisor *supervisor)
{
	struct signalfd_siginfo info;

	while (read(supervisor->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			reap(supervisor);
		} else {
			supervisor->stopping = true;
			end_recorders(supervisor);
		}
	}
}

static void wait_for_work(const struct supervisor *supervisor, uint64_t until_ns)
{
	struct pollfd polls[CONTROL_POLLS + 3];
	uint64_t now_ns = clock_ns(), most_ns = now_ns + MOST_SLEEP_S * NS_PER_S;
	struct timespec timeout;

	until_ns = until_ns < most_ns ? until_ns : most_ns;
	until_ns = until_ns > now_ns ? until_ns - now_ns : 0;
	timeout = (struct timespec){ (time_t)(until_ns / NS_PER_S), (long)(until_ns % NS_PER_S) };
	control_poll(supervisor->control, polls);
	polls[CONTROL_POLLS] = (struct pollfd){ .fd = supervisor->signal_fd, .events = POLLIN };
	/* After the start, what recorders say can wait until it is asked for. */
	polls[CONTROL_POLLS + 1] = (struct pollfd){
		.fd = supervisor->started >= 0 && supervisor->current.pid ? supervisor->current.said
									  : -1,
		.events = POLLIN,
	};
	ppoll(polls, CONTROL_POLLS + 2, &timeout, NULL);
}

static void tell_started(struct supervisor *supervisor, const char *why)
{
	if (supervisor->started < 0)
		return;
	(void)!write(supervisor->started, why, strlen(why));
	close(supervisor->started);
	supervisor->started = -1;
}

static void run(struct supervisor *supervisor)
{
	while (!supervisor->failed &&
	       !(supervisor->stopping && !supervisor->current.pid && !supervisor->next.pid)) {
		uint64_t until_ns = keep_recording(supervisor);

		wait_for_work(supervisor, until_ns);
		read_signals(supervisor);
		if (supervisor->current.pid)
			recorder_hear(&supervisor->current);
		if (supervisor->current.state.ready)
			tell_started(supervisor, "");
		control_serve(supervisor->control, clock_ns(), take_question, supervisor);
		if (supervisor->paused && !supervisor->current.pid && !supervisor->next.pid)
			control_answer(supervisor->control, "ok\n");
	}
}

/* ---- start and end ---- */

static int open_folder(struct supervisor *supervisor, struct err *err)
{
	const char *folder = supervisor->folder;

	supervisor->folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (supervisor->folder_fd < 0)
		return err_set(err, -errno, "%s: %s", folder, strerror(errno));
	supervisor->lock_fd = openat(supervisor->folder_fd, "lock",
				     O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (supervisor->lock_fd < 0)
		return err_set(err, -errno, "%s/lock: %s", folder, strerror(errno));
	if (flock(supervisor->lock_fd, LOCK_EX | LOCK_NB) < 0)
		return err_set(err, -EALREADY, "%s is being recorded into: see 'prospect status'",
			       folder);
	return control_open(folder, &supervisor->control, err);
}

static int take_signals(struct supervisor *supervisor, struct err *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGHUP, SIG_IGN);
	supervisor->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return supervisor->signal_fd < 0
		       ? err_set(err, -errno, "cannot watch for signals: %s", strerror(errno))
		       : 0;
}

int supervisor_run(const struct history_options *options, const char *folder, int started,
		   struct err *err)
{
	struct supervisor supervisor = { .options = options,
					 .folder = folder,
					 .folder_fd = -1,
					 .lock_fd = -1,
					 .signal_fd = -1,
					 .started = started,
					 .since_s = real_s() };
	int rc = open_folder(&supervisor, err);

	if (rc == 0)
		rc = take_signals(&supervisor, err);
	if (rc == 0) {
		run(&supervisor);
		if (supervisor.failed)
			rc = err_set(err, -EIO, "%s", supervisor.problem);
		control_answer(supervisor.control, "ok\n");
		unlinkat(supervisor.folder_fd, "control", 0);
	}
	tell_started(&supervisor, rc < 0 ? err->text : "");
	control_close(supervisor.control);
	if (supervisor.signal_fd >= 0)
		close(supervisor.signal_fd);
	if (supervisor.lock_fd >= 0)
		close(supervisor.lock_fd);
	if (supervisor.folder_fd >= 0)
		close(supervisor.folder_fd);
	return rc;
}
