/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Branches the processor recorded (LBR and its like), added up: how often one place was left for
 * another while samples of an event were taken. Zero-initialised is empty.
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
	uint64_t count;	       /* times it was recorded */
	uint64_t mispredicted; /* of these; 0 also where the processor does not say */
	uint64_t cycles;       /* since the branch before, of all of them; 0: not told */
};

struct branches {
	VEC(struct branch) list;
	struct hashidx index;
	uint64_t left_out; /* records for which there was no room */
};

/* Adds the numbers of @branch to those of the same event and places. */
void branches_add(struct branches *branches, const struct branch *branch);
void branches_done(struct branches *branches);

#endif
