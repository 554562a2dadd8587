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
#include "history/notify.h"
#include "history/recorder.h"
#include "history/segments.h"
#include "history/supervisor_parts.h"

enum {
	LEAD_S = 3,	 /* the next recorder is started so long before its time, */
	CUT_MS = 1500,	 /* or so long, when someone waits for it */
	MARGIN_MS = 500, /* if it is not ready so long before, */
	DELAY_MS = 1000, /* its time comes so much later */
	SEND_AGAIN_MS = 100,
	RETRY_MS = 1000, /* after a recorder that failed */
	MOST_SLEEP_S = 60,
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
	uint64_t length_ns = (uint64_t)(supervisor->options.segment_s * NS_PER_S);
	uint64_t real_ns = clock_read(CLOCK_REALTIME) + (from_ns - clock_ns());
	uint64_t cut_ns = from_ns + length_ns - real_ns % length_ns;

	return cut_ns - from_ns < 2ULL * LEAD_S * NS_PER_S ? cut_ns + length_ns : cut_ns;
}

/* Lets the folder's group have a file of the folder, too. */
static void share(const struct supervisor *supervisor, const char *name, mode_t mode)
{
	if (supervisor->group && fchownat(supervisor->folder_fd, name, (uid_t)-1, supervisor->group,
					  AT_SYMLINK_NOFOLLOW) == 0)
		(void)!fchmodat(supervisor->folder_fd, name, mode, 0);
}

static void note_problem(struct supervisor *supervisor, const char *text)
{
	supervisor->problem_s = real_s();
	snprintf(supervisor->problem, sizeof(supervisor->problem), "%s", text);
}

static void note_failure(struct supervisor *supervisor, const char *text)
{
	supervisor->failures++;
	note_problem(supervisor, text);
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
	if (recorder_start(recorder, &supervisor->options, supervisor->folder, &err) < 0) {
		note_failure(supervisor, err.text);
		*recorder = (struct recorder){ 0 };
	}
}

static void remove_old(const struct supervisor *supervisor)
{
	const struct history_options *options = &supervisor->options;
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
	if (why) {
		note_failure(supervisor, why);
		questions_fail(supervisor, recorder);
	}
	supervisor->failed |= why && !supervisor->begun;
	sent_marks_settle(&supervisor->marks, recorder);
	sent_marks_end(&supervisor->marks, recorder->pid);
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

/* The one to which what happens now belongs. */
static struct recorder *recorder_now(struct supervisor *supervisor)
{
	struct recorder *next = &supervisor->next;

	return next->pid && clock_ns() >= next->from_ns ? next : &supervisor->current;
}

void supervisor_end_recorders(const struct supervisor *supervisor)
{
	if (supervisor->current.pid)
		kill(supervisor->current.pid, SIGTERM);
	if (supervisor->next.pid)
		kill(supervisor->next.pid, SIGTERM);
}

bool supervisor_is_quiet(const struct supervisor *supervisor)
{
	return !supervisor->current.pid && !supervisor->next.pid;
}

/* Ends the current recorder soon, and starts one that goes on. */
static void cut(struct supervisor *supervisor, uint64_t now_ns)
{
	struct recorder *current = &supervisor->current;
	struct record_order end = { .kind = RECORD_END, .time_ns = now_ns + CUT_MS * NS_PER_MS };

	supervisor->cut_wanted = false;
	if (end.time_ns < current->to_ns && recorder_tell(current, &end))
		current->to_ns = end.time_ns;
	start_recorder(supervisor, &supervisor->next, current->to_ns);
	if (supervisor->cut_ns)
		supervisor->cut_ns = current->to_ns;
}

/* Puts the cut off while the next recorder is not ready. Returns when to look again. */
static uint64_t keep_cut(struct supervisor *supervisor, uint64_t now_ns)
{
	struct recorder *current = &supervisor->current, *next = &supervisor->next;
	struct record_order end = { .kind = RECORD_END }, begin = { .kind = RECORD_BEGIN };

	if (!current->pid || next->state.ready || now_ns >= next->from_ns)
		return UINT64_MAX;
	if (now_ns < next->from_ns - MARGIN_MS * NS_PER_MS)
		return next->from_ns - MARGIN_MS * NS_PER_MS;
	end.time_ns = begin.time_ns = next->from_ns + DELAY_MS * NS_PER_MS;
	if (recorder_tell(next, &begin) && recorder_tell(current, &end)) {
		if (supervisor->cut_ns)
			supervisor->cut_ns = end.time_ns;
		current->to_ns = next->from_ns = end.time_ns;
	}
	return next->from_ns - MARGIN_MS * NS_PER_MS;
}

/* Starts what should run now. Returns when to look again. */
static uint64_t keep_recording(struct supervisor *supervisor)
{
	uint64_t now_ns = clock_ns(), lead_ns;

	if (supervisor->paused || supervisor->stopping)
		return UINT64_MAX;
	if (now_ns < supervisor->retry_ns)
		return supervisor->retry_ns;
	if (!supervisor->current.pid) {
		supervisor->cut_wanted = false;
		start_recorder(supervisor, &supervisor->current, now_ns);
	}
	if (supervisor->cut_wanted && supervisor->current.state.ready && !supervisor->next.pid)
		cut(supervisor, now_ns);
	lead_ns = supervisor->current.to_ns - LEAD_S * NS_PER_S;
	if (supervisor->current.pid && !supervisor->next.pid && now_ns < lead_ns)
		return lead_ns;
	if (supervisor->current.pid && !supervisor->next.pid)
		start_recorder(supervisor, &supervisor->next, supervisor->current.to_ns);
	return supervisor->next.pid ? keep_cut(supervisor, now_ns) : UINT64_MAX;
}

/* ---- the loop ---- */

static void read_signals(struct supervisor *supervisor)
{
	struct signalfd_siginfo info;

	while (read(supervisor->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		struct err err;

		if (info.ssi_signo == SIGCHLD) {
			reap(supervisor);
		} else if (info.ssi_signo == SIGHUP) {
			if (questions_reread(supervisor, &err) < 0)
				note_problem(supervisor, err.text);
		} else {
			supervisor->stopping = true;
			supervisor_end_recorders(supervisor);
		}
	}
}

static struct pollfd poll_of(const struct recorder *recorder, bool listens)
{
	return (struct pollfd){ .fd = recorder->pid && listens ? recorder->talk : -1,
				.events = POLLIN };
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void wait_for_work(const struct supervisor *supervisor, uint64_t until_ns)
{
	struct pollfd polls[CONTROL_POLLS + 4];
	/* Otherwise what recorders say can wait until it is asked for. */
	bool listens = !supervisor->begun || supervisor->cut_wanted || supervisor->cut_ns ||
		       supervisor->flush_ns;
	uint64_t now_ns = clock_ns(), most_ns = now_ns + MOST_SLEEP_S * NS_PER_S;
	struct timespec timeout;

	until_ns = until_ns < most_ns ? until_ns : most_ns;
	until_ns = until_ns > now_ns ? until_ns - now_ns : 0;
	timeout = (struct timespec){ (time_t)(until_ns / NS_PER_S), (long)(until_ns % NS_PER_S) };
	control_poll(supervisor->control, polls);
	polls[CONTROL_POLLS] = (struct pollfd){ .fd = supervisor->signal_fd, .events = POLLIN };
	polls[CONTROL_POLLS + 1] = poll_of(&supervisor->current, listens);
	polls[CONTROL_POLLS + 2] = poll_of(&supervisor->next, listens);
	polls[CONTROL_POLLS + 3] = (struct pollfd){ .fd = supervisor->step.fd, .events = POLLIN };
	ppoll(polls, CONTROL_POLLS + 4, &timeout, NULL);
}

static void tell_started(struct supervisor *supervisor, const char *why)
{
	if (!supervisor->begun && !*why)
		notify("READY=1");
	supervisor->begun |= !*why;
	if (supervisor->started < 0)
		return;
	(void)!write(supervisor->started, why, strlen(why));
	close(supervisor->started);
	supervisor->started = -1;
}

static void hear(struct supervisor *supervisor, struct recorder *recorder)
{
	bool was_ready = recorder->state.ready;

	if (!recorder->pid)
		return;
	recorder_hear(recorder);
	if (recorder->state.ready && !was_ready)
		share(supervisor, recorder->name, 0640);
	sent_marks_settle(&supervisor->marks, recorder);
}

static void run(struct supervisor *supervisor)
{
	bool unsent = false;

	while (!supervisor->failed && !(supervisor->stopping && supervisor_is_quiet(supervisor))) {
		uint64_t until_ns = keep_recording(supervisor);

		if (supervisor->cut_ns > clock_ns())
			until_ns = least(until_ns, supervisor->cut_ns);
		if (unsent)
			until_ns = least(until_ns, clock_ns() + SEND_AGAIN_MS * NS_PER_MS);
		wait_for_work(supervisor, until_ns);
		read_signals(supervisor);
		/* Its profile would place samples by the clock as it was. */
		supervisor->cut_wanted |= clock_step_look(&supervisor->step);
		hear(supervisor, &supervisor->current);
		hear(supervisor, &supervisor->next);
		if (supervisor->current.state.ready)
			tell_started(supervisor, "");
		control_serve(supervisor->control, clock_ns(), questions_take, supervisor);
		unsent = !sent_marks_send(&supervisor->marks, recorder_now(supervisor));
		questions_answer(supervisor);
	}
}

/* ---- start and end ---- */

static int open_folder(struct supervisor *supervisor, struct err *err)
{
	const char *folder = supervisor->folder;
	struct stat st;
	int rc;

	supervisor->folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (supervisor->folder_fd < 0)
		return err_set(err, -errno, "%s: %s", folder, strerror(errno));
	if (geteuid() == 0 && fstat(supervisor->folder_fd, &st) == 0 && st.st_uid == 0 &&
	    (st.st_mode & S_IRWXG) == (S_IRGRP | S_IXGRP))
		supervisor->group = st.st_gid;
	supervisor->lock_fd = openat(supervisor->folder_fd, "lock",
				     O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (supervisor->lock_fd < 0)
		return err_set(err, -errno, "%s/lock: %s", folder, strerror(errno));
	if (flock(supervisor->lock_fd, LOCK_EX | LOCK_NB) < 0)
		return err_set(err, -EALREADY, "%s is being recorded into: see 'prospect status'",
			       folder);
	rc = control_open(folder, &supervisor->control, err);
	if (rc == 0)
		share(supervisor, "control", 0660);
	return rc;
}

static int take_signals(struct supervisor *supervisor, struct err *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	supervisor->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return supervisor->signal_fd < 0
		       ? err_set(err, -errno, "cannot watch for signals: %s", strerror(errno))
		       : 0;
}

int supervisor_run(const struct history_options *options, const char *folder, int started,
		   struct err *err)
{
	struct supervisor supervisor = { .options = *options,
					 .folder = folder,
					 .folder_fd = -1,
					 .lock_fd = -1,
					 .signal_fd = -1,
					 .step.fd = -1,
					 .started = started,
					 .begun = started < 0 && !options->foreground,
					 .since_s = real_s() };
	int rc = open_folder(&supervisor, err);

	if (rc == 0)
		rc = take_signals(&supervisor, err);
	if (rc == 0) {
		clock_step_open(&supervisor.step);
		run(&supervisor);
		if (supervisor.failed)
			rc = err_set(err, -EIO, "%s", supervisor.problem);
		/* Who waits for the end may start another at once. */
		unlinkat(supervisor.folder_fd, "control", 0);
		close(steal_fd(supervisor.lock_fd));
		control_answer(supervisor.control, NULL, "ok\n");
	}
	tell_started(&supervisor, rc < 0 ? err->text : "");
	vec_free(&supervisor.marks.list);
	control_close(supervisor.control);
	clock_step_close(&supervisor.step);
	if (supervisor.signal_fd >= 0)
		close(supervisor.signal_fd);
	if (supervisor.lock_fd >= 0)
		close(supervisor.lock_fd);
	if (supervisor.folder_fd >= 0)
		close(supervisor.folder_fd);
	return rc;
}
