/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of all commands that show functions: how to name them, and whether inlined ones count
 * as functions. */
#ifndef CMD_OPTIONS_NAME_OPTIONS_H
#define CMD_OPTIONS_NAME_OPTIONS_H

#include <stdbool.h>

#include "cmd/options/line_options.h"
#include "cmd/options/options.h"
#include "load/opened.h"

struct name_values {
	const char *demangle;
	const char *kallsyms;
	bool inlines;
	struct line_values lines;
};

/* clang-format off */
/* Rows of an option table; @offset is that of the struct name_values. */
#define NAME_OPTION_ROWS(offset) \
	{ "inlines", 0, OPTION_FLAG, (offset) + offsetof(struct name_values, inlines), NULL, \
	  .help = "treat inlined functions as functions" }, \
	{ "demangle", 0, OPTION_TEXT, (offset) + offsetof(struct name_values, demangle), "STYLE", \
	  .help = "how names are written: none, normal (default), smart (short C++ templates)" }, \
	{ "kallsyms", 0, OPTION_TEXT, (offset) + offsetof(struct name_values, kallsyms), "FILE", \
	  .help = "names for kernel code that has none, from its /proc/kallsyms or System.map" }, \
	LINE_OPTION_ROWS((offset) + offsetof(struct name_values, lines))
/* clang-format on */

/* Borrows from @values. */
struct opened_names name_options_of(const struct name_values *values);

#endif
