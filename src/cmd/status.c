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
	  .help = "text, json or openmetrics", .words = "text json openmetrics" },
	{ 0 },
};
/* clang-format on */

/* False: there is no format of this name. */
static bool find_format(const char *name, enum history_format *ret_format)
{
	static const char *const names[] = {
		[HISTORY_TEXT] = "text",
		[HISTORY_JSON] = "json",
		[HISTORY_OPENMETRICS] = "openmetrics",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], name) == 0) {
			*ret_format = (enum history_format)i;
			return true;
		}
	}
	return false;
}

static int run_status(int argc, char **argv)
{
	struct status_values values = { NULL, NULL };
	struct err err;
	int rc, status, first = options_begin(&command_status, argc, argv, &values, &status);
	enum history_format format = HISTORY_TEXT;

	if (first < 0)
		return status;
	rc = first < argc ? err_set(&err, -EINVAL, "unexpected argument '%s'", argv[first]) : 0;
	if (rc == 0 && values.format && !find_format(values.format, &format))
		rc = err_set(&err, -EINVAL,
			     "invalid --format '%s': expected text, json or openmetrics",
			     values.format);
	if (rc < 0)
		return options_fail(&command_status, &err, 2);
	rc = history_print_status(values.folder, format, stdout, &err);
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
