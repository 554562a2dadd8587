/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each Python function took of one event, with the C functions that it called. Python that runs with
 * -X perf names a piece of code for each of its functions "py::NAME:FILE", and puts it on the stack, but
 * spends its time in the interpreter, which that code calls.
 */
#ifndef AGGREGATE_TABLES_PYTHON_SHARES_H
#define AGGREGATE_TABLES_PYTHON_SHARES_H

#include "aggregate/split.h"
#include "base/buf.h"
#include "base/vec.h"
#include "model/profile.h"

struct python_share {
	str_id name;	  /* as in the symbol table */
	struct hits hits; /* of it itself, not of Python functions that it called */
};

struct python_shares {
	VEC(struct python_share) rows; /* the heaviest first */
};

/* The caller frees the result with python_shares_done. */
void python_shares_make(const struct profile *profile, const struct total *totals, size_t count,
			uint8_t event, struct python_shares *ret_shares);
void python_shares_done(struct python_shares *shares);

/* "py::burn:/home/me/hot.py" -> "burn (hot.py)". Another name is not changed. */
void python_shares_add_name(const char *name, struct buf *text);

#endif
