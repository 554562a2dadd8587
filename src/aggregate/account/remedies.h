/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What would mend stacks that are not complete, by program. Why a stack ends is in its root; what
 * would change it is known of some run-time systems. A process is one of these when any of its
 * stacks leads through their library, whatever the program is called.
 */
#ifndef AGGREGATE_ACCOUNT_REMEDIES_H
#define AGGREGATE_ACCOUNT_REMEDIES_H

#include <stddef.h>
#include <stdint.h>

#include "base/hashidx.h"
#include "base/vec.h"
#include "model/profile.h"

/* Stacks of one program that end for one reason. */
struct remedy {
	str_id program;
	const char *why;  /* what is said of them, behind "12 of 40 stacks"; static */
	const char *mend; /* what would mend it; static; NULL: nothing is known that would */
	uint64_t samples; /* with such stacks */
	uint64_t whole;	  /* all of the program that have a user stack */
};

struct remedies {
	VEC(struct remedy) list; /* the most samples first, once they are settled */
	struct hashidx index;	 /* private, until then: rows by program and rule */
};

/* The run-time systems of processes. @totals: all of the profile. The caller frees. */
struct runtimes;
struct runtimes *runtimes_find(const struct profile *profile, const struct total *totals,
			       size_t count);
void runtimes_free(struct runtimes *runtimes); /* NULL is fine */

/* @total has a stack that ends so, maybe complete; @image: of its outermost frame, 0: none was
 * found.
 */
void remedies_add(struct remedies *remedies, struct runtimes *runtimes, const struct total *total,
		  enum stack_end end, uint32_t image);
/* When all were added: what concerns only a few of a program's stacks is left out, for code of
 * assemblers is everywhere. */
void remedies_settle(struct remedies *remedies, const struct runtimes *runtimes);
void remedies_done(struct remedies *remedies);

#endif
