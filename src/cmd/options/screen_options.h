/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of all commands that print what people read: colour, width, pager. */
#ifndef CMD_OPTIONS_SCREEN_OPTIONS_H
#define CMD_OPTIONS_SCREEN_OPTIONS_H

#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "cmd/options/options.h"
#include "cmd/options/pager.h"
#include "present/screen.h"

struct screen_values {
	const char *color; /* NULL: auto */
	bool wide, no_pager;
};

/* Rows of an option table; @offset is that of the struct screen_values. */
/* clang-format off */
#define PAGER_OPTION_ROW(offset) \
	{ "no-pager", 0, OPTION_FLAG, (offset) + offsetof(struct screen_values, no_pager), NULL, \
	  .help = "print on a terminal without a pager" }

/* For commands that print tables. */
#define WIDE_OPTION_ROWS(offset) \
	{ "wide", 0, OPTION_FLAG, (offset) + offsetof(struct screen_values, wide), NULL, \
	  .help = "print names whole, however long the lines become" }, \
	PAGER_OPTION_ROW(offset)

/* For those that use colours as well. */
#define SCREEN_OPTION_ROWS(offset) \
	{ "color", 0, OPTION_TEXT, (offset) + offsetof(struct screen_values, color), "WHEN", \
	  .help = "use colours: auto (on a terminal, default), always, never", \
	  .words = "auto always never" }, \
	WIDE_OPTION_ROWS(offset)
/* clang-format on */

/* -EINVAL and one line: no such --color. */
int screen_options_check(const struct screen_values *values, struct err *err);
/* What to print for on @out; NULL: a file. */
struct screen screen_options_screen(const struct screen_values *values, FILE *out);
/* The way to standard output. The caller frees it. */
struct pager *screen_options_pager(const struct screen_values *values);

#endif
