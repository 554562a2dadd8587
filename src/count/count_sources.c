/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count/count_parts.h"
#include "perf/cpu_list.h"
#include "perf/event_names.h"
#include "proc/proc_scan.h"

/* The default without -e. Without a PMU the second half is not counted. */
static const char *const usual_events[] = {
	"task-clock,context-switches,cpu-migrations,page-faults,cycles,instructions,branches,"
	"branch-misses",
};

bool count_sources_by_command(const struct count_session *session)
{
	return session->options->argv && !session->options->machine;
}

int count_sources_events(struct count_session *session, struct err *err)
{
	const struct count_options *options = session->options;
	int rc;

	session->usual = options->event_lists == 0;
	rc = event_names_parse_groups(session->usual ? usual_events : options->events,
				      session->usual ? 1 : options->event_lists, session->specs,
				      session->groups, COUNTS_MAX_EVENTS, &session->event_count,
				      err);
	return rc < 0 ? err_prefix(err, rc, "-e") : 0;
}

/* ---- who and where ---- */

static int find_threads(struct count_session *session, pid_t pid, struct err *err)
{
	struct buf tids = { 0 };
	int rc = proc_scan_tids(pid, &tids);

	for (size_t i = 0; rc == 0 && i < tids.size / sizeof(int32_t); i++) {
		int32_t tid;

		memcpy(&tid, tids.bytes + i * sizeof(tid), sizeof(tid));
		*vec_push(&session->tids) = tid;
		*vec_push(&session->processes) = pid;
	}
	buf_done(&tids);
	return rc < 0 ? err_set(err, rc, "process %d does not exist", (int)pid) : 0;
}

static int find_tids(struct count_session *session, struct err *err)
{
	const struct count_options *options = session->options;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < options->pid_count; i++) {
		rc = find_threads(session, options->pids[i], err);
		if (rc == -ESRCH && options->pids_may_end &&
		    (session->tids.count || i + 1 < options->pid_count))
			rc = 0;
	}
	for (size_t i = 0; i < options->tid_count; i++) {
		*vec_push(&session->tids) = options->tids[i];
		*vec_push(&session->processes) = options->tids[i];
	}
	if (rc == 0 && count_sources_by_command(session)) {
		*vec_push(&session->tids) = session->command.launch.pid;
		*vec_push(&session->processes) = session->command.launch.pid;
	}
	return rc;
}

/* ---- what counts ---- */

static struct counters_options options_of(const struct count_session *session)
{
	return (struct counters_options){ .specs = session->specs,
					  .groups = session->groups,
					  .count = session->event_count,
					  .may_restrict = true };
}

static void of_tasks(const struct count_session *session, struct counters_options *options)
{
	options->tids = session->tids.items;
	options->tid_count = session->tids.count;
	options->inherit = !session->options->alone;
	options->on_exec = count_sources_by_command(session);
}

static void of_cpus(const struct count_session *session, struct counters_options *options)
{
	options->cpus = session->cpus;
	options->cpu_count = session->cpu_count;
}

static bool wants_parts(const struct count_session *session)
{
	return session->options->rows >= COUNT_ROWS_PROGRAM;
}

static int open_plain(struct count_session *session, struct err *err)
{
	struct counters_options options = options_of(session);
	bool machine = session->options->machine;

	if (!machine)
		of_tasks(session, &options);
	if (machine || session->options->rows == COUNT_ROWS_CPU)
		of_cpus(session, &options);
	return counters_open(&options, &session->counters, err);
}

static void add_program(void *context, const struct proc_info *info)
{
	struct count_session *session = context;
	const char *program = info->executable;

	if (info->kernel_thread)
		program = "[kernel threads]";
	else if (!*program)
		program = info->comm;
	(void)count_split_add(session->split, info->pid, program, false, NULL);
}

static unsigned split_by(enum count_rows rows)
{
	static const unsigned by[] = {
		[COUNT_ROWS_PROGRAM] = COUNT_BY_PROGRAM,
		[COUNT_ROWS_PROCESS] = COUNT_BY_PROGRAM | COUNT_BY_PROCESS,
		[COUNT_ROWS_THREAD] = COUNT_BY_THREAD,
	};

	return by[rows];
}

static int open_split(struct count_session *session, struct err *err)
{
	const struct proc_visitor visitor = { .process = add_program,
					      .context = session,
					      .foreign = session->foreign };
	struct counters_options options = options_of(session);
	struct count_split_options split = { .by = split_by(session->options->rows),
					     .everybody = true,
					     .specs = session->specs,
					     .event_count = session->event_count };
	int rc;

	if (!proc_scan_sees_all_pids())
		return err_set(err, -EPERM,
			       "inside a PID namespace prospect cannot tell which process a CPU "
			       "runs; run it on the host");
	of_cpus(session, &options);
	options.may_restrict = false;
	rc = counters_open(&options, &session->counters, err);
	if (rc < 0)
		return rc;
	split.counters = session->counters;
	rc = count_split_new(&split, &session->split, err);
	return rc < 0 ? rc : proc_scan_all(&visitor, err);
}

/* Also counts the whole command, to which the parts should add up. Hardware events are left out:
 * they would take PMU counters from the parts. */
static int open_trace(struct count_session *session, struct err *err)
{
	const struct count_trace_options trace = {
		.by = (enum count_trace_by)(session->options->rows - COUNT_ROWS_PROGRAM),
		.pid = session->command.launch.pid,
		.specs = session->specs,
		.groups = session->groups,
		.event_count = session->event_count,
	};
	struct counters_options options = options_of(session);
	struct event_spec software[COUNTS_MAX_EVENTS];
	int rc;

	of_tasks(session, &options);
	memcpy(software, session->specs, sizeof(software));
	for (size_t i = 0; i < session->event_count; i++)
		software[i].whole_cpus |= software[i].hardware;
	options.specs = software;
	rc = counters_open(&options, &session->counters, err);
	return rc < 0 ? rc : count_trace_new(&trace, &session->trace, err);
}

int count_sources_open(struct count_session *session, struct err *err)
{
	int rc = cpu_list_choose("-C", session->options->cpus, &session->cpus, &session->cpu_count,
				 err);

	if (rc == 0 && !session->options->machine)
		rc = find_tids(session, err);
	if (rc < 0)
		return rc;
	if (wants_parts(session) && session->options->machine)
		return open_split(session, err);
	if (wants_parts(session) && count_sources_by_command(session))
		return open_trace(session, err);
	if (wants_parts(session))
		session->names = thread_names_new(session->foreign, session->tids.items,
						  session->processes.items, session->tids.count);
	return open_plain(session, err);
}

int count_sources_begin(struct count_session *session, struct err *err)
{
	int rc = session->split ? count_split_begin(session->split, err) : 0;

	/* The exec of a command enables its counters. */
	if (rc == 0 && !count_sources_by_command(session))
		counters_enable(session->counters);
	return rc;
}

void count_sources_end(struct count_session *session)
{
	if (session->trace)
		count_trace_stop(session->trace);
	counters_disable(session->counters);
}

void count_sources_done(struct count_session *session)
{
	count_trace_free(session->trace);
	count_split_free(session->split);
	counters_free(session->counters);
	thread_names_free(session->names);
	vec_free(&session->tids);
	vec_free(&session->processes);
	free(session->cpus);
}
