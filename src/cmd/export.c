/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect export: a profile in another tool's format. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#include "cmd/commands.h"
#include "cmd/options/output_option.h"
#include "cmd/options/profile_options.h"
#include "cmd/options/report_options.h"
#include "cmd/options/terminal.h"
#include "export/export.h"
#include "store/state_files.h"

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
	SCOPE_OPTION_ROWS(AT(select), 0),
	{ "by", 0, OPTION_TEXT, AT(options.by), "KEYS",
	  .help = "keys at the root of collapsed stacks, or none (default: the thread)" },
	{ "value", 0, OPTION_TEXT, AT(options.value), "WHAT",
	  .help = "the counts of collapsed stacks: weight (default) or samples",
	  .words = "weight samples" },
	{ "no-inlines", 0, OPTION_FLAG, AT(options.no_inlines), NULL,
	  .help = "do not make frames for inlined functions" },
	{ "no-lines", 0, OPTION_FLAG, AT(options.no_lines), NULL,
	  .help = "open no other files: neither source lines nor inlined functions" },
	LINE_OPTION_ROWS(AT(lines)),
	{ "demangle", 0, OPTION_TEXT, AT(options.names.demangle), "STYLE",
	  .help = "how names are written: none, normal (default), smart (short C++ templates)",
	  .words = "none normal smart" },
	{ "quiet", 'q', OPTION_FLAG, AT(quiet), NULL,
	  .help = "do not report what the format cannot represent" },
	{ 0 },
};
/* clang-format on */

static void print_formats(void)
{
	printf("\nFormats:\n");
	for (const struct export_format *const *format = export_formats(); *format; format++)
		printf("  %-12s %s\n", (*format)->name, (*format)->help);
	report_options_print_keys();
}

static int write_file(const struct export_values *values, const char *path,
		      struct export_note *note, struct err *err)
{
	_cleanup_(output_file_freep) struct output_file *file = NULL;
	int rc;

	if (!values->output)
		return export_write(path, &values->options, stdout, note, err);
	rc = output_option_open(values->output, "-o names the file", &file, err);
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
	int rc;

	if (export_check(&values->options, &format, &err) < 0)
		return options_fail(&command_export, &err, 2);
	if (format->binary && output_file_is_terminal(values->output ? values->output : "-")) {
		err_set(&err, -EINVAL,
			"refusing to write %s to the terminal: use -o FILE or a pipe",
			format->name);
		return options_fail(&command_export, &err, 2);
	}
	if (!file && profile_options_default(&values->select, last, sizeof(last), &err) < 0)
		return options_fail(&command_export, &err, 1);
	rc = write_file(values, file ? file : last, &note, &err);
	if (rc < 0)
		return options_fail(&command_export, &err, profile_options_status(rc));
	if (note.text[0] && !values->quiet)
		terminal_say("prospect export: %s", note.text);
	return 0;
}

static int run_export(int argc, char **argv)
{
	struct export_values values = { .quiet = false };
	struct err err;
	int status, first = options_begin(&command_export, argc, argv, &values, &status);

	if (first < 0)
		return status;
	if (argc - first > 1) {
		err_set(&err, -EINVAL, "unexpected argument '%s': expected at most one FILE",
			argv[first + 1]);
		return options_fail(&command_export, &err, 2);
	}
	values.options.selection = profile_options_selection(&values.select);
	values.options.names.lines = profile_options_lines(&values.lines);
	return export(&values, first < argc ? argv[first] : NULL);
}

const struct command command_export = {
	.name = "export",
	.summary = "convert a profile for another tool: pprof, collapsed stacks ...",
	.usage = "--format NAME [OPTION...] [-o FILE] [FILE]",
	.options = export_specs,
	.more_help = print_formats,
	.reads_profiles = true,
	.run = run_export,
};
