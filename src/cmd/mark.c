/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect mark: notes a moment in what "prospect start" records. */
#include <errno.h>
#include <stddef.h>

#include "cmd/commands.h"
#include "history/history.h"

struct mark_values {
	const char *folder;
};

/* clang-format off */
static const struct option_spec mark_specs[] = {
	{ "history", 0, OPTION_TEXT, offsetof(struct mark_values, folder), "DIR",
	  .help = "the folder that was given to start" },
	{ 0 },
};
/* clang-format on */

static int run_mark(int argc, char **argv)
{
	struct mark_values values = { NULL };
	struct err err;
	int rc = 0, status, first = options_begin(&command_mark, argc, argv, &values, &status);

	if (first < 0)
		return status;
	if (first == argc)
		rc = err_set(&err, -EINVAL,
			     "give the mark a text, as 'prospect mark before-deploy'");
	else if (first + 1 < argc)
		rc = err_set(&err, -EINVAL,
			     "unexpected argument '%s': put a text of several words in quotes",
			     argv[first + 1]);
	if (rc == 0)
		rc = history_mark(values.folder, argv[first], &err);
	return rc < 0 ? options_fail(&command_mark, &err, rc == -EINVAL ? 2 : 1) : 0;
}

const struct command command_mark = {
	.name = "mark",
	.summary = "note a moment in what start records",
	.usage = "[OPTION...] TEXT",
	.options = mark_specs,
	.run = run_mark,
};
