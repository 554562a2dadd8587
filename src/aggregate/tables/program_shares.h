/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each program took of one event, over all its runs. */
#ifndef AGGREGATE_TABLES_PROGRAM_SHARES_H
#define AGGREGATE_TABLES_PROGRAM_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aggregate/split.h"
#include "base/vec.h"
#include "model/profile.h"

enum program_part {
	PROGRAMS_ALL,
	PROGRAMS_OF_COMMAND, /* of the command and its descendants */
	PROGRAMS_OF_OTHERS,  /* of all other processes */
};

struct program_share {
	str_id program;
	struct hits hits;
	size_t runs; /* also those that have no sample */
};

struct program_shares {
	VEC(struct program_share) rows; /* the heaviest first */
	struct hits sum;
	size_t runs;
	/* A process that executes other programs is one process, but runs each of them. */
	size_t processes;
};

/* Counts those runs that were there at any time from @from_ns to @to_ns, by the samples' clock. The
 * caller frees the result with program_shares_done. */
void program_shares_make(const struct profile *profile, const struct total *totals, size_t count,
			 uint8_t event, enum program_part part, uint64_t from_ns, uint64_t to_ns,
			 struct program_shares *ret_shares);
void program_shares_done(struct program_shares *shares);

#endif
