/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect [run] COMMAND: profile the whole machine while a command runs, then print the report. */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>

#include "cmd/options/collect_options.h"
#include "cmd/options/command.h"
#include "cmd/options/report_options.h"
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

/* The report goes to stderr or to -f FILE, so that it does not mix with the command's output. */
static int record_and_report(const struct run_values *values, char **command)
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
	options.debug_folders = report.names.lines.debug_folders.items;
	options.debug_folder_count = report.names.lines.debug_folders.count;
	report.vmlinux = options.vmlinux;
	status = collect_run(&options, &result);
	if (!result.path[0])
		return status;
	/* The exit status is the command's, even if the reader of the report has closed its end. */
	signal(SIGPIPE, SIG_IGN);
	rc = report_options_print(&report, result.path, values->collect.output, output, stderr,
				  &err);
	if (!result.kept)
		record_output_remove_temporary(result.path);
	if (rc < 0)
		fail(&err, 1);
	return status > 0 ? status : command_outcome_exit_status(&result.outcome, rc);
}

static int run_run(int argc, char **argv)
{
	struct run_values values = { .collect = COLLECT_DEFAULTS, .report = REPORT_DEFAULTS };
	bool help = false;
	struct err err;
	int first = options_parse(run_specs, argc, argv, true, &values, &help, &err);

	if (help) {
		options_print_help(&command_run);
		report_options_print_keys();
		return 0;
	}
	if (first >= 0 && first == argc)
		first = err_set(&err, -1, "no command to profile: see 'prospect --help'");
	if (first < 0)
		return fail(&err, 2);
	return record_and_report(&values, argv + first);
}

const struct command command_run = {
	.name = "run",
	.summary = "profile the whole machine while a command runs, and print the report",
	.usage = "[OPTION...] [--] COMMAND [ARG...]",
	.options = run_specs,
	.needs_proc = true,
	.run = run_run,
};
