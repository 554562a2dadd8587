/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many stacks reach the start of their thread, why the others do not, and where they end. Only
 * samples with a user part count: stacks of kernel threads and idle CPUs are always complete and
 * would flatter the result.
 */
#ifndef AGGREGATE_ACCOUNT_COMPLETENESS_H
#define AGGREGATE_ACCOUNT_COMPLETENESS_H

#include <stdbool.h>
#include <stddef.h>

#include "aggregate/split.h"
#include "base/vec.h"
#include "model/profile.h"

/* Stacks that are cut in one image for one reason. */
struct broken_image {
	uint32_t image; /* of the outermost frame found; 0: no frame */
	enum stack_end end;
	struct hits hits;
};

/* Stacks of one program that are cut for one reason. */
struct remedy {
	str_id program;
	const char *why;  /* explanation, to follow "12 of 40 stacks"; static */
	const char *fix;  /* what would make the stacks complete; static; NULL: unknown */
	uint64_t samples; /* that are cut for this reason */
	uint64_t whole;	  /* of the program, with a user part */
};

struct completeness {
	bool recorded;	   /* else only leaves were recorded, and the rest is empty */
	struct hits whole; /* of stacks with a user part */
	struct hits apart; /* of stacks without: in exec, or the memory was gone */
	struct hits ends[STACK_END_COUNT]; /* by how the stack ends; the sum is whole + apart */
	VEC(struct broken_image) images;   /* of cut stacks; most samples first */
	VEC(struct remedy) remedies;	   /* of cut stacks, most samples first */
};

/* True if this end means that there was no user part to find. */
bool completeness_is_apart(enum stack_end end);

/* For one event. The caller frees the result with completeness_done. */
void completeness_make(const struct profile *profile, const struct total *totals, size_t count,
		       uint8_t event, struct completeness *ret_completeness);
void completeness_done(struct completeness *completeness);

/* The share of one of completeness.ends in the whole, in percent of samples, not of weight: a stack
 * is complete or not, whatever it weighs. 0 if nothing counts. */
double completeness_percent(const struct completeness *completeness, enum stack_end end);

#endif
