/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect check: what can be seen here, what would mend the rest, and the proof that the numbers
 * are right. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/command.h"
#include "cmd/options.h"
#include "pipeline/calibration.h"
#include "pipeline/check_points.h"
#include "pipeline/interrupt_cost.h"
#include "present/check_report.h"

struct check_values {
	const char *format;
	double rate_hz;
	bool quick;
	const char *program;
};

/* clang-format off */
#define AT(field) offsetof(struct check_values, field)

static const struct option_spec check_specs[] = {
	{ "format", 0, OPTION_TEXT, AT(format), "FORMAT", .help = "text or json" },
	{ "rate", 'F', OPTION_NUMBER, AT(rate_hz), "HZ",
	  .help = "rate of the calibration (default 1000)", .least = 100, .most = 100000 },
	{ "quick", 0, OPTION_FLAG, AT(quick), NULL,
	  .help = "only look at what is permitted; no calibration" },
	{ "program", 0, OPTION_TEXT, AT(program), "FILE",
	  .help = "only run the calibration program and write its truths to FILE" },
	{ 0 },
};
/* clang-format on */

static int fail(const struct err *err, int status)
{
	fprintf(stderr, "prospect check: %s\n", err->text);
	return status;
}

/* The recording of the calibration program, in a folder of its own. */
static int calibrate(double rate_hz, struct calibration *ret_calibration, struct err *err)
{
	char folder[] = "/tmp/prospect-check-XXXXXX", truths[64], executable[4096];
	ssize_t length = readlink("/proc/self/exe", executable, sizeof(executable) - 1);
	char command[] = "check", option[] = "--program";
	char *argv[] = { executable, command, option, truths, NULL };
	int rc;

	if (length < 0 || !mkdtemp(folder))
		return err_set(err, -errno, "cannot prepare the calibration in /tmp: %s",
			       strerror(errno));
	executable[length] = '\0';
	snprintf(truths, sizeof(truths), "%s/truths", folder);
	rc = calibration_run(argv, truths, rate_hz, ret_calibration, err);
	unlink(truths);
	rmdir(folder);
	return rc;
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

static int run_check(int argc, char **argv)
{
	struct check_values values = { .rate_hz = 1000 };
	bool help = false, json;
	struct err err;
	int first = options_parse(check_specs, argc, argv, false, &values, &help, &err);

	if (help) {
		options_print_help(&command_check);
		return 0;
	}
	json = values.format && strcmp(values.format, "json") == 0;
	if (first >= 0 && first < argc)
		first = err_set(&err, -EINVAL, "'%s' is too many", argv[first]);
	else if (first >= 0 && values.format && !json && strcmp(values.format, "text") != 0)
		first = err_set(&err, -EINVAL, "--format is text or json");
	if (first < 0)
		return fail(&err, 2);
	if (values.program)
		return calibration_program(values.program, &err) < 0 ? fail(&err, 1) : 0;
	return check(&values, json);
}

const struct command command_check = {
	.name = "check",
	.summary = "what can be seen here, what mends the rest, and whether the numbers are right",
	.usage = "[OPTION...]",
	.options = check_specs,
	.run = run_check,
};
