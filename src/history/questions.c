/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "history/control.h"
#include "history/segments.h"
#include "history/supervisor_parts.h"

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
	/* A recorder that cannot write goes on, and may write later. */
	if (current->state.error[0])
		buf_printf(text, "problem_at %" PRIu64 "\nproblem %s\n",
			   (uint64_t)(clock_read(CLOCK_REALTIME) / NS_PER_S), current->state.error);
	else if (supervisor->problem[0])
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
	supervisor_end_recorders(supervisor);
}

static void take_pause(struct supervisor *supervisor, const char *rest, struct buf *answer)
{
	(void)rest;
	(void)answer;
	supervisor->paused = true;
	supervisor_end_recorders(supervisor);
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
	struct recorder *both[] = { &supervisor->current, &supervisor->next };
	const struct record_order order = { .kind = RECORD_FLUSH, .time_ns = clock_ns() };

	(void)rest;
	(void)answer;
	supervisor->flush_ns = order.time_ns;
	for (size_t i = 0; i < 2; i++) {
		if (both[i]->pid)
			recorder_tell(both[i], &order);
		both[i]->flushes_before = both[i]->state.flushes;
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

int questions_reread(struct supervisor *supervisor, struct err *err)
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
	if (questions_reread(supervisor, &err) < 0)
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

void questions_take(void *context, const char *question, bool owner, struct buf *answer)
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
		if (recorder->state.error[0] && recorder->state.flushes > recorder->flushes_before)
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

void questions_answer(struct supervisor *supervisor)
{
	int rc;

	if (supervisor->paused && supervisor_is_quiet(supervisor))
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

void questions_fail(struct supervisor *supervisor, const struct recorder *recorder)
{
	if (!supervisor->flush_ns || recorder->from_ns >= supervisor->flush_ns ||
	    recorder->state.flushed_ns >= supervisor->flush_ns)
		return;
	control_answer(supervisor->control, "flush",
		       "error\nthe recorder failed: see 'prospect status'");
	supervisor->flush_ns = 0;
}
