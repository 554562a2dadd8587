/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect heatmap: when which code ran, as one HTML file. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "cmd/commands.h"
#include "cmd/options/page_options.h"
#include "cmd/options/report_options.h"
#include "store/state_files.h"
#include "views/views.h"

static const char usual_name[] = "prospect-heatmap.html";

/* clang-format off */
static const struct option_spec heatmap_specs[] = {
	PAGE_OPTION_ROWS(0),
	{ 0 },
};
/* clang-format on */

static int write_page(const struct page_values *values, const struct page_options *options,
		      const char *path, struct err *err)
{
	_cleanup_(output_file_freep) struct output_file *file = NULL;
	int rc = page_options_open_output(values, usual_name, &file, err);

	if (rc == 0)
		rc = page_write(path, options, output_file_stream(file), err);
	if (rc == 0)
		rc = output_file_commit(file, err);
	return rc < 0 ? rc : page_options_show(values, usual_name, err);
}

static int draw(const struct page_values *values, const char *file)
{
	struct page_options options = page_options_of(values);
	char last[STATE_PATH_MAX];
	struct err err;
	int rc;

	options.view = PAGE_HEAT;
	if (page_check(&options, &err) < 0)
		return options_fail(&command_heatmap, &err, 2);
	if (!file && profile_options_default(&values->select, last, sizeof(last), &err) < 0)
		return options_fail(&command_heatmap, &err, 1);
	rc = write_page(values, &options, file ? file : last, &err);
	return rc < 0 ? options_fail(&command_heatmap, &err, profile_options_status(rc)) : 0;
}

static int run_heatmap(int argc, char **argv)
{
	struct page_values values = { 0 };
	struct err err;
	int rc, status, first = options_begin(&command_heatmap, argc, argv, &values, &status);

	if (first < 0)
		return status;
	rc = page_options_check(&values, &err);
	if (argc - first > 1)
		rc = err_set(&err, -EINVAL, "unexpected argument '%s': expected at most one FILE",
			     argv[first + 1]);
	if (rc < 0)
		return options_fail(&command_heatmap, &err, 2);
	return draw(&values, first < argc ? argv[first] : NULL);
}

const struct command command_heatmap = {
	.name = "heatmap",
	.summary = "draw the activity over time, with flame graphs of any part",
	.usage = "[OPTION...] [FILE]",
	.options = heatmap_specs,
	.more_help = report_options_print_keys,
	.reads_profiles = true,
	.run = run_heatmap,
};
