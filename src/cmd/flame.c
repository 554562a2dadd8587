/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect flame: a flame graph as one HTML file. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "base/output_file.h"
#include "cmd/options/command.h"
#include "cmd/options/name_options.h"
#include "cmd/options/options.h"
#include "cmd/options/select_options.h"
#include "load/opened.h"
#include "store/state_files.h"
#include "views/flame.h"
#include "views/flame_diff.h"
#include "views/report.h"

struct flame_values {
	const char *output;
	const char *by;
	struct select_values select;
	struct name_values names;
	const char *title;
	bool inverted, diff, machine;
	double threshold;
};

/* clang-format off */
static const struct option_spec flame_specs[] = {
	{ "output", 'o', OPTION_TEXT, offsetof(struct flame_values, output), "FILE",
	  .help = "write the page to FILE (required)" },
	SELECT_OPTION_ROWS(offsetof(struct flame_values, select)),
	SLICE_OPTION_ROW(offsetof(struct flame_values, select)),
	{ "by", 0, OPTION_TEXT, offsetof(struct flame_values, by), "KEYS",
	  .help = "what a box is (default function); keys before it have a tree for each value" },
	{ "title", 0, OPTION_TEXT, offsetof(struct flame_values, title), "TEXT",
	  .help = "the page's title (default: the profiled command)" },
	{ "inverted", 'i', OPTION_FLAG, offsetof(struct flame_values, inverted), NULL,
	  .help = "begin with the sampled functions, callers above; the page can switch this" },
	{ "diff", 0, OPTION_FLAG, offsetof(struct flame_values, diff), NULL,
	  .help = "draw what changed from OLD to NEW (default: the last two profiles)" },
	{ "machine", 'a', OPTION_FLAG, offsetof(struct flame_values, machine), NULL,
	  .help = "with --diff: compare everything, not only the command and its children" },
	NAME_OPTION_ROWS(offsetof(struct flame_values, names)),
	{ "threshold", 0, OPTION_NUMBER, offsetof(struct flame_values, threshold), "PCT",
	  .help = "add up boxes with a smaller share (default 0)",
	  .least = 0, .most = 100 },
	{ 0 },
};
/* clang-format on */

static struct flame_options options_of(const struct flame_values *values)
{
	return (struct flame_options){
		.by = values->by,
		.selection = select_options_of(&values->select),
		.names = name_options_of(&values->names),
		.title = values->title,
		.inverted = values->inverted,
		.threshold = values->threshold,
	};
}

/* @old: NULL for a graph of @path alone. */
static int write_page(const struct flame_values *values, const char *old, const char *path,
		      struct err *err)
{
	_cleanup_(output_file_freep) struct output_file *file = NULL;
	struct flame_options options = options_of(values);
	int rc;

	if (opened_is_profile(values->output))
		return err_set(err, -EEXIST,
			       "refusing to overwrite the profile %s: -o names the page to write",
			       values->output);
	rc = output_file_open(values->output, &file, err);
	if (rc == 0 && old)
		rc = flame_diff_write(old, path, &options, values->machine,
				      output_file_stream(file), err);
	else if (rc == 0)
		rc = flame_write(path, &options, output_file_stream(file), err);
	return rc < 0 ? rc : output_file_commit(file, err);
}

/* @files: as typed, @count of them: none, one, or two with --diff. */
static int draw(const struct flame_values *values, char **files, int count)
{
	struct flame_options options = options_of(values);
	char last[STATE_PATH_MAX], previous[STATE_PATH_MAX];
	const char *path = count ? files[count - 1] : last;
	const char *old = values->diff ? (count ? files[0] : previous) : NULL;
	struct err err;

	if (flame_check(&options, &err) < 0)
		return options_fail(&command_flame, &err, 2);
	if (!count && state_last_profile(last, sizeof(last), &err) < 0)
		return options_fail(&command_flame, &err, 1);
	if (!count && old && state_previous_profile(previous, sizeof(previous), &err) < 0)
		return options_fail(&command_flame, &err, 1);
	if (write_page(values, old, path, &err) < 0)
		return options_fail(&command_flame, &err, 1);
	return 0;
}

static int check_words(const struct flame_values *values, int count, char **words, struct err *err)
{
	int most = values->diff ? 2 : 1;

	if (count > most)
		return err_set(err, -EINVAL, "unexpected argument '%s': expected at most %s",
			       words[most], values->diff ? "OLD and NEW" : "one FILE");
	if (values->diff && count == 1)
		return err_set(err, -EINVAL, "--diff needs both OLD and NEW, or neither");
	if (values->machine && !values->diff)
		return err_set(err, -EINVAL,
			       "--machine needs --diff: the graph of one profile has everything");
	if (!values->output)
		return err_set(err, -EINVAL,
			       "missing -o: give the page a name, e.g. -o flame.html");
	return 0;
}

static int run_flame(int argc, char **argv)
{
	struct flame_values values = { 0 };
	bool help = false;
	struct err err;
	int first = options_parse(flame_specs, argc, argv, false, &values, &help, &err);

	if (help) {
		options_print_help(&command_flame);
		printf("\nKeys of --by and --select:\n");
		report_print_keys(stdout);
		return 0;
	}
	if (first < 0 || check_words(&values, argc - first, &argv[first], &err) < 0)
		return options_fail(&command_flame, &err, 2);
	return draw(&values, &argv[first], argc - first);
}

const struct command command_flame = {
	.name = "flame",
	.summary = "draw a flame graph as one HTML file that works offline",
	.usage = "-o FILE.html [OPTION...] [FILE | --diff OLD NEW]",
	.options = flame_specs,
	.reads_profiles = true,
	.run = run_flame,
};
