/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of a recording's time that is viewed. */
#ifndef LOAD_OPENED_WINDOW_H
#define LOAD_OPENED_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "aggregate/moment.h"
#include "base/err.h"
#include "load/selection.h"
#include "model/profile.h"

/* All of it when zero-initialised. */
struct opened_window {
	const char *since_text,
		*until_text; /* as typed, borrowed; NULL: from the start, to the end */
	struct moment since, until;
	uint64_t from_ns, to_ns; /* after opened_window_find: from_ns <= time < to_ns */
};

/* Reads --since and --until. -EINVAL and one line, also if no time is between them. */
int opened_window_parse(struct opened_window *window, const struct selection *selection,
			struct err *err);
/* Finds the moments as times of the samples of @profile, which ends at @end_ns by their clock.
 * -ENODATA and one line if no time is between them, else as moment_ns. */
int opened_window_find(struct opened_window *window, const struct profile *profile, uint64_t end_ns,
		       struct err *err);
/* True if it is not the whole recording. */
bool opened_window_is_part(const struct opened_window *window);
/* Says why it has no samples, and returns -ENODATA. Parameters as in opened_window_find. */
int opened_window_explain(const struct opened_window *window, const struct profile *profile,
			  uint64_t end_ns, struct err *err);

#endif
