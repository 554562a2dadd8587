/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect count: exact counts of events while a command or processes run. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/scan.h"
#include "base/vec.h"
#include "cmd/commands.h"
#include "cmd/options/option_value.h"
#include "cmd/options/output_option.h"
#include "cmd/options/who_options.h"
#include "count/count.h"
#include "load/output.h"

enum { MAX_REPEATS = 10000, MS_PER_S = 1000 };

struct count_cmd {
	struct option_texts events, tids;
	struct who_values who;
	bool all, as_user, alone, follow_all;
	const char *cpus, *by, *only, *except;
	const char *interval;
	double duration_s;
	int64_t repeats;
	const char *format, *file;
	bool brief, us, eu, hex;
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
	{ "pid", 'p', OPTION_TEXTS, WHO_AT(AT(who), WHO_PROCESS), "PID|NAME,...",
	  .help = "count these processes and what they start, until they end or Ctrl-C" },
	WHO_GROUP_ROWS(AT(who)),
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
	{ "format", 0, OPTION_TEXT, AT(format), "FORMAT",
	  .help = "text, csv or json (default text)", .words = "text csv json" },
	{ "brief-format", 'b', OPTION_FLAG, AT(brief), NULL,
	  .help = "print lines [key,]event,count,percent of time counted, as ocount does" },
	{ "output", 'f', OPTION_TEXT, AT(file), "FILE",
	  .help = "write to FILE (default: stderr with a command, else stdout)" },
	{ "file", 'o', OPTION_TEXT, AT(file), "FILE",
	  .help = "the same as -f" },
	{ "us-counter-format", 0, OPTION_FLAG, AT(us), NULL,
	  .help = "in text, write counts as 1,234 (the default)" },
	{ "eu-counter-format", 0, OPTION_FLAG, AT(eu), NULL,
	  .help = "in text, write counts as 1.234" },
	{ "hex-counter-format", 0, OPTION_FLAG, AT(hex), NULL,
	  .help = "in text, write counts as 0x4d2" },
	{ "as-user", 0, OPTION_FLAG, AT(as_user), NULL,
	  .help = "under sudo: run the command as the user who called it" },
	{ 0 },
};
/* clang-format on */

/* What to run, from the command line. */
struct job {
	struct count_cmd values;
	struct count_options options;
	struct option_pids pids, tids;
	enum format format;
	bool follow;		  /* a row for each program, as pfmon's */
	struct buf what;	  /* description of what is counted */
	struct output_file *file; /* NULL: @stream is stdout or stderr */
	FILE *stream;
	bool titles_printed; /* of intervals as CSV */
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

	job->follow = follow && !job->values.by;
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
	const char *text = job->values.interval, *at = text;
	uint64_t unit_ns = NS_PER_MS;
	double value = 0;
	bool valid;

	if (!text)
		return 0;
	valid = scan_decimal(&at, &value);
	scan_time_unit(&at, &unit_ns);
	if (valid && *at == ':')
		valid = *++at != '0' && scan_number(&at, 10, &job->options.intervals);
	value *= (double)unit_ns / (double)NS_PER_MS;
	if (!valid || *at || !(value >= 1) || value > 1e9)
		return err_set(err, -EINVAL,
			       "invalid -I '%s': expected MS[:N], e.g. 100, 1s or 500:10", text);
	job->options.interval_s = value / MS_PER_S;
	return 0;
}

static int read_ids(struct job *job, struct err *err)
{
	const struct count_cmd *values = &job->values;
	int rc = who_options_pids(&values->who, &job->pids, err);

	if (rc == 0)
		rc = option_value_pids("-t", &values->tids, &job->tids, err);
	job->options.pids = job->pids.items;
	job->options.pid_count = job->pids.count;
	job->options.pids_may_end = !who_options_by_id(&values->who);
	job->options.tids = job->tids.items;
	job->options.tid_count = job->tids.count;
	return rc;
}

/* Checks which targets can be combined. */
static int check_scope(const struct job *job, struct err *err)
{
	const struct count_options *options = &job->options;
	bool tasks = options->pid_count || options->tid_count;
	const char *given = who_options_given(&job->values.who);

	if (options->pid_count && options->tid_count)
		return err_set(err, -EINVAL, "%s and -t cannot be used together", given);
	if (tasks && (options->argv || options->machine))
		return err_set(err, -EINVAL, "%s and %s cannot be used together",
			       options->pid_count ? given : "-t",
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

/* ---- output ---- */

static int read_output(struct job *job, struct err *err)
{
	const struct count_cmd *values = &job->values;
	int rc = output_format(values->format, &job->format, err);

	if (rc < 0)
		return rc;
	if (values->us + values->eu + values->hex > 1)
		return err_set(err, -EINVAL,
			       "--us-, --eu- and --hex-counter-format cannot be used together");
	if (values->brief && job->format != FORMAT_TEXT)
		return err_set(err, -EINVAL, "-b and --format cannot be used together");
	return 0;
}

static void add_ids(struct buf *what, const char *one, const char *many, const pid_t *ids,
		    size_t count)
{
	buf_add_str(what, count == 1 ? one : many);
	for (size_t i = 0; i < count; i++)
		buf_printf(what, "%s%d", i ? ", " : " ", (int)ids[i]);
}

static void add_command(struct buf *what, char *const *argv)
{
	for (size_t i = 0; argv[i]; i++) {
		if (i)
			buf_add_char(what, ' ');
		buf_add_str(what, argv[i]);
	}
}

static void describe(const struct job *job, struct buf *what)
{
	const struct count_options *options = &job->options;

	if (options->pid_count && options->pids_may_end)
		who_options_describe(&job->values.who, what);
	else if (options->pid_count)
		add_ids(what, "process", "processes", options->pids, options->pid_count);
	if (options->tid_count)
		add_ids(what, "thread", "threads", options->tids, options->tid_count);
	if (options->cpus)
		buf_printf(what, "CPUs %s", options->cpus);
	else if (options->machine)
		buf_add_str(what, "the whole machine");
	if (!options->argv)
		return;
	/* With CPUs counted, the command only sets how long. */
	if (options->machine)
		buf_add_str(what, " while ");
	add_command(what, options->argv);
	if (options->machine)
		buf_add_str(what, " ran");
}

/* Opens the output file, if an option names one. */
static int open_output(struct job *job, struct err *err)
{
	int rc = 0;

	job->stream = job->options.argv ? stderr : stdout;
	describe(job, &job->what);
	if (job->values.file)
		rc = output_option_open(job->values.file, "-f names the file", &job->file, err);
	if (job->file)
		job->stream = output_file_stream(job->file);
	return rc;
}

static struct count_view view_of(const struct job *job, const struct count_table *table)
{
	enum count_rows rows = job->options.rows;

	return (struct count_view){
		.table = table,
		.keys = { .cpu = rows == COUNT_ROWS_CPU,
			  .program = rows >= COUNT_ROWS_PROGRAM,
			  .pid = rows >= COUNT_ROWS_PROCESS,
			  .tid = rows == COUNT_ROWS_THREAD },
		.digits = job->values.eu    ? COUNT_DIGITS_EU
			  : job->values.hex ? COUNT_DIGITS_HEX
					    : COUNT_DIGITS_US,
		.command = buf_text(&job->what),
		.is_interval = job->options.interval_s > 0,
	};
}

static void print(struct job *job, const struct count_table *table)
{
	const struct count_view view = view_of(job, table);

	if (job->values.brief)
		count_view_brief(&view, job->stream);
	else if (job->format == FORMAT_CSV)
		count_view_csv(&view, !job->titles_printed, job->stream);
	else if (job->format == FORMAT_JSON)
		count_view_json(&view, job->stream);
	else if (job->follow)
		count_view_follow(&view, job->stream);
	else
		count_view_text(&view, job->stream);
	job->titles_printed = true;
}

/* Prints the counts of an interval; @context: the job. */
static void take_interval(void *context, const struct counts *counts)
{
	struct job *job = context;
	_cleanup_(count_table_freep) struct count_table *table = count_table_new(counts, 1);

	print(job, table);
	fflush(job->stream);
}

/* main() reports errors of stdout. An error of stderr can show in the exit status only. */
static int check_stderr(struct err *err)
{
	int rc = file_flush(stderr);

	return rc < 0 ? err_set(err, rc, "cannot write the counts: %s", strerror(-rc)) : 0;
}

/* Prints all counts, unless intervals were printed, and closes the output. */
static int finish_output(struct job *job, struct err *err)
{
	_cleanup_(count_table_freep) struct count_table *table = NULL;

	if (!(job->options.interval_s > 0) && job->runs.count) {
		table = count_table_new(job->runs.items, job->runs.count);
		print(job, table);
	}
	if (job->file)
		return output_file_commit(job->file, err);
	return job->stream == stderr ? check_stderr(err) : 0;
}

/* ---- running ---- */

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
	if (finish_output(job, &err) < 0) {
		fprintf(stderr, "prospect count: %s\n", err.text);
		return command_outcome_exit_status(&result.outcome, -EIO);
	}
	return command_outcome_exit_status(&result.outcome, 0);
}

static int run_job(struct job *job, char **command)
{
	struct err err = { "" };
	int rc = read_job(job, command, &err), status;

	if (rc == 0)
		rc = read_output(job, &err);
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
	output_file_free(job->file);
	buf_done(&job->what);
	option_pids_done(&job->pids);
	option_pids_done(&job->tids);
}

static int run_count(int argc, char **argv)
{
	struct job job = { .values = { .repeats = 1 } };
	int status, first = options_begin(&command_count, argc, argv, &job.values, &status);

	if (first < 0)
		return status;
	status = run_job(&job, first < argc ? argv + first : NULL);
	job_done(&job);
	return status;
}

const struct command command_count = {
	.name = "count",
	.summary = "count events exactly, for a command, processes or CPUs",
	.usage = "[OPTION...] [-p PID,... | -t TID,... | [-a] [[--] COMMAND [ARG...]]]",
	.options = count_specs,
	.takes_command = true,
	.needs_proc = true,
	.needs_clock = true,
	.run = run_count,
};
