/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect report: shows the contents of a profile. */
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "cmd/options/command.h"
#include "cmd/options/report_options.h"
#include "store/state_files.h"

struct report_command {
	struct report_values report;
};

/* clang-format off */
/* Only report has its own -L: commands that record have an option of that name, which serves for
 * both. */
static const struct option_spec report_specs[] = {
	REPORT_OPTION_ROWS(struct report_command, report),
	{ "vmlinux", 'L', OPTION_TEXT, REPORT_ROW(struct report_command, report, vmlinux), "FILE",
	  .help = "kernel code for -d from the recorded kernel's uncompressed image" },
	{ 0 },
};
/* clang-format on */

/* @file: as typed; NULL: the last profile. Returns the exit status. */
static int show(const struct report_values *values, const char *file)
{
	_cleanup_(output_file_freep) struct output_file *output = NULL;
	char last[STATE_PATH_MAX];
	struct err err;
	int status;

	if (report_options_open(values, &output, &status, &err) < 0)
		return options_fail(&command_report, &err, status);
	if (report_options_contradict(values, "report"))
		return 2;
	if (!file && state_last_profile(last, sizeof(last), &err) < 0)
		return options_fail(&command_report, &err, 1);
	if (report_options_print(values, file ? file : last, file, output, stdout, &err) < 0)
		return options_fail(&command_report, &err, 1);
	return 0;
}

static int run_report(int argc, char **argv)
{
	struct report_command values = { .report = REPORT_DEFAULTS };
	bool help = false;
	struct err err;
	int first = options_parse(report_specs, argc, argv, false, &values, &help, &err);

	if (help) {
		options_print_help(&command_report);
		report_options_print_keys();
		return 0;
	}
	if (first >= 0 && argc - first > 1)
		first = err_set(&err, -1, "unexpected argument '%s': expected at most one FILE",
				argv[first + 1]);
	if (first < 0)
		return options_fail(&command_report, &err, 2);
	return show(&values.report, first < argc ? argv[first] : NULL);
}

const struct command command_report = {
	.name = "report",
	.summary = "print the report of a profile, or tables by any key",
	.usage = "[OPTION...] [FILE]",
	.options = report_specs,
	.reads_profiles = true,
	.run = run_report,
};
