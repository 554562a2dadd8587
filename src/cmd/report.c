/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect report: shows the contents of a profile. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "cmd/commands.h"
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
	{ "vmlinux", 'L', OPTION_TEXT, REPORT_ROW(struct report_command, report, options.vmlinux), "FILE",
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
	int status, rc;

	if (report_options_open(values, &output, &status, &err) < 0)
		return options_fail(&command_report, &err, status);
	if (report_options_contradict(values, "report"))
		return 2;
	if (!file && profile_options_default(&values->select, last, sizeof(last), &err) < 0)
		return options_fail(&command_report, &err, 1);
	rc = report_options_print(values, file ? file : last, file, output, NULL, &err);
	return rc < 0 ? options_fail(&command_report, &err, profile_options_status(rc)) : 0;
}

static int run_report(int argc, char **argv)
{
	struct report_command values = { .report = REPORT_DEFAULTS };
	struct err err;
	int status, first = options_begin(&command_report, argc, argv, &values, &status);

	if (first < 0)
		return status;
	if (argc - first > 1) {
		err_set(&err, -EINVAL, "unexpected argument '%s': expected at most one FILE",
			argv[first + 1]);
		return options_fail(&command_report, &err, 2);
	}
	return show(&values.report, first < argc ? argv[first] : NULL);
}

const struct command command_report = {
	.name = "report",
	.summary = "print the report of a profile, or tables by any key",
	.usage = "[OPTION...] [FILE]",
	.options = report_specs,
	.more_help = report_options_print_keys,
	.reads_profiles = true,
	.run = run_report,
};
