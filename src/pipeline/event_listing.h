/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be counted here, listed and tried. */
#ifndef PIPELINE_EVENT_LISTING_H
#define PIPELINE_EVENT_LISTING_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

struct event_listing_options {
	/* A glob on the name; without "*?[" any name, kind or text that contains it, in any case.
	 * NULL: all. */
	const char *pattern;
	bool all_processors; /* of libpfm4: of those that are not here, too */
	bool bare_names;
	const char *format; /* "text", "csv", "json" */
};

/* Why something is not listed; "" where all is. */
struct event_listing_notes {
	struct err no_library, no_tracepoints;
};

/* -EINVAL with the line for what is no format. */
int event_listing_check_format(const char *format, struct err *err);

/* Returns how many were printed. Only what was asked for and is not there is noted. */
size_t event_listing_print(const struct event_listing_options *options, FILE *out,
			   struct event_listing_notes *ret_notes);

/* Opens the events of @count comma lists, on this thread (those that count for more than a CPU: on
 * CPUs), together, and prints of each its code and whether it can be counted. *ret_all_good: all
 * can. Negative errno for what is no event. */
int event_listing_check(const char *const *lists, size_t count, const char *format, FILE *out,
			bool *ret_all_good, struct err *err);

#endif
