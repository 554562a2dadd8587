/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect [run] COMMAND: profile the whole machine while a command runs, then print the report.
 * prospect -p NAME: the same for processes that run already. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "cmd/commands.h"
#include "cmd/options/collect_options.h"
#include "cmd/options/terminal.h"
#include "cmd/preload.h"
#include "store/record_output.h"

struct run_values {
	struct collect_options collect;
	struct report_values report;
};

static const struct option_spec run_specs[] = {
	COLLECT_OPTION_ROWS(struct run_values, collect),
	REPORT_OPTION_ROWS(struct run_values, report),
	{ 0 },
};

static int fail(const struct err *err, int status)
{
	fprintf(stderr, "prospect: %s\n", err->text);
	return status;
}

/* The report of a command goes to stderr or to -f FILE, so that it does not mix with the command's
 * output. */
static int record_and_report(const struct run_values *values, char **command, const struct who *who)
{
	struct record_options options = collect_record_options(&values->collect);
	struct report_values report = values->report;
	_cleanup_(output_file_freep) struct output_file *output = NULL;
	struct record_result result;
	struct err err;
	int rc, status;

	if (report_options_open(&report, &output, &status, &err) < 0)
		return fail(&err, status);
	if (report_options_contradict(&report, "run"))
		return 2;
	options.argv = command;
	options.who = command ? NULL : who;
	options.debug_folders = report.names.lines.debug_folders.items;
	options.debug_folder_count = report.names.lines.debug_folders.count;
	report.options.vmlinux = options.vmlinux;
	status = collect_run(&options, &result);
	if (!result.path[0])
		return status;
	/* The exit status is the command's, even if the reader of the report has closed its end. */
	signal(SIGPIPE, SIG_IGN);
	rc = report_options_print(&report, result.path, options.output, output,
				  command ? stderr : stdout, &err);
	if (!result.kept)
		record_output_remove_temporary(result.path);
	if (rc < 0)
		fail(&err, 1);
	return status > 0 ? status : command_outcome_exit_status(&result.outcome, rc);
}

/* The kernel's tick bounds the rate of the timers. */
enum { PRELOAD_RATE_HZ = 250 };

/* True if the command line asks for nothing that only the kernel could give. */
static bool can_preload(const struct run_values *values)
{
	const struct record_options *record = &values->collect.record;

	return !values->collect.events.count && !record->off_cpu && !record->cpus &&
	       !record->as_user && record->duration_s <= 0;
}

static int preload(const struct run_values *values, char **command)
{
	const struct record_options *record = &values->collect.record;
	struct preload_options options = {
		.argv = command,
		.rate_hz = record->rate_hz < PRELOAD_RATE_HZ ? record->rate_hz : PRELOAD_RATE_HZ,
		.output = record->output,
	};

	terminal_say("prospect: nothing may be sampled here, not even one's own programs: using a "
		     "preloaded library (see prospect-preload(1))");
	return preload_and_report(&options, &values->report, &command_run);
}

static int run_run(int argc, char **argv)
{
	struct run_values values = { .collect = COLLECT_DEFAULTS, .report = REPORT_DEFAULTS };
	_cleanup_(who_done) struct who who = { 0 };
	char **command;
	struct err err;
	int status, first = options_begin(&command_run, argc, argv, &values, &status);

	if (first < 0)
		return status;
	command = first < argc ? argv + first : NULL;
	if (collect_read_who(&values.collect, command, &who, &err) < 0)
		return fail(&err, 2);
	if (!command && !who.words.count) {
		err_set(&err, -EINVAL,
			"nothing to profile: give a command or -p NAME (see 'prospect --help')");
		return fail(&err, 2);
	}
	if (command && can_preload(&values) && preload_is_needed())
		return preload(&values, command);
	return record_and_report(&values, command, &who);
}

const struct command command_run = {
	.name = "run",
	.summary = "profile the machine while a command runs, and print the report",
	.usage = "[OPTION...] [-p NAME,... | [--] COMMAND [ARG...]]",
	.options = run_specs,
	.more_help = report_options_print_keys,
	.takes_command = true,
	.needs_proc = true,
	.needs_clock = true,
	.run = run_run,
};
