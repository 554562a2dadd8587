/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect annotate: source lines and instructions with their samples. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "annotate/annotate.h"
#include "base/err.h"
#include "cmd/commands.h"
#include "cmd/options/option_value.h"
#include "cmd/options/output_option.h"
#include "cmd/options/profile_options.h"
#include "cmd/options/screen_options.h"
#include "store/state_files.h"

struct annotate_values {
	struct annotate_options options;
	bool code, source, mixed, all;
	struct select_values select;
	struct line_values lines;
	struct option_texts source_paths, include, exclude;
	struct screen_values screen;
	const char *columns, *mode, *output;
};

/* clang-format off */
#define AT(field) offsetof(struct annotate_values, field)

static const struct option_spec annotate_specs[] = {
	{ "asm", 'a', OPTION_FLAG, AT(code), NULL, .help = "show instructions only" },
	{ "source", 's', OPTION_FLAG, AT(source), NULL, .help = "show source lines only" },
	{ "mixed", 0, OPTION_FLAG, AT(mixed), NULL,
	  .help = "show both, in order of address (the default if the source is available)" },
	{ "intel-syntax", 0, OPTION_FLAG, AT(options.intel), NULL,
	  .help = "write x86 instructions in Intel syntax, not in AT&T syntax" },
	{ "all", 0, OPTION_FLAG, AT(all), NULL,
	  .help = "show all functions, or with -o write all source files" },
	{ "output", 'o', OPTION_TEXT, AT(options.folder), "DIR",
	  .help = "write each sampled source file below DIR, with the same line numbers" },
	{ "mode", 0, OPTION_TEXT, AT(mode), "MODE",
	  .help = "with -o: mode of the written files, as for chmod (default 0600)" },
	{ "source-path", 0, OPTION_TEXTS, AT(source_paths), "FROM=TO",
	  .help = "look for source files of FROM in TO; a DIR alone: for all source files" },
	{ "include", 0, OPTION_TEXTS, AT(include), "GLOB",
	  .help = "show only source files whose name, or a folder in it, matches" },
	{ "exclude", 0, OPTION_TEXTS, AT(exclude), "GLOB",
	  .help = "show no source files that match" },
	SELECT_OPTION_ROWS(AT(select)),
	SCOPE_OPTION_ROWS(AT(select), 0),
	{ "event", 'e', OPTION_TEXT, AT(options.event), "EVENT,...",
	  .help = "show these events side by side; names or globs (default: the clock)" },
	{ "columns", 0, OPTION_TEXT, AT(columns), "event",
	  .help = "show all events side by side" },
	{ "threshold", 0, OPTION_NUMBER, AT(options.threshold), "PCT",
	  .help = "omit functions, or with -o files, with a smaller share (default 0)",
	  .least = 0, .most = 100 },
	{ "demangle", 0, OPTION_TEXT, AT(options.demangle), "STYLE",
	  .help = "how names are written: none, normal (default), smart (short C++ templates)",
	  .words = "none normal smart" },
	{ "kallsyms", 0, OPTION_TEXT, AT(options.kallsyms), "FILE",
	  .help = "names for kernel code that has none, from its /proc/kallsyms or System.map" },
	LINE_OPTION_ROWS(AT(lines)),
	SCREEN_OPTION_ROWS(AT(screen)),
	{ "vmlinux", 'L', OPTION_TEXT, AT(options.vmlinux), "FILE",
	  .help = "take kernel code from the recorded kernel's uncompressed image" },
	{ "file", 'f', OPTION_TEXT, AT(output), "FILE", .help = "write to FILE" },
	{ 0 },
};
/* clang-format on */

/* Completes values->options. */
static void finish_options(struct annotate_values *values)
{
	struct annotate_options *options = &values->options;

	options->mode = values->code	 ? ANNOTATE_ASM
			: values->source ? ANNOTATE_SOURCE
			: values->mixed	 ? ANNOTATE_MIXED
					 : ANNOTATE_BEST;
	options->selection = profile_options_selection(&values->select);
	if (values->columns && !options->event)
		options->event = "*";
	options->source_paths = values->source_paths.items;
	options->source_path_count = values->source_paths.count;
	options->include = values->include.items;
	options->include_count = values->include.count;
	options->exclude = values->exclude.items;
	options->exclude_count = values->exclude.count;
	options->lines = profile_options_lines(&values->lines);
}

static int check_words(const struct annotate_values *values, int count, char **words,
		       struct err *err)
{
	int most = values->all ? 1 : 2;

	if (values->code + values->source + values->mixed > 1)
		return err_set(err, -EINVAL, "--asm, --source and --mixed cannot be used together");
	if (values->columns && strcmp(values->columns, "event") != 0)
		return err_set(err, -EINVAL, "invalid --columns '%s': expected event",
			       values->columns);
	if (values->mode && !values->options.folder)
		return err_set(err, -EINVAL, "--mode needs -o");
	if (values->options.folder && !values->all)
		return err_set(err, -EINVAL, "-o needs --all: it writes all source files");
	if (values->options.intel && (values->source || values->options.folder))
		return err_set(err, -EINVAL,
			       "--intel-syntax cannot be used with %s, which shows no instructions",
			       values->source ? "--source" : "-o");
	if (!values->all && count == 0)
		return err_set(err, -EINVAL, "missing SYMBOL: name a function, or use --all");
	if (count > most)
		return err_set(err, -EINVAL, "unexpected argument '%s': expected at most %s",
			       words[most],
			       values->all ? "a FILE with --all" : "a SYMBOL and a FILE");
	return 0;
}

static int print(struct annotate_values *values, const char *path, struct err *err)
{
	struct annotate_options *options = &values->options;
	_cleanup_(output_file_freep) struct output_file *output = NULL;
	_cleanup_(pager_freep) struct pager *pager = NULL;
	int rc;

	options->screen = screen_options_screen(&values->screen, values->output ? NULL : stdout);
	if (!values->output) {
		pager = screen_options_pager(&values->screen);
		return annotate_print(path, options, pager_stream(pager), err);
	}
	rc = output_option_open(values->output, "-f names the file", &output, err);
	if (rc == 0)
		rc = annotate_print(path, options, output_file_stream(output), err);
	return rc < 0 ? rc : output_file_commit(output, err);
}

static int run_annotate(int argc, char **argv)
{
	struct annotate_values values = { 0 };
	char last[STATE_PATH_MAX];
	const char *file;
	struct err err;
	int rc, status, first = options_begin(&command_annotate, argc, argv, &values, &status);

	if (first < 0)
		return status;
	if (check_words(&values, argc - first, argv + first, &err) < 0)
		return options_fail(&command_annotate, &err, 2);
	finish_options(&values);
	if (!values.all)
		values.options.symbol = argv[first++];
	file = first < argc ? argv[first] : NULL;
	if (option_value_mode(values.mode, &values.options.file_mode, &err) < 0 ||
	    screen_options_check(&values.screen, &err) < 0 ||
	    annotate_check(&values.options, &err) < 0)
		return options_fail(&command_annotate, &err, 2);
	if (!file && profile_options_default(&values.select, last, sizeof(last), &err) < 0)
		return options_fail(&command_annotate, &err, 1);
	rc = print(&values, file ? file : last, &err);
	return rc < 0 ? options_fail(&command_annotate, &err, profile_options_status(rc)) : 0;
}

const struct command command_annotate = {
	.name = "annotate",
	.summary = "show source lines and instructions with their samples",
	.usage = "[OPTION...] SYMBOL [FILE]",
	.options = annotate_specs,
	.reads_profiles = true,
	.run = run_annotate,
};
