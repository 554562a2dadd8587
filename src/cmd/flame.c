/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect flame: a profile as one HTML file that opens with its flame graph. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "cmd/commands.h"
#include "cmd/options/page_options.h"
#include "cmd/options/report_options.h"
#include "store/state_files.h"
#include "views/views.h"

static const char usual_name[] = "prospect-flame.html";

struct flame_values {
	struct page_values page;
	bool diff;
};

/* clang-format off */
static const struct option_spec flame_specs[] = {
	PAGE_OPTION_ROWS(offsetof(struct flame_values, page)),
	{ "diff", 0, OPTION_FLAG, offsetof(struct flame_values, diff), NULL,
	  .help = "draw what changed from OLD to NEW (default: the last two profiles)" },
	{ 0 },
};
/* clang-format on */

/* @old: NULL for a graph of @path alone. */
static int write_page(const struct flame_values *values, const char *old, const char *path,
		      struct err *err)
{
	_cleanup_(output_file_freep) struct output_file *file = NULL;
	struct page_options options = page_options_of(&values->page);
	int rc = page_options_open_output(&values->page, usual_name, &file, err);

	if (rc == 0 && old)
		rc = page_diff_write(old, path, &options, output_file_stream(file), err);
	else if (rc == 0)
		rc = page_write(path, &options, output_file_stream(file), err);
	if (rc == 0)
		rc = output_file_commit(file, err);
	return rc < 0 ? rc : page_options_show(&values->page, usual_name, err);
}

/* @files: as typed, @count of them: none, one, or two with --diff. */
static int draw(const struct flame_values *values, char **files, int count)
{
	char last[STATE_PATH_MAX], previous[STATE_PATH_MAX];
	const char *path = count ? files[count - 1] : last;
	const char *old = values->diff ? (count ? files[0] : previous) : NULL;
	struct page_options options = page_options_of(&values->page);
	struct err err;
	int rc;

	if (page_check(&options, &err) < 0)
		return options_fail(&command_flame, &err, 2);
	if (!count &&
	    (old ? state_last_profile(last, sizeof(last), &err)
		 : profile_options_default(&values->page.select, last, sizeof(last), &err)) < 0)
		return options_fail(&command_flame, &err, 1);
	if (!count && old && state_previous_profile(previous, sizeof(previous), &err) < 0)
		return options_fail(&command_flame, &err, 1);
	rc = write_page(values, old, path, &err);
	return rc < 0 ? options_fail(&command_flame, &err, profile_options_status(rc)) : 0;
}

static int check_words(const struct flame_values *values, int count, char **words, struct err *err)
{
	int most = values->diff ? 2 : 1;

	if (count > most)
		return err_set(err, -EINVAL, "unexpected argument '%s': expected at most %s",
			       words[most], values->diff ? "OLD and NEW" : "one FILE");
	if (values->diff && count == 1)
		return err_set(err, -EINVAL, "--diff needs both OLD and NEW, or neither");
	return page_options_check(&values->page, err);
}

static int run_flame(int argc, char **argv)
{
	struct flame_values values = { 0 };
	struct err err;
	int status, first = options_begin(&command_flame, argc, argv, &values, &status);

	if (first < 0)
		return status;
	if (check_words(&values, argc - first, &argv[first], &err) < 0)
		return options_fail(&command_flame, &err, 2);
	return draw(&values, &argv[first], argc - first);
}

const struct command command_flame = {
	.name = "flame",
	.summary = "draw a flame graph as one HTML file that works offline",
	.usage = "[OPTION...] [FILE | --diff OLD NEW]",
	.options = flame_specs,
	.more_help = report_options_print_keys,
	.reads_profiles = true,
	.run = run_flame,
};
