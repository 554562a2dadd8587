/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect merge: makes one profile of several. */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "cmd/commands.h"
#include "cmd/options/terminal.h"
#include "views/views.h"

struct merge_values {
	const char *output;
	bool quiet;
};

/* clang-format off */
#define AT(field) offsetof(struct merge_values, field)

static const struct option_spec merge_specs[] = {
	{ "output", 'o', OPTION_TEXT, AT(output), "FILE",
	  .help = "write the profile to FILE (default: last.prof in the state folder)" },
	{ "quiet", 'q', OPTION_FLAG, AT(quiet), NULL,
	  .help = "print nothing on success" },
	{ 0 },
};
/* clang-format on */

static void print(const struct merge_values *values, const struct merge_result *result)
{
	if (result->note[0])
		terminal_say("prospect merge: %s", result->note);
	else if (!values->quiet)
		terminal_say("prospect: merged %zu profile%s of %" PRIu64 " machine%s, %" PRIu64
			     " samples, into %s; 'prospect report%s%s' shows them",
			     result->profiles, result->profiles == 1 ? "" : "s", result->machines,
			     result->machines == 1 ? "" : "s", result->samples, result->path,
			     values->output ? " " : "", values->output ? result->path : "");
}

static int run_merge(int argc, char **argv)
{
	struct merge_values values = { .quiet = false };
	struct merge_options options = { .output = NULL };
	struct merge_result result;
	struct err err;
	int status, first = options_begin(&command_merge, argc, argv, &values, &status);

	if (first < 0)
		return status;
	options.inputs = (const char *const *)argv + first;
	options.input_count = (size_t)(argc - first);
	options.output = values.output;
	if (merge_check(&options, &err) < 0)
		return options_fail(&command_merge, &err, 2);
	if (merge_run(&options, &result, &err) < 0)
		return options_fail(&command_merge, &err, 1);
	print(&values, &result);
	return result.kept ? 0 : 1;
}

const struct command command_merge = {
	.name = "merge",
	.summary = "make one profile of several, also of different machines",
	.usage = "[OPTION...] FILE FILE...|DIR...",
	.options = merge_specs,
	.reads_profiles = true,
	.run = run_merge,
};
