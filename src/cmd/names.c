/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect names: adds names that a recording lacks. */
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "cmd/options/command.h"
#include "cmd/options/line_options.h"
#include "cmd/options/options.h"
#include "load/opened.h"
#include "present/safe.h"
#include "views/names.h"

struct names_values {
	const char *output;
	const char *demangle;
	bool force, list;
	struct line_values lines;
};

/* clang-format off */
#define AT(field) offsetof(struct names_values, field)

static const struct option_spec names_specs[] = {
	{ "output", 'o', OPTION_TEXT, AT(output), "FILE",
	  .help = "make this profile and leave FILE as it is" },
	{ "debug-dir", 0, OPTION_TEXTS, AT(lines.debug_folders), "DIR",
	  .help = "look for debug files in DIR too, before /usr/lib/debug" },
	{ "debuginfod", 0, OPTION_FLAG, AT(lines.debuginfod), NULL,
	  .help = "ask the servers of DEBUGINFOD_URLS for debug files" },
	{ "force", 0, OPTION_FLAG, AT(force), NULL,
	  .help = "where no build id fits, take files of the same name in --debug-dir" },
	{ "list", 'l', OPTION_FLAG, AT(list), NULL,
	  .help = "list the functions that were found, with their frames" },
	{ "demangle", 0, OPTION_TEXT, AT(demangle), "STYLE",
	  .help = "names in the list: none, normal (default), smart (short templates)" },
	{ 0 },
};
/* clang-format on */

static int fail(const struct err *err, int status)
{
	fprintf(stderr, "prospect names: %s\n", err->text);
	return status;
}

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
	struct names_result result;
	struct err err;
	int rc = names_run(input, options, &result, &err);

	if (rc == 0) {
		print(&result, options->output ? options->output : input);
		rc = opened_end(stdout, &err);
	}
	buf_done(&result.text);
	return rc < 0 ? fail(&err, 1) : 0;
}

static int run_names(int argc, char **argv)
{
	struct names_values values = { 0 };
	struct names_options options;
	bool help = false;
	struct err err;
	int first = options_parse(names_specs, argc, argv, false, &values, &help, &err);

	if (help) {
		options_print_help(&command_names);
		return 0;
	}
	if (first >= 0 && first == argc)
		first = err_set(&err, -1, "name the profile that lacks names");
	else if (first >= 0 && argc - first > 1)
		first = err_set(&err, -1, "one FILE at a time; '%s' is too many", argv[first + 1]);
	options = (struct names_options){ .output = values.output,
					  .demangle = values.demangle,
					  .force = values.force,
					  .list = values.list,
					  .lines = line_options_of(&values.lines) };
	if (first >= 0 && values.force && !values.lines.debug_folders.count)
		first = err_set(&err, -1, "--force needs a --debug-dir with files to take");
	if (first >= 0 && names_check(&options, &err) < 0)
		first = -1;
	if (first < 0)
		return fail(&err, 2);
	return add_names(argv[first], &options);
}

const struct command command_names = {
	.name = "names",
	.summary = "add names to a profile of stripped files",
	.usage = "[OPTION...] FILE",
	.options = names_specs,
	.reads_profiles = true,
	.run = run_names,
};
