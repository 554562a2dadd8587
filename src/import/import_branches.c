/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/import_branches.h"

/* The bit field of struct perf_branch_entry. */
enum {
	FLAG_MISPREDICTED = 1 << 0,
	CYCLES_SHIFT = 4,
	CYCLES_MASK = 0xffff,
};

/* A branch address has no mode of its own: the upper half of the addresses is the kernel's. */
static uint32_t frame_of(const struct import_profile *import, const struct machine_space *space,
			 uint64_t address)
{
	if ((int64_t)address < 0)
		return frames_kernel(&import->frames, address, FRAME_EXACT);
	return frames_user(&import->frames, space, address, FRAME_EXACT);
}

void import_branches_take(struct import_profile *import, const struct machine_space *space,
			  const struct perf_record *record, const struct perf_format *format,
			  uint8_t event)
{
	const struct perf_branches *branches = &record->sample.branches;
	/* The other byte order also orders the bits differently, depending on the machine. */
	bool flags_known = !format->swap_room;

	if (format->branch_type & PERF_SAMPLE_BRANCH_CALL_STACK)
		return;
	for (size_t i = 0; i < branches->count; i++) {
		const struct perf_branch *told = &branches->items[i];
		struct branch branch = { .event = event, .count = 1 };

		if (!told->from && !told->to)
			continue;
		branch.from = frame_of(import, space, told->from);
		branch.to = frame_of(import, space, told->to);
		if (flags_known) {
			branch.mispredicted = told->flags & FLAG_MISPREDICTED;
			branch.cycles = told->flags >> CYCLES_SHIFT & CYCLES_MASK;
		}
		branches_add(&import->profile->branches, &branch);
	}
}
