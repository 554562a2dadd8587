/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect count: exact counts of events while a command or processes run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/output_file.h"
#include "base/owner.h"
#include "base/vec.h"
#include "cmd/count_output.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "cmd/options/pid_list.h"
#include "count/count.h"

enum { MAX_REPEATS = 10000, MS_PER_S = 1000 };

struct count_cmd {
	struct option_texts events, pids, tids;
	bool all, as_user, alone, follow_all;
	const char *cpus, *by, *only, *except;
	const char *interval;
	double duration_s;
	int64_t repeats;
	struct count_output_values output;
};

/* clang-format off */
#define AT(field) offsetof(struct count_cmd, field)

static const struct option_spec count_specs[] = {
	{ "event", 'e', OPTION_TEXTS, AT(events), "EVENT,...",
	  .help = "count these events: cycles, page-faults:u, {cycles,instructions} ..." },
	{ "all", 'a', OPTION_FLAG, AT(all), NULL,
	  .help = "count on all CPUs, for all processes; with a command, while it runs" },
	{ "cpus", 'C', OPTION_TEXT, AT(cpus), "CPUS",
	  .help = "the same as -a, only on these CPUs: 0,2-5" },
	{ "pid", 'p', OPTION_TEXTS, AT(pids), "PID,...",
	  .help = "count these processes and what they start, until they end or Ctrl-C" },
	{ "tid", 't', OPTION_TEXTS, AT(tids), "TID,...",
	  .help = "count these threads and what they start" },
	{ "no-inherit", 'i', OPTION_FLAG, AT(alone), NULL,
	  .help = "do not count what the command or the processes start" },
	{ "by", 0, OPTION_TEXT, AT(by), "KEY",
	  .help = "print a row for each cpu, program, process or thread" },
	{ "follow-all", 0, OPTION_FLAG, AT(follow_all), NULL,
	  .help = "print a row for each event and executed program, as pfmon did" },
	{ "follow-exec", 0, OPTION_OPTIONAL, AT(only), "GLOB",
	  .help = "the same; with =GLOB only programs whose path or name matches" },
	{ "follow-exec-exclude", 0, OPTION_TEXT, AT(except), "GLOB",
	  .help = "the same, without programs whose path or name matches GLOB" },
	{ "repeat", 'r', OPTION_INTEGER, AT(repeats), "N",
	  .help = "run the command N times and print means with 95 % intervals",
	  .least = 1, .most = MAX_REPEATS },
	{ "interval", 'I', OPTION_TEXT, AT(interval), "MS[:N]",
	  .help = "print the counts of every MS milliseconds (100, 1s), N times" },
	{ "duration", 0, OPTION_SECONDS, AT(duration_s), "S",
	  .help = "stop counting after this time: 10, 1.5, 250ms, 2m, 1h",
	  .least = 0.001, .most = 1e8 },
	COUNT_OUTPUT_OPTION_ROWS(struct count_cmd, output),
	{ "as-user", 0, OPTION_FLAG, AT(as_user), NULL,
	  .help = "under sudo: run the command as the user who called it" },
	{ 0 },
};
/* clang-format on */

/* What to run, from the command line. */
struct job {
	struct count_cmd values;
	struct count_options options;
	struct pid_list pids, tids;
	struct count_output *output;
	VEC(struct counts) runs;
};

/* ---- command line ---- */

static int read_by(struct job *job, struct err *err)
{
	static const char *const words[] = {
		[COUNT_ROWS_CPU] = "cpu",
		[COUNT_ROWS_PROGRAM] = "program",
		[COUNT_ROWS_PROCESS] = "process",
		[COUNT_ROWS_THREAD] = "thread",
	};
	bool follow = job->values.follow_all || job->values.only || job->values.except;

	if (follow)
		job->options.rows = COUNT_ROWS_PROGRAM;
	if (!job->values.by)
		return 0;
	for (size_t i = COUNT_ROWS_CPU; i <= COUNT_ROWS_THREAD; i++) {
		if (strcmp(words[i], job->values.by) != 0)
			continue;
		if (follow && i != COUNT_ROWS_PROGRAM && i != COUNT_ROWS_PROCESS)
			return err_set(err, -EINVAL,
				       "--follow-... cannot be used with --by %s: it has a row for "
				       "each program",
				       words[i]);
		job->options.rows = (enum count_rows)i;
		return 0;
	}
	return err_set(err, -EINVAL, "invalid --by '%s': expected cpu, program, process or thread",
		       job->values.by);
}

/* Reads "100", "100ms" or "1s", each with an optional ":N". A bare number is milliseconds. */
static int read_interval(struct job *job, struct err *err)
{
	const char *text = job->values.interval;
	char *end;
	double value;

	if (!text)
		return 0;
	errno = 0;
	value = strtod(text, &end);
	if (strncmp(end, "ms", 2) == 0) {
		end += 2;
	} else if (*end == 's') {
		value *= MS_PER_S;
		end++;
	}
	if (*end == ':' && end[1] >= '1' && end[1] <= '9')
		job->options.intervals = strtoull(end + 1, &end, 10);
	if (end == text || *end || errno || !(value >= 1) || value > 1e9)
		return err_set(err, -EINVAL,
			       "invalid -I '%s': expected MS[:N], e.g. 100, 1s or 500:10", text);
	job->options.interval_s = value / MS_PER_S;
	return 0;
}

static int read_ids(struct job *job, struct err *err)
{
	const struct count_cmd *values = &job->values;
	int rc = pid_list_read("-p", &values->pids, &job->pids, err);

	if (rc == 0)
		rc = pid_list_read("-t", &values->tids, &job->tids, err);
	job->options.pids = job->pids.items;
	job->options.pid_count = job->pids.count;
	job->options.tids = job->tids.items;
	job->options.tid_count = job->tids.count;
	return rc;
}

/* Checks which targets can be combined. */
static int check_scope(const struct job *job, struct err *err)
{
	const struct count_options *options = &job->options;
	bool tasks = options->pid_count || options->tid_count;

	if (options->pid_count && options->tid_count)
		return err_set(err, -EINVAL, "-p and -t cannot be used together");
	if (tasks && (options->argv || options->machine))
		return err_set(err, -EINVAL, "%s and %s cannot be used together",
			       options->pid_count ? "-p" : "-t",
			       !options->machine  ? "a command"
			       : job->values.cpus ? "-C"
						  : "-a");
	if (!tasks && !options->argv && !options->machine)
		return err_set(err, -EINVAL,
			       "nothing to count: give a command, -p PID, -t TID or -a (see "
			       "'prospect count --help')");
	return 0;
}

static int check_modes(const struct job *job, struct err *err)
{
	const struct count_options *options = &job->options;
	bool repeated = job->values.repeats > 1;

	if (repeated && !options->argv)
		return err_set(err, -EINVAL, "-r needs a command");
	if (repeated && options->interval_s > 0)
		return err_set(err, -EINVAL, "-r and -I cannot be used together");
	if (repeated && options->rows >= COUNT_ROWS_PROCESS)
		return err_set(err, -EINVAL,
			       "-r cannot be used with --by process or thread: use --by program");
	if (options->alone && options->rows >= COUNT_ROWS_PROGRAM)
		return err_set(err, -EINVAL,
			       "-i cannot be used with --by program, process or thread");
	return 0;
}

/* Fills the job from its values. */
static int read_job(struct job *job, char **command, struct err *err)
{
	const struct count_cmd *values = &job->values;
	struct count_options *options = &job->options;
	int rc;

	options->argv = command;
	options->events = values->events.items;
	options->event_lists = values->events.count;
	options->as_user = values->as_user;
	options->machine = values->all || values->cpus;
	options->cpus = values->cpus;
	options->alone = values->alone;
	options->only = values->only && *values->only ? values->only : NULL;
	options->except = values->except;
	options->duration_s = values->duration_s;
	rc = read_by(job, err);
	if (rc == 0)
		rc = read_interval(job, err);
	if (rc == 0)
		rc = read_ids(job, err);
	if (rc == 0)
		rc = check_scope(job, err);
	if (rc == 0)
		rc = check_modes(job, err);
	return rc == 0 ? count_check(options, err) : rc;
}

/* ---- running ---- */

static void take_interval(void *context, const struct counts *counts)
{
	count_output_interval(((struct job *)context)->output, counts);
}

/* Runs once. Returns -1 if the next run may follow, else the exit status. */
static int run_once(struct job *job, struct count_result *result)
{
	struct err err = { "" };
	int rc = count_run(&job->options, result, &err);

	if (rc == 0) {
		*vec_push(&job->runs) = result->counts;
		return -1;
	}
	fprintf(stderr, "prospect count: %s\n", err.text);
	return command_outcome_exit_status(&result->outcome, rc);
}

static int run_all(struct job *job)
{
	struct count_result result = { 0 };
	struct err err = { "" };
	int status = -1;

	for (int64_t i = 0; status < 0 && i < job->values.repeats; i++) {
		status = run_once(job, &result);
		if (result.outcome.stop_signal)
			break;
	}
	if (status >= 0)
		return status;
	if (count_output_finish(job->output, job->runs.items, job->runs.count, &err) < 0) {
		fprintf(stderr, "prospect count: %s\n", err.text);
		return command_outcome_exit_status(&result.outcome, -EIO);
	}
	return command_outcome_exit_status(&result.outcome, 0);
}

static int open_output(struct job *job, struct err *err)
{
	const struct count_options *options = &job->options;
	bool follow = job->values.follow_all || job->values.only || job->values.except;
	const struct count_output_options output = {
		.argv = options->argv,
		.pids = options->pids,
		.pid_count = options->pid_count,
		.tids = options->tids,
		.tid_count = options->tid_count,
		.machine = options->machine,
		.cpus = options->cpus,
		.rows = options->rows,
		.follow = follow && !job->values.by,
		.intervals = options->interval_s > 0,
	};

	return count_output_new(&job->values.output, &output, &job->output, err);
}

static int run_job(struct job *job, char **command)
{
	struct err err = { "" };
	int rc = read_job(job, command, &err), status;

	if (rc == 0)
		rc = count_output_check(&job->values.output, &err);
	status = 2;
	if (rc == 0) {
		rc = open_output(job, &err);
		status = 1;
	}
	if (rc < 0)
		return options_fail(&command_count, &err, status);
	job->options.interval = take_interval;
	job->options.context = job;
	return run_all(job);
}

static void job_done(struct job *job)
{
	for (size_t i = 0; i < job->runs.count; i++)
		counts_done(&job->runs.items[i]);
	vec_free(&job->runs);
	count_output_free(job->output);
	pid_list_done(&job->pids);
	pid_list_done(&job->tids);
}

static int run_count(int argc, char **argv)
{
	struct job job = { .values = { .repeats = 1, .output = { .format = "text" } } };
	bool help = false;
	struct err err;
	int status, first = options_parse(count_specs, argc, argv, true, &job.values, &help, &err);

	if (help) {
		options_print_help(&command_count);
		return 0;
	}
	if (first < 0)
		return options_fail(&command_count, &err, 2);
	status = run_job(&job, first < argc ? argv + first : NULL);
	job_done(&job);
	return status;
}

const struct command command_count = {
	.name = "count",
	.summary = "count events exactly, for a command, processes or CPUs",
	.usage = "[OPTION...] [-p PID,... | -t TID,... | [-a] [[--] COMMAND [ARG...]]]",
	.options = count_specs,
	.needs_proc = true,
	.run = run_count,
};
