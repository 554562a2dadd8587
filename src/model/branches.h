/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums of branches that the processor recorded (LBR and the like): how often it branched from one
 * place to another while an event was sampled. Zero-initialised is empty.
 */
#ifndef MODEL_BRANCHES_H
#define MODEL_BRANCHES_H

#include <stdint.h>

#include "base/hashidx.h"
#include "base/vec.h"

enum { BRANCHES_MAX = 1 << 22 }; /* pairs of places; more are left out and counted */

struct branch {
	uint32_t event;
	uint32_t from, to;     /* frames of the profile */
	uint64_t count;	       /* number of recordings */
	uint64_t mispredicted; /* of @count; 0 also if the processor does not say */
	uint64_t cycles;       /* sum of cycles since the previous branch; 0: not recorded */
};

struct branches {
	VEC(struct branch) list;
	struct hashidx index;
	uint64_t left_out; /* records dropped because the list was full */
};

/* Adds the numbers of @branch to those of the same event and places. */
void branches_add(struct branches *branches, const struct branch *branch);
void branches_done(struct branches *branches);

#endif
