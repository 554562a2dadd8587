/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect export: a profile in another tool's format. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#include "base/output_file.h"
#include "cmd/options/command.h"
#include "cmd/options/line_options.h"
#include "cmd/options/options.h"
#include "cmd/options/select_options.h"
#include "cmd/options/terminal.h"
#include "export/export.h"
#include "load/opened.h"
#include "store/state_files.h"
#include "views/report.h"

struct export_values {
	struct export_options options;
	struct select_values select;
	struct line_values lines;
	const char *output;
	bool quiet;
};

/* clang-format off */
#define AT(field) offsetof(struct export_values, field)

static const struct option_spec export_specs[] = {
	{ "format", 0, OPTION_TEXT, AT(options.format), "NAME",
	  .help = "write this format (required): one of those below" },
	{ "output", 'o', OPTION_TEXT, AT(output), "FILE",
	  .help = "write to FILE (default: standard output)" },
	SELECT_OPTION_ROWS(AT(select)),
	{ "by", 0, OPTION_TEXT, AT(options.by), "KEYS",
	  .help = "keys at the root of collapsed stacks, or none (default: the thread)" },
	{ "value", 0, OPTION_TEXT, AT(options.value), "WHAT",
	  .help = "the counts of collapsed stacks: weight (default) or samples" },
	{ "no-inlines", 0, OPTION_FLAG, AT(options.no_inlines), NULL,
	  .help = "do not make frames for inlined functions" },
	{ "no-lines", 0, OPTION_FLAG, AT(options.no_lines), NULL,
	  .help = "open no other files: neither source lines nor inlined functions" },
	LINE_OPTION_ROWS(AT(lines)),
	{ "demangle", 0, OPTION_TEXT, AT(options.names.demangle), "STYLE",
	  .help = "how names are written: none, normal (default), smart (short C++ templates)" },
	{ "quiet", 'q', OPTION_FLAG, AT(quiet), NULL,
	  .help = "do not report what the format cannot represent" },
	{ 0 },
};
/* clang-format on */

static void print_formats(void)
{
	printf("\nFormats:\n");
	for (const struct export_format *format = export_formats(); format->name; format++)
		printf("  %-12s %s\n", format->name, format->help);
	printf("\nKeys of --by and --select:\n");
	report_print_keys(stdout);
}

static int write_file(const struct export_values *values, const char *path,
		      struct export_note *note, struct err *err)
{
	_cleanup_(output_file_freep) struct output_file *file = NULL;
	int rc;

	if (!values->output)
		return export_write(path, &values->options, stdout, note, err);
	if (opened_is_profile(values->output))
		return err_set(err, -EEXIST,
			       "refusing to overwrite the profile %s: -o names the file to write",
			       values->output);
	rc = output_file_open(values->output, &file, err);
	if (rc == 0)
		rc = export_write(path, &values->options, output_file_stream(file), note, err);
	return rc < 0 ? rc : output_file_commit(file, err);
}

static int export(const struct export_values *values, const char *file)
{
	const struct export_format *format;
	char last[STATE_PATH_MAX];
	struct export_note note = { .text = "" };
	struct err err;

	if (export_check(&values->options, &format, &err) < 0)
		return options_fail(&command_export, &err, 2);
	if (format->binary && output_file_is_terminal(values->output ? values->output : "-")) {
		err_set(&err, -EINVAL,
			"refusing to write %s to the terminal: use -o FILE or a pipe",
			format->name);
		return options_fail(&command_export, &err, 2);
	}
	if (!file && state_last_profile(last, sizeof(last), &err) < 0)
		return options_fail(&command_export, &err, 1);
	if (write_file(values, file ? file : last, &note, &err) < 0)
		return options_fail(&command_export, &err, 1);
	if (note.text[0] && !values->quiet)
		terminal_say("prospect export: %s", note.text);
	return 0;
}

static int run_export(int argc, char **argv)
{
	struct export_values values = { .quiet = false };
	bool help = false;
	struct err err;
	int first = options_parse(export_specs, argc, argv, false, &values, &help, &err);

	if (help) {
		options_print_help(&command_export);
		print_formats();
		return 0;
	}
	if (first >= 0 && argc - first > 1)
		first = err_set(&err, -EINVAL,
				"unexpected argument '%s': expected at most one FILE",
				argv[first + 1]);
	if (first < 0)
		return options_fail(&command_export, &err, 2);
	values.options.selection = select_options_of(&values.select);
	values.options.names.lines = line_options_of(&values.lines);
	return export(&values, first < argc ? argv[first] : NULL);
}

const struct command command_export = {
	.name = "export",
	.summary = "convert a profile for another tool: pprof, collapsed stacks ...",
	.usage = "--format NAME [OPTION...] [-o FILE] [FILE]",
	.options = export_specs,
	.reads_profiles = true,
	.run = run_export,
};
