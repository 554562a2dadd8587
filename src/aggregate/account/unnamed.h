/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples without the name of a function, where most of them are, and what would give them names. */
#ifndef AGGREGATE_ACCOUNT_UNNAMED_H
#define AGGREGATE_ACCOUNT_UNNAMED_H

#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

/* Weights of innermost frames. */
struct unnamed {
	uint64_t whole;
	uint64_t in_files;  /* in files of programs, but in no function that has a name */
	uint32_t file;	    /* the image with most of it; 0: none */
	uint64_t jit;	    /* in JIT code without names */
	str_id jit_program; /* its largest maker */
	const char *runs;   /* what makes that tell names, as typed; NULL: not known */
	const char *since;  /* the first version that can; NULL: all can */
	/* In Python itself, while it does not tell which functions it runs. */
	uint64_t python;
	str_id python_exe;     /* the executable with most of it, a path */
	unsigned python_minor; /* of its version 3.x */
};

/* The first Python that can tell names, as 3.x. */
enum { UNNAMED_PYTHON_TELLS = 12 };
/* How these names begin: "py::burn:/home/me/hot.py". */
#define UNNAMED_PYTHON_FUNCTION "py::"

/* @totals: of one event. */
void unnamed_find(const struct profile *profile, const struct total *totals, size_t count,
		  struct unnamed *ret_unnamed);

#endif
