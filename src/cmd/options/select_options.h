/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of all commands that can view a part of a profile: which samples, which time. */
#ifndef CMD_OPTIONS_SELECT_OPTIONS_H
#define CMD_OPTIONS_SELECT_OPTIONS_H

#include <stddef.h>

#include "cmd/options/options.h"
#include "load/selection.h"

struct select_values {
	struct option_texts clauses;
	const char *since, *until, *slice;
};

/* clang-format off */
/* Rows of an option table; @offset is that of the struct select_values. */
#define SELECT_OPTION_ROWS(offset) \
	{ "select", 0, OPTION_TEXTS, (offset) + offsetof(struct select_values, clauses), "K=V", \
	  .help = "use only samples that match: mode=kernel, image=libc*; K!=V: the others" }, \
	{ "since", 0, OPTION_TEXT, (offset) + offsetof(struct select_values, since), "TIME", \
	  .help = "use only samples from then on: 2.5, 10m, -10s (before the end), 50%, 14:05" }, \
	{ "until", 0, OPTION_TEXT, (offset) + offsetof(struct select_values, until), "TIME", \
	  .help = "use only samples before that" }

/* For commands whose --by knows the key time. */
#define SLICE_OPTION_ROW(offset) \
	{ "slice", 0, OPTION_TEXT, (offset) + offsetof(struct select_values, slice), "TIME", \
	  .help = "length of a value of the key time: 100ms, 10s (default 1s)" }
/* clang-format on */

/* Borrows from @values. */
struct selection select_options_of(const struct select_values *values);

#endif
