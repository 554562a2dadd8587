/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect annotate: source lines and instructions with their samples. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "annotate/annotate.h"
#include "base/err.h"
#include "base/output_file.h"
#include "cmd/options/command.h"
#include "cmd/options/line_options.h"
#include "cmd/options/mode_option.h"
#include "cmd/options/options.h"
#include "cmd/options/select_options.h"
#include "cmd/options/terminal.h"
#include "store/state_files.h"

struct annotate_values {
	bool code, source, mixed, all, intel;
	struct select_values select;
	struct option_texts source_paths, include, exclude;
	const char *event, *columns, *demangle, *folder, *mode, *output, *kallsyms, *vmlinux;
	struct line_values lines;
	double threshold;
};

/* clang-format off */
#define AT(field) offsetof(struct annotate_values, field)

static const struct option_spec annotate_specs[] = {
	{ "asm", 'a', OPTION_FLAG, AT(code), NULL, .help = "show instructions only" },
	{ "source", 's', OPTION_FLAG, AT(source), NULL, .help = "show source lines only" },
	{ "mixed", 0, OPTION_FLAG, AT(mixed), NULL,
	  .help = "show both, in order of address (the default if the source is available)" },
	{ "intel-syntax", 0, OPTION_FLAG, AT(intel), NULL,
	  .help = "write x86 instructions in Intel syntax, not in AT&T syntax" },
	{ "all", 0, OPTION_FLAG, AT(all), NULL,
	  .help = "show all functions, or with -o write all source files" },
	{ "output", 'o', OPTION_TEXT, AT(folder), "DIR",
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
	{ "event", 'e', OPTION_TEXT, AT(event), "EVENT,...",
	  .help = "show these events side by side; names or globs (default: the clock)" },
	{ "columns", 0, OPTION_TEXT, AT(columns), "event",
	  .help = "show all events side by side" },
	{ "threshold", 0, OPTION_NUMBER, AT(threshold), "PCT",
	  .help = "omit functions, or with -o files, with a smaller share (default 0)",
	  .least = 0, .most = 100 },
	{ "demangle", 0, OPTION_TEXT, AT(demangle), "STYLE",
	  .help = "how names are written: none, normal (default), smart (short C++ templates)" },
	{ "kallsyms", 0, OPTION_TEXT, AT(kallsyms), "FILE",
	  .help = "names for kernel code that has none, from its /proc/kallsyms or System.map" },
	LINE_OPTION_ROWS(AT(lines)),
	{ "vmlinux", 'L', OPTION_TEXT, AT(vmlinux), "FILE",
	  .help = "take kernel code from the recorded kernel's uncompressed image" },
	{ "file", 'f', OPTION_TEXT, AT(output), "FILE", .help = "write to FILE" },
	{ 0 },
};
/* clang-format on */

static struct annotate_options options_of(const struct annotate_values *values)
{
	return (struct annotate_options){
		.mode = values->code	 ? ANNOTATE_ASM
			: values->source ? ANNOTATE_SOURCE
			: values->mixed	 ? ANNOTATE_MIXED
					 : ANNOTATE_BEST,
		.selection = select_options_of(&values->select),
		.event = values->columns && !values->event ? "*" : values->event,
		.demangle = values->demangle,
		.threshold = values->threshold,
		.source_paths = values->source_paths.items,
		.source_path_count = values->source_paths.count,
		.include = values->include.items,
		.include_count = values->include.count,
		.exclude = values->exclude.items,
		.exclude_count = values->exclude.count,
		.folder = values->folder,
		.lines = line_options_of(&values->lines),
		.kallsyms = values->kallsyms,
		.vmlinux = values->vmlinux,
		.intel = values->intel,
	};
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
	if (values->mode && !values->folder)
		return err_set(err, -EINVAL, "--mode needs -o");
	if (values->folder && !values->all)
		return err_set(err, -EINVAL, "-o needs --all: it writes all source files");
	if (values->intel && (values->source || values->folder))
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

static int print(const struct annotate_values *values, struct annotate_options *options,
		 const char *path, struct err *err)
{
	_cleanup_(output_file_freep) struct output_file *output = NULL;
	struct terminal terminal;
	int rc;

	if (!values->output) {
		terminal_ask(stdout, &terminal);
		options->columns = terminal.columns;
		options->colour = terminal.colour;
		return annotate_print(path, options, stdout, err);
	}
	rc = output_file_open(values->output, &output, err);
	if (rc == 0)
		rc = annotate_print(path, options, output_file_stream(output), err);
	return rc < 0 ? rc : output_file_commit(output, err);
}

static int run_annotate(int argc, char **argv)
{
	struct annotate_values values = { 0 };
	char last[STATE_PATH_MAX];
	struct annotate_options options;
	const char *file;
	bool help = false;
	struct err err;
	int first = options_parse(annotate_specs, argc, argv, false, &values, &help, &err);

	if (help) {
		options_print_help(&command_annotate);
		return 0;
	}
	if (first < 0 || check_words(&values, argc - first, argv + first, &err) < 0)
		return options_fail(&command_annotate, &err, 2);
	options = options_of(&values);
	if (!values.all)
		options.symbol = argv[first++];
	file = first < argc ? argv[first] : NULL;
	if (mode_option_parse(values.mode, &options.file_mode, &err) < 0 ||
	    annotate_check(&options, &err) < 0)
		return options_fail(&command_annotate, &err, 2);
	if (!file && state_last_profile(last, sizeof(last), &err) < 0)
		return options_fail(&command_annotate, &err, 1);
	if (print(&values, &options, file ? file : last, &err) < 0)
		return options_fail(&command_annotate, &err, 1);
	return 0;
}

const struct command command_annotate = {
	.name = "annotate",
	.summary = "show source lines and instructions with their samples",
	.usage = "[OPTION...] SYMBOL [FILE]",
	.options = annotate_specs,
	.reads_profiles = true,
	.run = run_annotate,
};
