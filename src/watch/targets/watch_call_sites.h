/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where code calls certain functions directly: where these calls return to. */
#ifndef WATCH_TARGETS_WATCH_CALL_SITES_H
#define WATCH_TARGETS_WATCH_CALL_SITES_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "watch/targets/watch_image.h"

/* A function that is called. All borrowed. */
struct watch_callee {
	const struct watch_image *image; /* that has it */
	uint64_t address;
	const char *name; /* by which others import it; each of its names is a callee */
};

typedef VEC(struct watch_callee) watch_callees;

/* Appends the offsets in @image's file, uint64_t, of what is behind each direct call of a callee,
 * by its address, through its slot of the PLT or through its word of the GOT. Only what
 * watch_image_may_return_to allows. Of x86-64 and arm64; nothing of others. */
void watch_call_sites_find(struct watch_image *image, const watch_callees *callees,
			   struct buf *offsets);

/* Gives each slot of the PLT: where it is, an ELF address, and the plain name of its function,
 * which is borrowed for the call. */
void watch_call_sites_slots(const struct watch_image *image,
			    void (*give)(void *context, uint64_t address, const char *name),
			    void *context);

#endif
