/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect heatmap: when which code ran, as one HTML file. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#include "aggregate/trees/heat.h"
#include "base/err.h"
#include "base/output_file.h"
#include "cmd/options/command.h"
#include "cmd/options/name_options.h"
#include "cmd/options/options.h"
#include "cmd/options/select_options.h"
#include "load/opened.h"
#include "store/state_files.h"
#include "views/heatmap.h"
#include "views/report.h"

struct heatmap_values {
	const char *output;
	const char *by;
	struct select_values select;
	struct name_values names;
	const char *title;
	double column_s;
	int64_t rows, boxes;
};

/* clang-format off */
static const struct option_spec heatmap_specs[] = {
	{ "output", 'o', OPTION_TEXT, offsetof(struct heatmap_values, output), "FILE",
	  .help = "write the page to FILE (required)" },
	SELECT_OPTION_ROWS(offsetof(struct heatmap_values, select)),
	SLICE_OPTION_ROW(offsetof(struct heatmap_values, select)),
	{ "by", 0, OPTION_TEXT, offsetof(struct heatmap_values, by), "KEYS",
	  .help = "what a box is (default function); keys before it have a tree for each value" },
	{ "title", 0, OPTION_TEXT, offsetof(struct heatmap_values, title), "TEXT",
	  .help = "the page's title (default: the profiled command)" },
	NAME_OPTION_ROWS(offsetof(struct heatmap_values, names)),
	{ "column", 0, OPTION_SECONDS, offsetof(struct heatmap_values, column_s), "TIME",
	  .help = "length of a column (default 1s, or more or less as the recording needs)",
	  .least = 0.001, .most = 1e6 },
	{ "rows", 0, OPTION_INTEGER, offsetof(struct heatmap_values, rows), "N",
	  .help = "number of cells in a column (default 50)", .least = 1, .most = HEAT_MAX_ROWS },
	{ "boxes", 0, OPTION_INTEGER, offsetof(struct heatmap_values, boxes), "N",
	  .help = "draw at most N boxes, the largest, add up the others (default 100000)",
	  .least = 1, .most = 1e7 },
	{ 0 },
};
/* clang-format on */

static struct heatmap_options options_of(const struct heatmap_values *values)
{
	return (struct heatmap_options){
		.by = values->by,
		.selection = select_options_of(&values->select),
		.names = name_options_of(&values->names),
		.title = values->title,
		.column_s = values->column_s,
		.rows = (uint32_t)values->rows,
		.max_boxes = (uint32_t)values->boxes,
	};
}

static int write_page(const struct heatmap_options *options, const char *output, const char *path,
		      struct err *err)
{
	_cleanup_(output_file_freep) struct output_file *file = NULL;
	int rc;

	if (opened_is_profile(output))
		return err_set(err, -EEXIST,
			       "refusing to overwrite the profile %s: -o names the page to write",
			       output);
	rc = output_file_open(output, &file, err);
	if (rc == 0)
		rc = heatmap_write(path, options, output_file_stream(file), err);
	return rc < 0 ? rc : output_file_commit(file, err);
}

static int draw(const struct heatmap_values *values, const char *file)
{
	struct heatmap_options options = options_of(values);
	char last[STATE_PATH_MAX];
	struct err err;

	if (heatmap_check(&options, &err) < 0)
		return options_fail(&command_heatmap, &err, 2);
	if (!file && state_last_profile(last, sizeof(last), &err) < 0)
		return options_fail(&command_heatmap, &err, 1);
	if (write_page(&options, values->output, file ? file : last, &err) < 0)
		return options_fail(&command_heatmap, &err, 1);
	return 0;
}

static int run_heatmap(int argc, char **argv)
{
	struct heatmap_values values = { 0 };
	bool help = false;
	struct err err;
	int first = options_parse(heatmap_specs, argc, argv, false, &values, &help, &err);

	if (help) {
		options_print_help(&command_heatmap);
		printf("\nKeys of --by and --select:\n");
		report_print_keys(stdout);
		return 0;
	}
	if (first >= 0 && argc - first > 1)
		first = err_set(&err, -EINVAL,
				"unexpected argument '%s': expected at most one FILE",
				argv[first + 1]);
	else if (first >= 0 && !values.output)
		first = err_set(&err, -EINVAL,
				"missing -o: give the page a name, e.g. -o heat.html");
	if (first < 0)
		return options_fail(&command_heatmap, &err, 2);
	return draw(&values, first < argc ? argv[first] : NULL);
}

const struct command command_heatmap = {
	.name = "heatmap",
	.summary = "draw the activity over time as one HTML file, with flame graphs of any part",
	.usage = "-o FILE.html [OPTION...] [FILE]",
	.options = heatmap_specs,
	.reads_profiles = true,
	.run = run_heatmap,
};
