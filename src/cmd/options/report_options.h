/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of all commands that print a report, and the report for a command. */
#ifndef CMD_OPTIONS_REPORT_OPTIONS_H
#define CMD_OPTIONS_REPORT_OPTIONS_H

#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "base/output_file.h"
#include "cmd/options/options.h"
#include "cmd/options/profile_options.h"
#include "cmd/options/screen_options.h"
#include "views/views.h"

struct report_values {
	struct report_options options; /* but for its selection and names, which are the next two */
	struct select_values select;
	struct name_values names;
	struct screen_values screen;
	const char *output;
};

/* Defaults. That of -m depends on the level. */
#define REPORT_DEFAULTS                                          \
	{                                                        \
		.options = {.level = 1, .detail_percent = -1.0 } \
	}

/* clang-format off */
#define REPORT_ROW(type, member, field) \
	offsetof(type, member) + offsetof(struct report_values, field)

/* Rows of an option table whose struct @type has a struct report_values @member. */
#define REPORT_OPTION_ROWS(type, member) \
	{ "verbosity", 'V', OPTION_INTEGER, REPORT_ROW(type, member, options.level), "LEVEL", \
	  .help = "1: one screen; 2: also the command; 3: also processes above -m; 4: all", \
	  .least = 1, .most = 4, .words = "1 2 3 4" }, \
	{ "quality", 0, OPTION_FLAG, REPORT_ROW(type, member, options.quality), NULL, \
	  .help = "print only how far the profile can be trusted: losses, stacks, own cost ..." }, \
	{ "least-listed", 'k', OPTION_NUMBER, REPORT_ROW(type, member, options.list_percent), "PCT", \
	  .help = "list only processes with at least this share (default 0)", \
	  .least = 0, .most = 100 }, \
	{ "least-detailed", 'm', OPTION_NUMBER, REPORT_ROW(type, member, options.detail_percent), "PCT", \
	  .help = "detail only processes with at least this share (default 1; at -V4 as -k)", \
	  .least = 0, .most = 100 }, \
	{ "by", 0, OPTION_TEXT, REPORT_ROW(type, member, options.by), "KEYS", \
	  .help = "print a table by these keys instead: process,symbol ..." }, \
	{ "children", 0, OPTION_FLAG, REPORT_ROW(type, member, options.children), NULL, \
	  .help = "print a table of functions, each with everything that it called" }, \
	{ "columns", 0, OPTION_TEXT, REPORT_ROW(type, member, options.columns_key), "KEY", \
	  .help = "show the values of this key side by side: cpu, thread, event, time ...", \
	  .hint = "name one key; others go into --by, or are left out, which merges them" }, \
	{ "details", 0, OPTION_FLAG, REPORT_ROW(type, member, options.details), NULL, \
	  .help = "below each row of a table, list the sampled addresses" }, \
	{ "hierarchy", 0, OPTION_FLAG, REPORT_ROW(type, member, options.hierarchy), NULL, \
	  .help = "print the table as a tree, each row the sum of those below it" }, \
	{ "merge", 0, OPTION_TEXT, REPORT_ROW(type, member, options.merge), "KEYS", \
	  .help = "print a table that adds up over these keys: process,mode; all: only code" }, \
	SELECT_OPTION_ROWS(REPORT_ROW(type, member, select)), \
	SCOPE_OPTION_ROWS(REPORT_ROW(type, member, select), 0), \
	SLICE_OPTION_ROW(REPORT_ROW(type, member, select)), \
	{ "limit", 0, OPTION_INTEGER, REPORT_ROW(type, member, options.limit), "N", \
	  .help = "print at most N rows of a table (default: all)", .least = 1, .most = 1e9 }, \
	{ "threshold", 0, OPTION_NUMBER, REPORT_ROW(type, member, options.threshold), "PCT", \
	  .help = "omit rows with a smaller share (default 0)", .least = 0, .most = 100 }, \
	{ "cover", 0, OPTION_NUMBER, REPORT_ROW(type, member, options.cover), "PCT", \
	  .help = "print only the first rows that together reach this share (default: all)", \
	  .least = 0, .most = 100 }, \
	{ "sort", 0, OPTION_TEXT, REPORT_ROW(type, member, options.sort), "KEYS", \
	  .help = "sort rows by weight, samples, self or keys of the table (default weight)" }, \
	{ "reverse", 0, OPTION_FLAG, REPORT_ROW(type, member, options.reversed), NULL, \
	  .help = "reverse the order of the rows" }, \
	{ "accumulated", 0, OPTION_FLAG, REPORT_ROW(type, member, options.accumulated), NULL, \
	  .help = "show the share of each row and all rows above it together" }, \
	{ "global-percent", 0, OPTION_FLAG, REPORT_ROW(type, member, options.global_percent), NULL, \
	  .help = "show percentages of all samples, not of the selected ones" }, \
	{ "no-header", 0, OPTION_FLAG, REPORT_ROW(type, member, options.bare), NULL, \
	  .help = "print a table without the head above it" }, \
	{ "disassemble", 'd', OPTION_FLAG, REPORT_ROW(type, member, options.instructions), NULL, \
	  .help = "show the sampled instructions" }, \
	{ "intel-syntax", 0, OPTION_FLAG, REPORT_ROW(type, member, options.intel), NULL, \
	  .help = "write x86 instructions in Intel syntax, not in AT&T syntax" }, \
	{ NULL, 'g', OPTION_INTEGER, REPORT_ROW(type, member, options.max_images), "N", \
	  .help = "keep at most N files open for -d (default 8)", .least = 1, .most = 1000, \
	  .hint = "stacks need no -g; -g N (1 to 1000) is how many images -d keeps open at once" }, \
	{ "format", 0, OPTION_TEXT, REPORT_ROW(type, member, options.format), "FORMAT", \
	  .help = "text, csv or json", .words = "text csv json" }, \
	NAME_OPTION_ROWS(REPORT_ROW(type, member, names)), \
	SCREEN_OPTION_ROWS(REPORT_ROW(type, member, screen)), \
	{ "file", 'f', OPTION_TEXT, REPORT_ROW(type, member, output), "FILE", \
	  .help = "write the report to FILE" }
/* clang-format on */

/* Checks the options and opens -f FILE, once and before anything runs: a FIFO has its reader from
 * then on. *ret_output: NULL without -f; the caller frees it. On failure *ret_status is the exit
 * status: for a wrong command line 2, for a file that cannot be written 1. */
int report_options_open(const struct report_values *values, struct output_file **ret_output,
			int *ret_status, struct err *err);

/* Prints contradictions among the options on stderr, a line each, as "prospect @command: ...".
 * Returns whether there are any. For options that report_options_open accepts. */
bool report_options_contradict(const struct report_values *values, const char *command);

/* Prints the report of the profile at @path to @output and commits that. If @output is NULL, prints to
 * @otherwise; if that is NULL too, to standard output, through a pager. @file: FILE as typed by the user; NULL: none. */
int report_options_print(const struct report_values *values, const char *path, const char *file,
			 struct output_file *output, FILE *otherwise, struct err *err);

/* Prints the keys of --by and --select for --help to stdout. */
void report_options_print_keys(void);

#endif
