/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much of the sampled weight has a name. */
#ifndef AGGREGATE_ACCOUNT_NAMING_H
#define AGGREGATE_ACCOUNT_NAMING_H

#include <stddef.h>

#include "model/profile.h"

/* Weights of leaf frames, by how their symbol was found. */
struct naming {
	uint64_t whole;
	uint64_t unresolved; /* SYMBOL_NONE: no name */
	uint64_t bracketed;  /* SYMBOL_BRACKET: "a->b" between two symbols */
};

struct naming naming_of(const struct profile *profile, const struct total *totals, size_t count,
			uint8_t event);

#endif
