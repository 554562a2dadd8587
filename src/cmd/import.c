/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect import: makes a profile from another tool's recording. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/options/terminal.h"
#include "import/import.h"

struct import_values {
	struct import_options options;
	struct option_texts debug_folders;
	bool quiet;
};

/* clang-format off */
#define AT(field) offsetof(struct import_values, field)

static const struct option_spec import_specs[] = {
	{ "output", 'o', OPTION_TEXT, AT(options.output), "FILE",
	  .help = "write the profile to FILE (default: last.prof in the state folder)" },
	{ "symfs", 0, OPTION_TEXT, AT(options.symfs), "DIR",
	  .help = "look for the files of the recorded machine under DIR, with their paths" },
	{ "debug-dir", 0, OPTION_TEXTS, AT(debug_folders), "DIR",
	  .help = "look for the symbols of stripped files in DIR before /usr/lib/debug" },
	{ "kallsyms", 0, OPTION_TEXT, AT(options.kallsyms), "FILE",
	  .help = "take kernel names from the recorded kernel's /proc/kallsyms or System.map" },
	{ "vmlinux", 0, OPTION_TEXT, AT(options.vmlinux), "FILE",
	  .help = "take kernel names from the recorded kernel's uncompressed image with symbols" },
	{ "value", 0, OPTION_TEXT, AT(options.value), "WHAT",
	  .help = "counts of collapsed stacks: samples or weight (default: depends on their sum)",
	  .words = "samples weight" },
	{ "inlines", 0, OPTION_FLAG, AT(options.inlines), NULL,
	  .help = "make frames for inlined functions, whichever tool wrote the file" },
	{ "quiet", 'q', OPTION_FLAG, AT(quiet), NULL,
	  .help = "print nothing on success" },
	{ 0 },
};
/* clang-format on */

static int import(const struct import_values *values)
{
	struct import_result result;
	struct err err;

	if (import_run(&values->options, &result, &err) < 0)
		return options_fail(&command_import, &err, 1);
	if (result.damage[0])
		terminal_say("prospect import: partly read: %s", result.damage);
	if (result.left_out[0] && !values->quiet)
		terminal_say("prospect import: %s", result.left_out);
	if (result.note[0])
		terminal_say("prospect import: %s", result.note);
	else if (!values->quiet)
		terminal_say("prospect: imported %" PRIu64
			     " samples into %s; 'prospect report%s%s' shows them",
			     result.samples, result.path, values->options.output ? " " : "",
			     values->options.output ? result.path : "");
	return result.kept ? 0 : 1;
}

static int run_import(int argc, char **argv)
{
	struct import_values values = { .quiet = false };
	struct err err;
	int status, first = options_begin(&command_import, argc, argv, &values, &status);

	if (first < 0)
		return status;
	if (argc - first != 1)
		first = err_set(&err, -1, "%s",
				first == argc ? "missing FILE: a perf.data, perf script output, a "
						"pprof profile or collapsed stacks"
					      : "only one FILE can be imported");
	if (first >= 0) {
		values.options.input = argv[first];
		values.options.debug_folders = values.debug_folders.items;
		values.options.debug_folder_count = values.debug_folders.count;
		first = import_check(&values.options, &err);
	}
	if (first < 0)
		return options_fail(&command_import, &err, 2);
	return import(&values);
}

const struct command command_import = {
	.name = "import",
	.summary = "make a profile from a recording of perf or another tool",
	.usage = "[OPTION...] FILE|-",
	.options = import_specs,
	.reads_profiles = true,
	.run = run_import,
};
