/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of a profile to view, as its user gives it. Shared by all viewing commands. */
#ifndef LOAD_SELECTION_H
#define LOAD_SELECTION_H

#include <stddef.h>

/* Texts are borrowed. All zero: everything. */
struct selection {
	const char *const *clauses; /* --select, see aggregate/select.h */
	size_t clause_count;
	const char *since, *until; /* see aggregate/moment.h; NULL: from the start, to the end */
	const char *slice;	   /* length of a value of the key time; NULL: 1 s */
};

#endif
