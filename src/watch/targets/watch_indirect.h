/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Indirect functions (STT_GNU_IFUNC): the symbol, such as memcpy, is a function that runs once at
 * program start and chooses one of several implementations for this processor.
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

/* The ELF address of the implementation that programs on this machine get. It is known only if
 * prospect itself has loaded the file, such as the C library. */
bool watch_indirect_chosen(const struct watch_candidate *candidate, uint64_t *ret_address);
/* Appends the functions that the code may choose: those whose address it takes. x86 only. */
void watch_indirect_choices(const struct watch_candidate *candidate,
			    struct watch_addresses *choices);

#endif
