/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of a profile as text, so that a test says in one line what it expects. */
#ifndef TESTS_UNIT_ATTRIBUTE_STACK_TEXT_H
#define TESTS_UNIT_ATTRIBUTE_STACK_TEXT_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "model/profile.h"

/* "PATH+OFFSET", and how the address was found: "<" a return address, "!" interrupted by a signal.
 */
static inline void add_frame_text(struct buf *text, const struct profile *profile, uint32_t id)
{
	static const char *const marks[] = {
		[FRAME_EXACT] = "", [FRAME_RETURN] = "<", [FRAME_SIGNAL] = "!"
	};
	const struct frame *frame = &profile->frames.items[id];

	buf_printf(text, "%s+%" PRIx64 "%s",
		   profile_text(profile, profile->images.items[frame->image].path), frame->offset,
		   marks[frame->kind]);
}

/* From the root, a blank between. */
static inline void add_stack_text(struct buf *text, const struct profile *profile, uint32_t stack)
{
	const struct stack_node *node = &profile->stacks.items[stack];

	if (node->parent) {
		add_stack_text(text, profile, node->parent);
		buf_add_char(text, ' ');
	}
	add_frame_text(text, profile, node->frame);
}

static inline void assert_frame(const struct profile *profile, uint32_t frame, const char *expected)
{
	struct buf text = { 0 };

	add_frame_text(&text, profile, frame);
	assert_string_equal(buf_text(&text), expected);
	buf_done(&text);
}

static inline void assert_stack(const struct profile *profile, uint32_t stack, const char *expected)
{
	struct buf text = { 0 };

	if (stack)
		add_stack_text(&text, profile, stack);
	assert_string_equal(buf_text(&text), expected);
	buf_done(&text);
}

static inline uint32_t made_image(struct profile *profile, enum image_kind kind, const char *path)
{
	const struct image image = { .kind = kind,
				     .path = strpool_intern(&profile->strings, path) };

	return profile_image(profile, &image);
}

#endif
