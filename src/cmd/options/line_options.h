/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of all commands that show source lines: where to look for debug information. */
#ifndef CMD_OPTIONS_LINE_OPTIONS_H
#define CMD_OPTIONS_LINE_OPTIONS_H

#include <stdbool.h>

#include "cmd/options/options.h"
#include "names/lines/line_service.h"

struct line_values {
	struct option_texts debug_folders;
	const char *symfs;
	bool debuginfod, no_cache;
};

/* clang-format off */
/* Rows of an option table; @offset is that of the struct line_values. */
#define LINE_OPTION_ROWS(offset) \
	{ "debug-dir", 0, OPTION_TEXTS, (offset) + offsetof(struct line_values, debug_folders), \
	  "DIR", .help = "look for debug files in DIR before /usr/lib/debug" }, \
	{ "symfs", 0, OPTION_TEXT, (offset) + offsetof(struct line_values, symfs), "DIR", \
	  .help = "look for files, and for their debug files, under DIR" }, \
	{ "debuginfod", 0, OPTION_FLAG, (offset) + offsetof(struct line_values, debuginfod), NULL, \
	  .help = "ask the servers in DEBUGINFOD_URLS for debug files" }, \
	{ "no-cache", 0, OPTION_FLAG, (offset) + offsetof(struct line_values, no_cache), NULL, \
	  .help = "neither read nor write the line indexes cached on disk" }
/* clang-format on */

/* Borrows from @values. Progress goes to stderr if that is a terminal that can rewrite lines. */
struct line_options line_options_of(const struct line_values *values);

#endif
