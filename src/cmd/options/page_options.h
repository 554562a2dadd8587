/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What flame and heatmap share: the options of the page, the file it goes to, and the browser. */
#ifndef CMD_OPTIONS_PAGE_OPTIONS_H
#define CMD_OPTIONS_PAGE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "aggregate/trees/heat.h"
#include "base/output_file.h"
#include "cmd/options/options.h"
#include "cmd/options/profile_options.h"
#include "views/views.h"

struct page_values {
	const char *output; /* NULL: a usual name */
	bool open;
	struct page_options options;
	struct select_values select;
	struct name_values names;
};

/* Rows of an option table; @offset is that of the struct page_values. */
/* clang-format off */
#define PAGE_OPTION_ROWS(offset) \
	{ "output", 'o', OPTION_TEXT, (offset) + offsetof(struct page_values, output), "FILE", \
	  .help = "write the page to FILE (default prospect-flame.html or prospect-heatmap.html)" }, \
	{ "open", 0, OPTION_FLAG, (offset) + offsetof(struct page_values, open), NULL, \
	  .help = "open the page in a browser" }, \
	SELECT_OPTION_ROWS((offset) + offsetof(struct page_values, select)), \
	SCOPE_OPTION_ROWS((offset) + offsetof(struct page_values, select), 'a'), \
	SLICE_OPTION_ROW((offset) + offsetof(struct page_values, select)), \
	{ "by", 0, OPTION_TEXT, (offset) + offsetof(struct page_values, options.by), "KEYS", \
	  .help = "what a box is (default program,function); keys before it have a tree for each value" }, \
	{ "title", 0, OPTION_TEXT, (offset) + offsetof(struct page_values, options.title), "TEXT", \
	  .help = "the page's title (default: the profiled command)" }, \
	{ "inverted", 'i', OPTION_FLAG, (offset) + offsetof(struct page_values, options.inverted), NULL, \
	  .help = "begin with the sampled functions, callers above; the page can switch this" }, \
	NAME_OPTION_ROWS((offset) + offsetof(struct page_values, names)), \
	{ "threshold", 0, OPTION_NUMBER, (offset) + offsetof(struct page_values, options.threshold), "PCT", \
	  .help = "add up boxes with a smaller share (default 0)", \
	  .least = 0, .most = 100 }, \
	{ "boxes", 0, OPTION_INTEGER, (offset) + offsetof(struct page_values, options.max_boxes), "N", \
	  .help = "draw at most N boxes, the largest, add up the others (default 200000)", \
	  .least = 1, .most = 1e7 }, \
	{ "column", 0, OPTION_SECONDS, (offset) + offsetof(struct page_values, options.column_s), "TIME", \
	  .help = "length of a column of the heat map (default 1s, or as the recording needs)", \
	  .least = 0.001, .most = 1e6 }, \
	{ "rows", 0, OPTION_INTEGER, (offset) + offsetof(struct page_values, options.rows), "N", \
	  .help = "number of cells in a column (default 50)", .least = 1, .most = HEAT_MAX_ROWS }
/* clang-format on */

/* The page's options, with the values of the other tables. Borrows from @values. */
struct page_options page_options_of(const struct page_values *values);

/* Checks what does not need a file: -EINVAL and one line. */
int page_options_check(const struct page_values *values, struct err *err);
/* Opens the file that -o names, or the one of the usual name @usual: there only a page that prospect
 * made is overwritten, else -EEXIST. */
int page_options_open_output(const struct page_values *values, const char *usual,
			     struct output_file **ret_file, struct err *err);
/* After the page is in its place: prints its name if the user did not choose it, and opens a browser
 * if that is wanted. Errors: there is no browser. */
int page_options_show(const struct page_values *values, const char *usual, struct err *err);

#endif
