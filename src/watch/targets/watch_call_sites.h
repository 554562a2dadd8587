/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds direct calls of given functions: the addresses to which these calls return. */
#ifndef WATCH_TARGETS_WATCH_CALL_SITES_H
#define WATCH_TARGETS_WATCH_CALL_SITES_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "watch/targets/watch_image.h"

/* A called function. All borrowed. */
struct watch_callee {
	const struct watch_image *image; /* that contains it */
	uint64_t address;
	const char *name; /* by which other images import it; each of its names is a callee */
};

typedef VEC(struct watch_callee) watch_callees;

/* Appends to @offsets, as uint64_t offsets in @image's file, where each direct call of a callee
 * returns to. A direct call is by address, through a slot of the PLT or, on x86-64, through a word
 * of the GOT. Only return addresses that watch_image_may_return_to allows. x86-64 and arm64;
 * appends nothing for other machines. */
void watch_call_sites_find(struct watch_image *image, const watch_callees *callees,
			   struct buf *offsets);

/* Calls @give for each slot of the PLT, with its ELF address and the plain name of its function,
 * borrowed for the call. */
void watch_call_sites_slots(const struct watch_image *image,
			    void (*give)(void *context, uint64_t address, const char *name),
			    void *context);

#endif
