/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of a profile to view, as its user gives it. Shared by all viewing commands. */
#ifndef LOAD_SELECTION_H
#define LOAD_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aggregate/moment.h"
#include "base/err.h"

/* Texts are borrowed. All zero: everything. */
struct selection {
	const char *const *clauses; /* --select, see aggregate/select.h */
	size_t clause_count;
	const char *since, *until; /* see aggregate/moment.h; NULL: from the start, to the end */
	const char *slice;	   /* length of a value of the key time; NULL: 1 s */
	bool command, machine;	   /* the scope; neither: as the view has it (aggregate/scope.h) */
};

/* The part of a recording's time that is viewed. All of it when zero-initialised. */
struct selection_window {
	const char *since_text,
		*until_text; /* as typed, borrowed; NULL: from the start, to the end */
	struct moment since, until;
	uint64_t earlier_ns;	 /* the part is so much earlier than these say */
	uint64_t from_ns, to_ns; /* after selection_window_find: from_ns <= time < to_ns */
};

/* Reads --since and --until. -EINVAL and one line, also if no time is between them. */
int selection_window_parse(struct selection_window *window, const struct selection *selection,
			   struct err *err);
/* Finds the moments by the clock of @base. -ENODATA and one line if no time is between them, else as
 * moment_ns. */
int selection_window_find(struct selection_window *window, const struct moment_base *base,
			  struct err *err);
/* True if it is not the whole recording. */
bool selection_window_is_part(const struct selection_window *window);
/* Says why it has no samples, and returns -ENODATA. Parameters as in selection_window_find. */
int selection_window_explain(const struct selection_window *window, const struct moment_base *base,
			     struct err *err);

#endif
