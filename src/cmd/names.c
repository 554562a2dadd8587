/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect names: adds names that a recording lacks. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "cmd/commands.h"
#include "cmd/options/profile_options.h"
#include "load/opened.h"
#include "load/output.h"
#include "present/safe.h"
#include "store/state_files.h"
#include "views/views.h"

struct names_values {
	struct names_options options;
	struct line_values lines;
};

/* clang-format off */
#define AT(field) offsetof(struct names_values, field)

static const struct option_spec names_specs[] = {
	{ "output", 'o', OPTION_TEXT, AT(options.output), "FILE",
	  .help = "make this profile and leave FILE as it is" },
	{ "debug-dir", 0, OPTION_TEXTS, AT(lines.debug_folders), "DIR",
	  .help = "look for debug files in DIR too, before /usr/lib/debug" },
	{ "debuginfod", 0, OPTION_FLAG, AT(lines.options.debuginfod), NULL,
	  .help = "ask the servers of DEBUGINFOD_URLS for debug files" },
	{ "force", 0, OPTION_FLAG, AT(options.force), NULL,
	  .help = "where no build id fits, take files of the same name in --debug-dir" },
	{ "list", 'l', OPTION_FLAG, AT(options.list), NULL,
	  .help = "list the functions that were found, with their frames" },
	{ "demangle", 0, OPTION_TEXT, AT(options.demangle), "STYLE",
	  .help = "names in the list: none, normal (default), smart (short templates)" },
	{ 0 },
};
/* clang-format on */

static void print(const struct names_result *result, const char *path)
{
	struct buf shown = { 0 };

	safe_text(&shown, path);
	fputs(buf_text(&result->text), stdout);
	if (result->named)
		printf("%llu frame%s named in %s\n", (unsigned long long)result->named,
		       result->named == 1 ? "" : "s", buf_text(&shown));
	else if (result->written)
		printf("nothing new: %s is a copy\n", buf_text(&shown));
	else
		printf("nothing new: %s was not changed\n", buf_text(&shown));
	buf_done(&shown);
}

static int add_names(const char *input, const struct names_options *options)
{
	struct names_result result = { 0 };
	char kept[STATE_PATH_MAX];
	struct err err;
	int rc = state_find(&input, kept, sizeof(kept), &err);

	if (rc == 0)
		rc = names_run(input, options, &result, &err);
	if (rc == 0) {
		print(&result, options->output ? options->output : input);
		rc = output_end(stdout, &err);
	}
	buf_done(&result.text);
	return rc < 0 ? options_fail(&command_names, &err, 1) : 0;
}

static int run_names(int argc, char **argv)
{
	struct names_values values = { 0 };
	struct err err;
	int rc, status, first = options_begin(&command_names, argc, argv, &values, &status);

	if (first < 0)
		return status;
	values.options.lines = profile_options_lines(&values.lines);
	if (first == argc)
		rc = err_set(&err, -EINVAL, "name the profile that lacks names");
	else if (argc - first > 1)
		rc = err_set(&err, -EINVAL, "one FILE at a time; '%s' is too many",
			     argv[first + 1]);
	else if (values.options.force && !values.lines.debug_folders.count)
		rc = err_set(&err, -EINVAL,
			     "--force needs --debug-dir, the folder to take files from");
	else
		rc = names_check(&values.options, &err);
	if (rc < 0)
		return options_fail(&command_names, &err, 2);
	return add_names(argv[first], &values.options);
}

const struct command command_names = {
	.name = "names",
	.summary = "add names to a profile of stripped files",
	.usage = "[OPTION...] FILE",
	.options = names_specs,
	.reads_profiles = true,
	.run = run_names,
};
