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
#include "history/sent_marks.h"

enum {
	LEAD_S = 3,	 /* the next recorder is started so long before its time, */
	CUT_MS = 1500,	 /* or so long, when someone waits for it */
	MARGIN_MS = 500, /* if it is not ready so long before, */
	DELAY_MS = 1000, /* its time comes so much later */
	SEND_AGAIN_MS = 100,
	RETRY_MS = 1000, /* after a recorder that failed */
	MOST_SLEEP_S = 60,
};

struct supervisor {
	struct history_options options;
	const char *folder;
	int folder_fd, lock_fd, signal_fd, started;
	gid_t group; /* of the folder, if root shares it with one; else 0 */
	struct control *control;
	struct recorder current, next;
	struct sent_marks marks;
	bool cut_wanted;   /* as soon as a recorder can be followed by another */
	uint64_t cut_ns;   /* who asked for it waits for a recorder of this time; 0: no one does */
	uint64_t flush_ns; /* samples before are awaited in the files; 0: none are */
	uint64_t since_s;  /* since 1970 */
	uint64_t retry_ns; /* no recorder is started before */
	uint64_t samples, lost; /* of recorders that have ended */
	uint64_t failures;
	char problem[600]; /* of the last one that failed; "" */
	uint64_t problem_s;
	bool paused, stopping;
	bool begun;  /* the first recorder of all was at work */
	bool failed; /* it could not: there is nothing to supervise */
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
	if (why)
		note_failure(supervisor, why);
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

static void end_recorders(const struct supervisor *supervisor)
{
	if (supervisor->current.pid)
		kill(supervisor->current.pid, SIGTERM);
	if (supervisor->next.pid)
		kill(supervisor->next.pid, SIGTERM);
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
		   supervisor->options.rate_hz);
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

static void take_status(struct supervisor *supervisor, const char *rest, struct buf *answer)
{
	(void)rest;
	buf_add_str(answer, "ok\n");
	add_status(supervisor, answer);
}

static void take_stop(struct supervisor *supervisor, const char *rest, struct buf *answer)
{
	(void)rest;
	(void)answer;
	supervisor->stopping = true;
	end_recorders(supervisor);
}

static void take_pause(struct supervisor *supervisor, const char *rest, struct buf *answer)
{
	(void)rest;
	(void)answer;
	supervisor->paused = true;
	end_recorders(supervisor);
}

static void take_resume(struct supervisor *supervisor, const char *rest, struct buf *answer)
{
	(void)rest;
	supervisor->paused = false;
	buf_add_str(answer, "ok\n");
}

static void take_mark(struct supervisor *supervisor, const char *rest, struct buf *answer)
{
	if (!*rest || strlen(rest) > MARK_MAX_BYTES) {
		buf_add_str(answer, "error\na mark without a text, or with one that is too long");
	} else if (supervisor->paused || supervisor->stopping) {
		buf_add_str(answer, "error\nnothing is recorded now, until 'prospect resume'");
	} else if (!sent_marks_add(&supervisor->marks, clock_ns(), rest)) {
		buf_add_str(answer, "error\ntoo many marks at once: wait a few seconds");
	} else {
		buf_add_str(answer, "ok\n");
	}
}

static void take_flush(struct supervisor *supervisor, const char *rest, struct buf *answer)
{
	const struct recorder *both[] = { &supervisor->current, &supervisor->next };
	const struct record_order order = { .kind = RECORD_FLUSH, .time_ns = clock_ns() };

	(void)rest;
	(void)answer;
	supervisor->flush_ns = order.time_ns;
	for (size_t i = 0; i < 2; i++) {
		if (both[i]->pid)
			recorder_tell(both[i], &order);
	}
}

static void take_reset(struct supervisor *supervisor, const char *rest, struct buf *answer)
{
	const char *const kept[] = { supervisor->current.name, supervisor->next.name };
	struct segments segments;

	(void)rest;
	if (segments_read(supervisor->folder_fd, &segments) == 0)
		segments_clear(supervisor->folder_fd, &segments, kept, 2);
	vec_free(&segments.list);
	buf_add_str(answer, "ok\n");
}

static void take_restart(struct supervisor *supervisor, const char *rest, struct buf *answer)
{
	(void)rest;
	(void)answer;
	supervisor->paused = false;
	supervisor->cut_wanted = true;
	supervisor->cut_ns = clock_ns();
}

/* Options that hold for recorders hold for the next one, which is started at once. */
static int reread(struct supervisor *supervisor, struct err *err)
{
	struct history_options *options = &supervisor->options, fresh;
	int rc = options->reread ? options->reread(options->reread_context, &fresh, err)
				 : err_set(err, -ENOTSUP, "there is no file of settings");

	if (rc < 0)
		return rc;
	options->rate_hz = fresh.rate_hz;
	options->off_cpu = fresh.off_cpu;
	options->segment_s = fresh.segment_s;
	options->keep_s = fresh.keep_s;
	options->max_bytes = fresh.max_bytes;
	supervisor->cut_wanted = true;
	return 0;
}

static void take_reload(struct supervisor *supervisor, const char *rest, struct buf *answer)
{
	struct err err;

	(void)rest;
	if (reread(supervisor, &err) < 0)
		buf_printf(answer, "error\n%s", err.text);
	else if (supervisor->paused)
		buf_add_str(answer, "ok\n");
	else
		supervisor->cut_ns = clock_ns();
}

/* An answer that stays empty is given later, when it is done. Columns: the word, whether only the
 * owner may say it, what it does. */
static const struct verb {
	const char *word;
	bool owner;
	void (*take)(struct supervisor *supervisor, const char *rest, struct buf *answer);
} verbs[] = {
	{ "status", false, take_status }, { "mark", false, take_mark },
	{ "flush", false, take_flush },	  { "stop", true, take_stop },
	{ "pause", true, take_pause },	  { "resume", true, take_resume },
	{ "reset", true, take_reset },	  { "restart", true, take_restart },
	{ "reload", true, take_reload },
};

static void take_question(void *context, const char *question, bool owner, struct buf *answer)
{
	size_t length = strcspn(question, " ");
	const char *rest = question + length + (question[length] == ' ');

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strncmp(verbs[i].word, question, length) != 0 || verbs[i].word[length])
			continue;
		if (verbs[i].owner && !owner)
			buf_add_str(answer,
				    "error\nonly root and the user who started it may do that");
		else
			verbs[i].take(context, rest, answer);
		return;
	}
	buf_add_str(answer, "error\nthe supervisor does not know this: it is of another version "
			    "of prospect");
}

/* ---- what clients wait for ---- */

static bool is_quiet(const struct supervisor *supervisor)
{
	return !supervisor->current.pid && !supervisor->next.pid;
}

/* 0 while a recorder has samples of before that are in no file, -1 if it cannot write them. */
static int flushed(const struct supervisor *supervisor)
{
	const struct recorder *both[] = { &supervisor->current, &supervisor->next };
	int all = 1;

	for (size_t i = 0; i < 2; i++) {
		const struct recorder *recorder = both[i];

		if (!recorder->pid || recorder->from_ns >= supervisor->flush_ns ||
		    recorder->state.flushed_ns >= supervisor->flush_ns)
			continue;
		if (recorder->state.error[0])
			return -1;
		all = 0;
	}
	return all;
}

static bool has_cut(const struct supervisor *supervisor)
{
	const struct recorder *both[] = { &supervisor->current, &supervisor->next };

	for (size_t i = 0; i < 2; i++) {
		if (both[i]->pid && both[i]->state.ready &&
		    both[i]->from_ns >= supervisor->cut_ns && clock_ns() >= both[i]->from_ns)
			return true;
	}
	return false;
}

static void answer_waiting(struct supervisor *supervisor)
{
	int rc;

	if (supervisor->paused && is_quiet(supervisor))
		control_answer(supervisor->control, "pause", "ok\n");
	if (supervisor->cut_ns && (supervisor->paused || has_cut(supervisor))) {
		control_answer(supervisor->control, "restart", "ok\n");
		control_answer(supervisor->control, "reload", "ok\n");
		supervisor->cut_ns = 0;
	}
	rc = supervisor->flush_ns ? flushed(supervisor) : 0;
	if (rc) {
		control_answer(supervisor->control, "flush",
			       rc > 0 ? "ok\n"
				      : "error\nit cannot be written: see 'prospect status'");
		supervisor->flush_ns = 0;
	}
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
			if (reread(supervisor, &err) < 0)
				note_problem(supervisor, err.text);
		} else {
			supervisor->stopping = true;
			end_recorders(supervisor);
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
	struct pollfd polls[CONTROL_POLLS + 3];
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
	ppoll(polls, CONTROL_POLLS + 3, &timeout, NULL);
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

	while (!supervisor->failed && !(supervisor->stopping && is_quiet(supervisor))) {
		uint64_t until_ns = keep_recording(supervisor);

		if (supervisor->cut_ns > clock_ns())
			until_ns = least(until_ns, supervisor->cut_ns);
		if (unsent)
			until_ns = least(until_ns, clock_ns() + SEND_AGAIN_MS * NS_PER_MS);
		wait_for_work(supervisor, until_ns);
		read_signals(supervisor);
		hear(supervisor, &supervisor->current);
		hear(supervisor, &supervisor->next);
		if (supervisor->current.state.ready)
			tell_started(supervisor, "");
		control_serve(supervisor->control, clock_ns(), take_question, supervisor);
		unsent = !sent_marks_send(&supervisor->marks, recorder_now(supervisor));
		answer_waiting(supervisor);
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
					 .started = started,
					 .begun = started < 0 && !options->foreground,
					 .since_s = real_s() };
	int rc = open_folder(&supervisor, err);

	if (rc == 0)
		rc = take_signals(&supervisor, err);
	if (rc == 0) {
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
	if (supervisor.signal_fd >= 0)
		close(supervisor.signal_fd);
	if (supervisor.lock_fd >= 0)
		close(supervisor.lock_fd);
	if (supervisor.folder_fd >= 0)
		close(supervisor.folder_fd);
	return rc;
}
