/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attribute/frames.h"

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "place/jit/jit.h"
#include "place/kernel/kernel_symbols.h"

/* A place without code of its own: "[guest]" ... */
static uint32_t bucket_of(const struct frames *frames, const char *name, uint64_t address)
{
	struct frame frame = { .image = profile_bucket(frames->profile, name),
			       .offset = address,
			       .address = address };

	return profile_frame(frames->profile, &frame);
}

uint32_t frames_user(const struct frames *frames, const struct machine_space *space,
		     uint64_t address, enum frame_kind kind)
{
	uint64_t code = kind == FRAME_RETURN && address > 0 ? address - 1 : address;
	struct mapping mapping;
	struct frame frame;
	enum image_kind image;

	switch (machine_find_code(space, code, &mapping)) {
	case CODE_EXEC:
		return bucket_of(frames, "[exec]", address);
	case CODE_UNMAPPED:
		return bucket_of(frames, "[unmapped]", address);
	case CODE_MAPPED:
		break;
	}
	image = frames->profile->images.items[mapping.image].kind;
	frame = (struct frame){ .image = mapping.image,
				.offset = address - mapping.start + mapping.offset,
				.kind = kind };
	if (image == IMAGE_BUCKET || image == IMAGE_ANON)
		frame.offset = frame.address = address;
	/* Memory without a file: addresses of different processes must not mix. */
	if (image == IMAGE_ANON && frames->jit)
		jit_place(frames->jit, space->process, &frame);
	return profile_frame(frames->profile, &frame);
}

uint32_t frames_kernel(const struct frames *frames, uint64_t address, enum frame_kind kind)
{
	struct frame frame = { .kind = kind };

	if (!frames->kernel)
		return bucket_of(frames, "[kernel]", address);
	kernel_symbols_place(frames->kernel, address, &frame.image, &frame.offset);
	frame.address = frame.offset;
	return profile_frame(frames->profile, &frame);
}

uint32_t frames_leaf(const struct frames *frames, const struct machine_space *space,
		     const struct perf_record *record)
{
	switch (record->cpu_mode) {
	case PERF_RECORD_MISC_KERNEL:
		return frames_kernel(frames, record->sample.ip, FRAME_EXACT);
	case PERF_RECORD_MISC_USER:
		return frames_user(frames, space, record->sample.ip, FRAME_EXACT);
	case PERF_RECORD_MISC_GUEST_KERNEL:
	case PERF_RECORD_MISC_GUEST_USER:
		return bucket_of(frames, "[guest]", record->sample.ip);
	default:
		return bucket_of(frames, "[hypervisor]", record->sample.ip);
	}
}

/* Rebuilds @stack from the root, with renewed frames. */
static uint32_t renew(const struct frames *frames, uint32_t stack)
{
	struct profile *profile = frames->profile;
	uint32_t depth = profile->stacks.items[stack].depth, parent = 0;
	_cleanup_free_ uint32_t *nodes = xcalloc(depth, sizeof(*nodes));

	for (uint32_t i = depth; i-- > 0; stack = profile->stacks.items[stack].parent)
		nodes[i] = profile->stacks.items[stack].frame;
	for (uint32_t i = 0; i < depth; i++) {
		struct frame frame = profile->frames.items[nodes[i]];

		if (jit_renew(frames->jit, &frame))
			nodes[i] = profile_frame(profile, &(struct frame){ .image = frame.image,
									   .offset = frame.offset,
									   .address = frame.address,
									   .kind = frame.kind });
		parent = profile_stack(profile, parent, nodes[i]);
	}
	return parent;
}

uint32_t frames_renew(const struct frames *frames, const struct machine_space *space,
		      uint32_t stack)
{
	if (!frames->jit || !stack || !jit_reuses(frames->jit, space->process))
		return stack;
	return renew(frames, stack);
}
