/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How to fix cut stacks, by program. A stack's root says why it is cut; for some run-time systems a
 * fix is known. A process belongs to such a system if any of its stacks leads through its library,
 * whatever the program's name.
 */
#ifndef AGGREGATE_ACCOUNT_REMEDIES_H
#define AGGREGATE_ACCOUNT_REMEDIES_H

#include <stddef.h>
#include <stdint.h>

#include "base/hashidx.h"
#include "base/vec.h"
#include "model/profile.h"

/* Stacks of one program that are cut for one reason. */
struct remedy {
	str_id program;
	const char *why;  /* explanation, to follow "12 of 40 stacks"; static */
	const char *fix;  /* what would make the stacks complete; static; NULL: unknown */
	uint64_t samples; /* that are cut for this reason */
	uint64_t whole;	  /* of the program, with a user part */
};

struct remedies {
	VEC(struct remedy) list; /* most samples first, once settled */
	struct hashidx index;	 /* private, until settled: rows by program and rule */
};

/* The run-time systems of processes. @totals: all of the profile. The caller frees the result with
 * runtimes_free. */
struct runtimes;
struct runtimes *runtimes_find(const struct profile *profile, const struct total *totals,
			       size_t count);
void runtimes_free(struct runtimes *runtimes); /* NULL is fine */

/* Adds @total, whose stack ends with @end; complete stacks count too. @image: of its outermost
 * frame; 0: no frame. */
void remedies_add(struct remedies *remedies, struct runtimes *runtimes, const struct total *total,
		  enum stack_end end, uint32_t image);
/* Call this after all were added. Leaves out what concerns only a few of a program's stacks:
 * hand-written assembler code is everywhere. */
void remedies_settle(struct remedies *remedies, const struct runtimes *runtimes);
void remedies_done(struct remedies *remedies);

#endif
