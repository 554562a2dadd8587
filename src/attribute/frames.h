/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From an address to a frame of the profile: what it is in at the moment of the record. */
#ifndef ATTRIBUTE_FRAMES_H
#define ATTRIBUTE_FRAMES_H

#include <stdint.h>

#include "model/machine.h"
#include "model/profile.h"
#include "perf/perf_record.h"

struct jit;
struct kernel_symbols;

/* All borrowed. */
struct frames {
	struct profile *profile;
	struct kernel_symbols *kernel; /* NULL: none yet */
	struct jit *jit;	       /* NULL: code in memory that is no file has no names */
};

/* Each returns a row of profile.frames. A return address belongs to the code before it. @space is
 * that of the record's process. */
uint32_t frames_user(const struct frames *frames, const struct machine_space *space,
		     uint64_t address, enum frame_kind kind);
uint32_t frames_kernel(const struct frames *frames, uint64_t address, enum frame_kind kind);
/* A stack (node) of the process that was made before, as it is now: where the process made other
 * code at an address since, its frames are others. */
uint32_t frames_renew(const struct frames *frames, const struct machine_space *space,
		      uint32_t stack);
/* Where the sample was taken. */
uint32_t frames_leaf(const struct frames *frames, const struct machine_space *space,
		     const struct perf_record *record);

#endif
