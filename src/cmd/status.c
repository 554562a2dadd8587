/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect status: what "prospect start" started, and what is kept of it. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "history/history.h"
#include "load/output.h"

struct status_values {
	const char *folder, *format;
};

/* clang-format off */
static const struct option_spec status_specs[] = {
	{ "history", 0, OPTION_TEXT, offsetof(struct status_values, folder), "DIR",
	  .help = "the folder that was given to start" },
	{ "format", 0, OPTION_TEXT, offsetof(struct status_values, format), "FORMAT",
	  .help = "text or json" },
	{ 0 },
};
/* clang-format on */

static int run_status(int argc, char **argv)
{
	struct status_values values = { NULL, NULL };
	struct err err;
	int rc, status, first = options_begin(&command_status, argc, argv, &values, &status);
	bool json = values.format && strcmp(values.format, "json") == 0;

	if (first < 0)
		return status;
	rc = first < argc ? err_set(&err, -EINVAL, "unexpected argument '%s'", argv[first]) : 0;
	if (rc == 0 && values.format && !json && strcmp(values.format, "text") != 0)
		rc = err_set(&err, -EINVAL, "invalid --format '%s': expected text or json",
			     values.format);
	if (rc < 0)
		return options_fail(&command_status, &err, 2);
	rc = history_print_status(values.folder, json, stdout, &err);
	if (rc == 0)
		rc = output_end(stdout, &err);
	return rc < 0 ? options_fail(&command_status, &err, 1) : 0;
}

const struct command command_status = {
	.name = "status",
	.summary = "show what start began: since when, losses, cost, history",
	.usage = "[OPTION...]",
	.options = status_specs,
	.run = run_status,
};
