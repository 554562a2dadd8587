/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect check: what can be recorded here, how to fix the rest, and proof that the numbers are
 * right. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/check.h"
#include "cmd/commands.h"
#include "sampling/interrupt_cost.h"

struct check_values {
	const char *format;
	double rate_hz;
	bool quick, fix;
	const char *program;
	bool stacks;
	int64_t count;
};

/* clang-format off */
#define AT(field) offsetof(struct check_values, field)

static const struct option_spec check_specs[] = {
	{ "format", 0, OPTION_TEXT, AT(format), "FORMAT", .help = "text or json", .words = "text json" },
	{ "rate", 'F', OPTION_NUMBER, AT(rate_hz), "HZ",
	  .help = "rate of the calibration (default 1000)", .least = 100, .most = 100000 },
	{ "quick", 0, OPTION_FLAG, AT(quick), NULL,
	  .help = "only show what is permitted; do not calibrate" },
	{ "fix", 0, OPTION_FLAG, AT(fix), NULL,
	  .help = "print the one command that enables more, and no more than that takes" },
	{ "program", 0, OPTION_TEXT, AT(program), "FILE",
	  .help = "only run the calibration program and write its true values to FILE" },
	{ "stacks", 0, OPTION_FLAG, AT(stacks), NULL,
	  .help = "compare live call stacks, also those of COMMAND, with libdwfl's" },
	{ "count", 0, OPTION_INTEGER, AT(count), "N",
	  .help = "stop after N stacks (default 5000)", .least = 1, .most = 1e7 },
	{ 0 },
};
/* clang-format on */

/* The calibration program in a folder of its own, ready to be recorded. */
struct calibration_command {
	char folder[32], truths[64], executable[4096];
	char command[8], option[16];
	char *argv[5];
};

static int prepare_command(struct calibration_command *ret_command, struct err *err)
{
	ssize_t length = readlink("/proc/self/exe", ret_command->executable,
				  sizeof(ret_command->executable) - 1);

	*ret_command->argv = ret_command->executable;
	snprintf(ret_command->folder, sizeof(ret_command->folder), "/tmp/prospect-check-XXXXXX");
	if (length < 0 || !mkdtemp(ret_command->folder))
		return err_set(err, -errno, "cannot prepare the calibration in /tmp: %s",
			       strerror(errno));
	ret_command->executable[length] = '\0';
	snprintf(ret_command->truths, sizeof(ret_command->truths), "%s/truths",
		 ret_command->folder);
	strcpy(ret_command->command, "check");
	strcpy(ret_command->option, "--program");
	ret_command->argv[1] = ret_command->command;
	ret_command->argv[2] = ret_command->option;
	ret_command->argv[3] = ret_command->truths;
	ret_command->argv[4] = NULL;
	return 0;
}

static void remove_command(const struct calibration_command *command)
{
	unlink(command->truths);
	rmdir(command->folder);
}

static int calibrate(double rate_hz, struct calibration *ret_calibration, struct err *err)
{
	struct calibration_command command;
	int rc = prepare_command(&command, err);

	if (rc < 0)
		return rc;
	rc = calibration_run(command.argv, command.truths, rate_hz, ret_calibration, err);
	remove_command(&command);
	return rc;
}

/* Without a command of the user, records the calibration program. */
static int compare_stacks(const struct check_values *values, char *const *argv,
			  struct stack_check_counts *ret_counts, struct err *err)
{
	struct calibration_command command;
	int rc;

	if (argv)
		return stack_check_run(argv, values->rate_hz, (uint64_t)values->count, ret_counts,
				       err);
	rc = prepare_command(&command, err);
	if (rc < 0)
		return rc;
	rc = stack_check_run(command.argv, values->rate_hz, (uint64_t)values->count, ret_counts,
			     err);
	remove_command(&command);
	return rc;
}

/* Returns 1 also if a stack differs from libdwfl's. */
static int check_stacks(const struct check_values *values, char *const *argv, bool json)
{
	struct stack_check_counts counts = { 0 };
	struct err err;
	int status;

	if (compare_stacks(values, argv, &counts, &err) < 0)
		return options_fail(&command_check, &err, 1);
	if (json)
		stack_check_report_json(&counts, stdout);
	else
		stack_check_report_text(&counts, stdout);
	status = counts.verdicts[STACK_VERDICT_DIFFERENT] ? 1 : 0;
	stack_check_counts_done(&counts);
	return status;
}

static void measure(const struct check_values *values, struct check_report *report)
{
	struct err err;

	if (interrupt_cost_measure(&report->cost, &err) == 0) {
		report->cost_known = true;
		if (interrupt_cost_save(&report->cost, &err) < 0)
			fprintf(stderr, "prospect check: %s\n", err.text);
	}
	if (calibrate(values->rate_hz, &report->calibration, &report->calibration_err) == 0)
		report->calibrated = true;
}

static int check(const struct check_values *values, bool json)
{
	struct check_report report = { .point_count = 0 };
	int status;

	report.point_count = check_points_look(report.points);
	report.quick = values->quick;
	if (!values->quick)
		measure(values, &report);
	if (json)
		check_report_json(&report, stdout);
	else
		check_report_text(&report, stdout);
	status = check_report_right(&report) ? 0 : 1;
	calibration_done(&report.calibration);
	return status;
}

/* The command alone goes to stdout, so that a shell can run it. */
static int fix(void)
{
	struct check_point points[CHECK_MAX_POINTS];
	size_t count = check_points_look(points);
	struct check_fix fix;

	if (check_fix_find(points, count, &fix)) {
		printf("%s\n", fix.command);
		fprintf(stderr, "prospect check: it enables: %s\n", fix.gain);
	} else {
		fprintf(stderr, "prospect check: no command enables more%s\n",
			geteuid() == 0 ? "" : " for you; sudo does");
	}
	return 0;
}

static int run_check(int argc, char **argv)
{
	struct check_values values = { .rate_hz = 1000, .count = 5000 };
	char **command;
	bool json;
	struct err err;
	int status, first = options_begin(&command_check, argc, argv, &values, &status);

	if (first < 0)
		return status;
	json = values.format && strcmp(values.format, "json") == 0;
	command = first < argc ? argv + first : NULL;
	if (values.fix && (values.stacks || values.format || values.program))
		first = err_set(&err, -EINVAL, "--fix goes with no other option");
	else if (command && !values.stacks)
		first = err_set(&err, -EINVAL, "unexpected argument '%s'", argv[first]);
	else if (values.format && !json && strcmp(values.format, "text") != 0)
		first = err_set(&err, -EINVAL, "invalid --format '%s': expected text or json",
				values.format);
	if (first < 0)
		return options_fail(&command_check, &err, 2);
	if (values.program)
		return calibration_program(values.program, &err) < 0
			       ? options_fail(&command_check, &err, 1)
			       : 0;
	if (values.fix)
		return fix();
	return values.stacks ? check_stacks(&values, command, json) : check(&values, json);
}

const struct command command_check = {
	.name = "check",
	.summary = "show what can be profiled here, enable more, verify the figures",
	.usage = "[OPTION...] [--stacks [[--] COMMAND [ARG...]]]",
	.options = check_specs,
	.takes_command = true,
	.needs_proc = true,
	.needs_clock = true,
	.run = run_check,
};
