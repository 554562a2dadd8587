/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that many commands share to view a profile:
 * - which samples and which time,
 * - whether all processes count or only the profiled command's,
 * - where to look for debug information,
 * - how to name functions, and whether inlined ones count as functions.
 */
#ifndef CMD_OPTIONS_PROFILE_OPTIONS_H
#define CMD_OPTIONS_PROFILE_OPTIONS_H

#include <stddef.h>

#include "cmd/options/options.h"
#include "load/opened.h"
#include "load/selection.h"
#include "names/lines/line_service.h"

struct select_values {
	struct selection selection;
	struct option_texts clauses;
};

struct line_values {
	struct line_options options;
	struct option_texts debug_folders;
};

struct name_values {
	struct opened_names names;
	struct line_values lines;
};

/* Rows of an option table; @offset is that of the struct select_values, line_values or
 * name_values. */
/* clang-format off */
#define SELECT_OPTION_ROWS(offset) \
	{ "select", 0, OPTION_TEXTS, (offset) + offsetof(struct select_values, clauses), "K=V", \
	  .help = "use only samples that match: mode=kernel, image=libc*; K!=V: the others" }, \
	{ "since", 0, OPTION_TEXT, (offset) + offsetof(struct select_values, selection.since), "TIME", \
	  .help = "use only samples from then on: 2.5, 10m, -10s (before the end), 50%, 14:05" }, \
	{ "until", 0, OPTION_TEXT, (offset) + offsetof(struct select_values, selection.until), "TIME", \
	  .help = "use only samples before that" }

/* @letter: the short name of --machine; 0: none. */
#define SCOPE_OPTION_ROWS(offset, letter) \
	{ "command", 0, OPTION_FLAG, (offset) + offsetof(struct select_values, selection.command), NULL, \
	  .help = "use only samples of the profiled command and what it started, or of -p" }, \
	{ "machine", (letter), OPTION_FLAG, \
	  (offset) + offsetof(struct select_values, selection.machine), NULL, \
	  .help = "use the samples of everything that was recorded" }

/* For commands whose --by knows the key time. */
#define SLICE_OPTION_ROW(offset) \
	{ "slice", 0, OPTION_TEXT, (offset) + offsetof(struct select_values, selection.slice), "TIME", \
	  .help = "length of a value of the key time: 100ms, 10s (default 1s)" }

#define LINE_OPTION_ROWS(offset) \
	{ "debug-dir", 0, OPTION_TEXTS, (offset) + offsetof(struct line_values, debug_folders), \
	  "DIR", .help = "look for debug files in DIR before /usr/lib/debug" }, \
	{ "symfs", 0, OPTION_TEXT, (offset) + offsetof(struct line_values, options.symfs), "DIR", \
	  .help = "look for files, and for their debug files, under DIR" }, \
	{ "debuginfod", 0, OPTION_FLAG, (offset) + offsetof(struct line_values, options.debuginfod), NULL, \
	  .help = "ask the servers in DEBUGINFOD_URLS for debug files" }, \
	{ "no-cache", 0, OPTION_FLAG, (offset) + offsetof(struct line_values, options.no_cache), NULL, \
	  .help = "neither read nor write the line indexes cached on disk" }

#define NAME_OPTION_ROWS(offset) \
	{ "inlines", 0, OPTION_FLAG, (offset) + offsetof(struct name_values, names.inlines), NULL, \
	  .help = "treat inlined functions as functions" }, \
	{ "demangle", 0, OPTION_TEXT, (offset) + offsetof(struct name_values, names.demangle), "STYLE", \
	  .help = "how names are written: none, normal (default), smart (short C++ templates)", \
	  .words = "none normal smart" }, \
	{ "kallsyms", 0, OPTION_TEXT, (offset) + offsetof(struct name_values, names.kallsyms), "FILE", \
	  .help = "names for kernel code that has none, from its /proc/kallsyms or System.map" }, \
	LINE_OPTION_ROWS((offset) + offsetof(struct name_values, lines))
/* clang-format on */

/* What the options say. Borrows from @values. Progress of lines goes to stderr if that is a
 * terminal that can rewrite lines. */
struct selection profile_options_selection(const struct select_values *values);
struct line_options profile_options_lines(const struct line_values *values);
struct opened_names profile_options_names(const struct name_values *values);
/* The profile that is meant if none is named: with --since or --until the history (history/history.h),
 * if there is one; else the last profile, and if none is kept the history. Errors as
 * state_last_profile. */
int profile_options_default(const struct select_values *values, char *ret_path, size_t size,
			    struct err *err);
/* The exit status for what a view returned: 2 if --command was wrong for the profile, else 1. */
int profile_options_status(int rc);

#endif
