/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many stacks reach the start of their thread, why the others do not, and where they end. Only
 * what has a user part counts: samples of kernel threads and of idle processors are whole by
 * nature and would flatter the figure.
 */
#ifndef AGGREGATE_ACCOUNT_COMPLETENESS_H
#define AGGREGATE_ACCOUNT_COMPLETENESS_H

#include <stdbool.h>
#include <stddef.h>

#include "aggregate/account/remedies.h"
#include "aggregate/split.h"
#include "base/vec.h"
#include "model/profile.h"

/* Stacks that end in one image for one reason. */
struct broken_image {
	uint32_t image; /* of the outermost frame that was found; 0: none was */
	enum stack_end end;
	struct hits hits;
};

struct completeness {
	bool recorded;	   /* else only leaves were kept, and the rest is empty */
	struct hits whole; /* that had a user stack */
	struct hits apart; /* that had none: their program was being replaced, or its memory gone */
	struct hits ends[STACK_END_COUNT]; /* by how the stack ends; they add up to both */
	VEC(struct broken_image) images;   /* what is cut; the heaviest first */
	struct remedies remedies;	   /* of what is cut, as far as anything is known */
};

/* Does a stack that ends so tell of a user part that was not there to be found? */
bool completeness_is_apart(enum stack_end end);

/* Of one event. The caller frees with completeness_done. */
void completeness_make(const struct profile *profile, const struct total *totals, size_t count,
		       uint8_t event, struct completeness *ret_completeness);
void completeness_done(struct completeness *completeness);

/* How one of completeness.ends compares with the whole, in percent of samples: a stack is complete
 * or not, whatever it weighs. 0 when nothing counts. */
double completeness_percent(const struct completeness *completeness, enum stack_end end);

#endif
