/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attribute/wait_classes.h"

#include <stdlib.h>

#include "attribute/frames.h"
#include "base/buf.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "model/profile.h"
#include "place/kernel/kernel_symbols.h"
#include "place/kernel/wait_marks.h"

struct wait_classes {
	const struct frames *frames;
	VEC(uint8_t) known; /* by frame: 0 not determined yet, otherwise 1 + enum wait */
	uint32_t images[WAIT_COUNT];
};

static uint32_t wait_image(struct profile *profile, enum wait wait)
{
	struct image image = { .kind = IMAGE_WAIT, .state = IMAGE_STATE_READ };
	struct buf path = { 0 };

	buf_printf(&path, "[%s]", wait_name(wait));
	image.path = strpool_intern(&profile->strings, buf_text(&path));
	buf_done(&path);
	return profile_image(profile, &image);
}

struct wait_classes *wait_classes_new(const struct frames *frames)
{
	struct wait_classes *classes = xcalloc(1, sizeof(*classes));

	classes->frames = frames;
	for (int i = 0; i < WAIT_COUNT; i++)
		classes->images[i] = wait_image(frames->profile, (enum wait)i);
	return classes;
}

void wait_classes_free(struct wait_classes *classes)
{
	if (!classes)
		return;
	vec_free(&classes->known);
	free(classes);
}

static enum wait ask(const struct wait_classes *classes, uint32_t frame_id)
{
	const struct profile *profile = classes->frames->profile;
	const struct frame *frame = &profile->frames.items[frame_id];
	uint64_t behind = frame->kind == FRAME_RETURN && frame->offset > 0;
	struct symbol symbol;

	if (!classes->frames->kernel)
		return WAIT_OTHER;
	kernel_symbols_lookup(classes->frames->kernel, frame->image, frame->offset - behind,
			      &symbol);
	return wait_marks_by_name(profile_text(profile, symbol.name));
}

enum wait wait_classes_frame(struct wait_classes *classes, uint32_t frame)
{
	while (classes->known.count <= frame)
		*vec_push(&classes->known) = 0;
	if (!classes->known.items[frame])
		classes->known.items[frame] = (uint8_t)(1 + ask(classes, frame));
	return (enum wait)(classes->known.items[frame] - 1);
}

uint32_t wait_classes_leaf(struct wait_classes *classes, enum wait wait, uint32_t waker)
{
	struct frame frame = { .image = classes->images[wait], .offset = waker, .address = waker };

	return profile_frame(classes->frames->profile, &frame);
}
