/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_ATTRIBUTE_FIXTURE_H
#define TESTS_UNIT_ATTRIBUTE_FIXTURE_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "attribute/frames.h"
#include "attribute/stacks.h"
#include "base/buf.h"
#include "model/machine.h"
#include "model/profile.h"
#include "perf/perf_record.h"
#include "perf/perf_sample.h"
#include "perf/records.h"
#include "place/files/image_files.h"

/* ---- stacks of a profile as text, so that a test says in one line what it expects ---- */

/* "PATH+OFFSET", and how the address was found: "<" a return address, "!" interrupted by a signal,
 * "^" where interrupts were enabled. */
static inline void add_frame_text(struct buf *text, const struct profile *profile, uint32_t id)
{
	static const char *const marks[] = {
		[FRAME_EXACT] = "", [FRAME_RETURN] = "<", [FRAME_SIGNAL] = "!", [FRAME_ENABLES] = "^"
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

/* ---- samples as the stack program writes them (bpf/stack_wire.h), and what a source makes of
 * them ---- */

enum { RAW_STACK_ID = STREAM_RAW_IDS };

struct raw_stack {
	struct stack_record fixed;
	uint64_t kernel[8], user[8];
	struct unwind_registers registers; /* of a DUMP */
	const void *stack;
};

/* @stamp->id is that of the event that ticked. */
static inline void stream_stack(struct record_stream *stream, const struct stamp *stamp,
				uint16_t misc, const struct raw_stack *raw)
{
	struct stamp output = *stamp;
	struct stack_record fixed = raw->fixed;
	char bytes[4096];
	size_t size = sizeof(fixed);

	output.id = RAW_STACK_ID;
	fixed.event = stamp->id;
	memcpy(bytes, &fixed, sizeof(fixed));
	memcpy(bytes + size, raw->kernel, fixed.kernel_count * sizeof(uint64_t));
	size += fixed.kernel_count * sizeof(uint64_t);
	memcpy(bytes + size, raw->user, fixed.user_count * sizeof(uint64_t));
	size += fixed.user_count * sizeof(uint64_t);
	if (fixed.form == STACK_FORM_DUMP) {
		memcpy(bytes + size, &raw->registers, sizeof(raw->registers));
		size += sizeof(raw->registers);
		memcpy(bytes + size, raw->stack, fixed.stack_size);
		size += fixed.stack_size;
	}
	assert_true(size <= sizeof(bytes));
	stream_raw(stream, &output, misc,
		   misc == PERF_RECORD_MISC_USER ? raw->user[0] : raw->kernel[0], bytes, size);
}

/* As sampler_drain hands records out. */
static inline struct perf_record converted(const struct perf_record *record)
{
	struct perf_record sample = *record;

	if (record->type == PERF_RECORD_SAMPLE && record->id == RAW_STACK_ID)
		assert_true(perf_record_unpack(&sample));
	return sample;
}

/* ---- what samples are attributed to ---- */

struct fixture {
	struct profile *profile;
	struct machine *machine;
	struct image_files *files;
	struct frames frames;
	struct stacks *stacks; /* NULL: the test makes none */
	struct record_stream *stream;
};

/* Takes @profile. */
static inline struct fixture fixture_new(struct profile *profile)
{
	return (struct fixture){ .profile = profile,
				 .machine = machine_new(profile, NULL, NULL),
				 .files = image_files_new(profile, 8),
				 .frames = { .profile = profile },
				 .stream = stream_new() };
}

/* @tables: NULL: no kernel side. Does not move any more. */
static inline void fixture_make_stacks(struct fixture *fixture, size_t max_depth,
				       struct stack_tables *tables)
{
	const struct stacks_parts parts = { .frames = &fixture->frames,
					    .machine = fixture->machine,
					    .files = fixture->files,
					    .tables = tables,
					    .max_depth = max_depth };

	fixture->stacks = stacks_new(&parts);
}

/* The caller frees the profile. */
static inline void fixture_done(struct fixture *fixture)
{
	stacks_free(fixture->stacks);
	image_files_free(fixture->files);
	machine_free(fixture->machine);
	stream_free(fixture->stream);
}

#endif
