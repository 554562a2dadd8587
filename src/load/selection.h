/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which part of a profile is looked at, as its user says it: what all viewing commands share. */
#ifndef LOAD_SELECTION_H
#define LOAD_SELECTION_H

#include <stddef.h>

/* Texts are borrowed. All zero: everything. */
struct selection {
	const char *const *clauses; /* --select, see aggregate/select.h */
	size_t clause_count;
	const char *since, *until; /* see aggregate/moment.h; NULL: from the start, to the end */
	const char *slice;	   /* how long a value of the key time is; NULL: 1 s */
};

#endif
