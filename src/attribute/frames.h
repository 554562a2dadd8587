/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From an address to a frame of the profile, by what is mapped there at the time of the record. */
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
	struct jit *jit;	       /* NULL: memory without a file has no names */
};

/* Each returns a row of profile.frames. A return address belongs to the code before it. @space is
 * that of the record's process. */
uint32_t frames_user(const struct frames *frames, const struct machine_space *space,
		     uint64_t address, enum frame_kind kind);
uint32_t frames_kernel(const struct frames *frames, uint64_t address, enum frame_kind kind);
/* Returns a stack that was made earlier as it is now. Where the process has put other code at an
 * address since, the new stack has other frames. */
uint32_t frames_renew(const struct frames *frames, const struct machine_space *space,
		      uint32_t stack);
/* The frame where the sample was taken. */
uint32_t frames_leaf(const struct frames *frames, const struct machine_space *space,
		     const struct perf_record *record);

#endif
