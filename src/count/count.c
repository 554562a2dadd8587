/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/count.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/open_limit.h"
#include "base/xalloc.h"
#include "count/count_parts.h"

enum {
	LOOK_MS = 100, /* how often to look if the processes still run */
};

int count_check(const struct count_options *options, struct err *err)
{
	struct count_session session = { .options = options };
	int rc = count_sources_events(&session, err);

	return rc < 0 ? rc : 0;
}

/* ---- the command ---- */

/* The tracer of the command also reaps it. */
static bool take_followed(void *context, int *ret_status)
{
	struct count_session *session = context;

	return count_trace_take(session->trace, ret_status);
}

/* ---- while it counts ---- */

/* A zombie counts nothing more. */
static bool is_alive(pid_t tid)
{
	enum { LIMIT = 4096 };
	struct buf stat = { 0 };
	char path[64];
	const char *end;
	bool alive = false;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)tid);
	if (file_read(path, LIMIT, &stat) == 0) {
		end = strrchr(buf_text(&stat), ')');
		alive = end && strncmp(end, ") Z", 3) != 0 && strncmp(end, ") X", 3) != 0;
	}
	buf_done(&stat);
	return alive;
}

static bool is_any_alive(const pid_t *pids, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (is_alive(pids[i]))
			return true;
	}
	return false;
}

/* True if all named processes and threads have ended. */
static bool are_gone(const struct count_session *session)
{
	const struct count_options *options = session->options;

	return options->pid_count + options->tid_count && !options->argv &&
	       !is_any_alive(options->pids, options->pid_count) &&
	       !is_any_alive(options->tids, options->tid_count);
}

/* Reduces @counts, which cover the whole time, to the current interval. */
static void keep_interval(const struct count_session *session, struct counts *counts)
{
	counts->wall_ns = counts->ended_ns - session->interval_start_ns;
	if (session->previous)
		counts_subtract(counts, session->previous);
	if (session->split)
		counts_sort_by_count(counts);
}

static int end_interval(struct count_session *session, struct err *err)
{
	struct counts *now = xcalloc(1, sizeof(*now));
	struct counts *shown;
	int rc = count_reading_now(session, false, now, err);

	if (rc < 0) {
		free(now);
		return rc;
	}
	shown = counts_copy(now);
	keep_interval(session, shown);
	session->options->interval(session->options->context, shown);
	counts_free(shown);
	counts_free(session->previous);
	session->previous = now;
	session->interval_start_ns = now->ended_ns;
	session->intervals++;
	return 0;
}

/* When to act next; UINT64_MAX: only signals matter. */
static uint64_t next_time(const struct count_session *session, uint64_t end_ns)
{
	const struct count_options *options = session->options;
	uint64_t next = end_ns;

	if (options->interval_s > 0 && !session->counted_enough) {
		double at = (double)(session->intervals + 1) * options->interval_s;
		uint64_t due = session->start_ns + (uint64_t)(at * (double)NS_PER_S);

		next = due < next ? due : next;
	}
	if (options->pid_count + options->tid_count) {
		uint64_t look = clock_ns() + LOOK_MS * NS_PER_MS;

		next = look < next ? look : next;
	}
	return next;
}

static void wait_until(struct count_session *session, uint64_t until_ns)
{
	struct pollfd fd = { .fd = session->command.signal_fd, .events = POLLIN };
	uint64_t now = clock_ns();
	uint64_t left_ns = until_ns > now ? until_ns - now : 0;
	struct timespec timeout = { (time_t)(left_ns / NS_PER_S), (long)(left_ns % NS_PER_S) };

	ppoll(&fd, 1, until_ns == UINT64_MAX ? NULL : &timeout, NULL);
	watched_command_read(&session->command);
	session->stop |= session->command.stop;
}

static bool is_interval_due(const struct count_session *session)
{
	double at = (double)(session->intervals + 1) * session->options->interval_s;

	return session->options->interval_s > 0 && !session->counted_enough &&
	       clock_ns() >= session->start_ns + (uint64_t)(at * (double)NS_PER_S);
}

/* Time is up: stop counting, but still wait for a command. */
static void count_no_more(struct count_session *session)
{
	if (session->counted_enough)
		return;
	session->counted_enough = true;
	session->end_ns = clock_ns();
	count_sources_end(session);
	if (!session->command.outcome.launched)
		session->stop = true;
}

static int run_loop(struct count_session *session, struct err *err)
{
	const struct count_options *options = session->options;
	uint64_t end_ns = options->duration_s > 0
				  ? session->start_ns + (uint64_t)(options->duration_s * NS_PER_S)
				  : UINT64_MAX;
	int rc = 0;

	while (!session->stop && rc == 0) {
		wait_until(session,
			   next_time(session, session->counted_enough ? UINT64_MAX : end_ns));
		if (session->stop)
			break;
		if (session->names)
			thread_names_refresh(session->names);
		if (is_interval_due(session))
			rc = end_interval(session, err);
		if (clock_ns() >= end_ns ||
		    (options->intervals && session->intervals >= options->intervals))
			count_no_more(session);
		session->stop |= are_gone(session);
	}
	return rc;
}

/* ---- start and end ---- */

static int go(struct count_session *session, struct err *err)
{
	int rc = count_sources_begin(session, err);

	session->start_ns = clock_ns();
	if (rc < 0 || session->command.launch.pid <= 0)
		return rc;
	if (session->trace)
		session->command.reaper = (struct command_reaper){ take_followed, session };
	return watched_command_go(&session->command, err);
}

/* Reports the last, partial interval, and the whole. */
static int finish(struct count_session *session, struct err *err)
{
	struct counts *counts = &session->result->counts;
	int rc;

	if (!session->end_ns) {
		session->end_ns = clock_ns();
		count_sources_end(session);
	}
	rc = count_reading_now(session, true, counts, err);
	if (rc == 0 && session->options->interval_s > 0 && !session->counted_enough) {
		struct counts *rest = counts_copy(counts);

		keep_interval(session, rest);
		session->options->interval(session->options->context, rest);
		counts_free(rest);
	}
	return rc;
}

static void release(struct count_session *session)
{
	session->result->outcome = session->command.outcome;
	watched_command_done(&session->command);
	count_sources_done(session);
	counts_free(session->previous);
	foreign_free(session->foreign);
}

/* SPLIT: BPF programs and maps, for rows by program, process or thread. */
static int check_files(const struct count_session *session, struct err *err)
{
	enum { COUNTER = 16, SPLIT = 32 };
	const struct count_options *options = session->options;
	size_t cpus = options->machine ? (size_t)sysconf(_SC_NPROCESSORS_ONLN) : 1;

	return open_limit_check(COUNTER + (options->rows >= COUNT_ROWS_PROGRAM ? SPLIT : 0) +
					cpus * session->event_count,
				"counting", err);
}

static int set_up(struct count_session *session, struct err *err)
{
	int rc = count_sources_events(session, err);

	if (rc == 0)
		rc = check_files(session, err);
	if (rc == 0)
		rc = watched_command_prepare(&session->command, session->options->argv,
					     session->options->as_user, err);
	if (rc == 0)
		rc = watched_command_take_signals(&session->command, err);
	/* Raise the limit only now: the command keeps the original one. */
	open_limit_raise();
	return rc < 0 ? rc : count_sources_open(session, err);
}

/* Fails early if no event is permitted, rather than count nothing. Events that this machine cannot
 * count are a result. */
static int check_permitted(const struct count_session *session, struct err *err)
{
	const struct count_event *refused = NULL;

	for (size_t i = 0; i < session->event_count; i++) {
		const struct count_event *event = session->trace
							  ? count_trace_event(session->trace, i)
							  : counters_event(session->counters, i);

		if (event->state == COUNT_GOOD)
			return 0;
		if (event->state == COUNT_NOT_PERMITTED && !refused)
			refused = event;
	}
	return refused ? err_set(err, -EACCES, "counting is not permitted: %s", refused->why) : 0;
}

int count_run(const struct count_options *options, struct count_result *ret_result, struct err *err)
{
	struct count_session session = { .options = options,
					 .result = ret_result,
					 .command = WATCHED_COMMAND_NONE };
	int rc;

	*ret_result = (struct count_result){ 0 };
	session.foreign = foreign_new((struct pause){ 0 });
	session.command.foreign = session.foreign;
	rc = set_up(&session, err);
	if (rc == 0)
		rc = check_permitted(&session, err);
	if (rc == 0)
		rc = go(&session, err);
	if (rc == 0)
		rc = run_loop(&session, err);
	if (rc == 0)
		rc = finish(&session, err);
	release(&session);
	return rc;
}
