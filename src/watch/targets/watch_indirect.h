/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Indirect functions (STT_GNU_IFUNC): a symbol like memcpy is at a function that runs once, as the
 * program starts, and says which of several implementations this processor gets.
 */
#ifndef WATCH_TARGETS_WATCH_INDIRECT_H
#define WATCH_TARGETS_WATCH_INDIRECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "watch/targets/watch_match.h"

struct watch_addresses {
	VEC(uint64_t) list;
};

/* The implementation that programs on this machine get, an ELF address: known where the file is
 * part of this very process too, as the C library is. */
bool watch_indirect_chosen(const struct watch_candidate *candidate, uint64_t *ret_address);
/* Functions its code could choose: those whose addresses it takes. x86 only. */
void watch_indirect_choices(const struct watch_candidate *candidate,
			    struct watch_addresses *choices);

#endif
