/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/instructions_parts.h"

#include <errno.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "code/disassembler.h"
#include "code/kept_code.h"
#include "code/kernel_code.h"
#include "place/files/recorded_files.h"

static const struct frame *frame_at(const struct instructions *instructions, size_t place)
{
	return &instructions->profile->frames.items[instructions->order[place]];
}

static int by_function(const void *left, const void *right, void *context)
{
	const struct profile *profile = context;
	const struct frame *a = &profile->frames.items[*(const uint32_t *)left];
	const struct frame *b = &profile->frames.items[*(const uint32_t *)right];

	if (a->image != b->image)
		return a->image < b->image ? -1 : 1;
	if (a->symbol != b->symbol)
		return a->symbol < b->symbol ? -1 : 1;
	return a->address < b->address ? -1 : a->address > b->address;
}

static void sort_frames(struct instructions *instructions)
{
	struct profile *profile = (struct profile *)instructions->profile;
	size_t count = profile->frames.count;

	instructions->count = count;
	instructions->order = xcalloc(count, sizeof(*instructions->order));
	instructions->answers = xcalloc(count, sizeof(*instructions->answers));
	for (size_t i = 0; i < count; i++)
		instructions->order[i] = (uint32_t)i;
	qsort_r(instructions->order, count, sizeof(*instructions->order), by_function, profile);
	for (size_t i = 0; i < count; i++)
		instructions->answers[instructions->order[i]].place = (uint32_t)i;
}

int instructions_new(const struct profile *profile, const struct instructions_options *options,
		     struct instructions **ret_instructions, struct err *err)
{
	_cleanup_(instructions_freep) struct instructions *instructions =
		xcalloc(1, sizeof(*instructions));
	const struct disassembler_options disassembler = { .max_images = options->max_images,
							   .intel = options->intel,
							   .open_image = instructions_files_open,
							   .context = instructions };
	int rc = 0;

	instructions->profile = profile;
	instructions->symfs = options->symfs;
	instructions->readers = options->readers;
	instructions->fd = instructions->vmlinux_fd = -1;
	instructions->kernel = recorded_files_kernel(profile);
	instructions->disassembler = disassembler_new(&disassembler);
	sort_frames(instructions);
	if (options->vmlinux)
		rc = instructions_files_open_vmlinux(instructions, options->vmlinux, err);
	if (rc == 0)
		*ret_instructions = steal_ptr(instructions);
	return rc;
}

void instructions_free(struct instructions *instructions)
{
	if (!instructions)
		return;
	disassembler_free(instructions->disassembler);
	instructions_files_close(instructions);
	buf_done(&instructions->texts);
	free(instructions->order);
	free(instructions->answers);
	free(instructions);
}

/* --- answers for the frames of a group --- */

/* Begins the answer for the next frame of the group. The caller appends the text and its NUL. */
static struct buf *answer_next(struct instructions_group *group, bool good)
{
	struct instructions *instructions = group->instructions;
	struct instructions_answer *answer =
		&instructions->answers[instructions->order[group->at++]];

	answer->known = true;
	answer->good = good;
	answer->text = instructions->texts.size;
	return &instructions->texts;
}

static void answer_reason(struct instructions_group *group, const char *reason)
{
	struct buf *texts = answer_next(group, false);

	buf_printf(texts, "(no code: %s)", reason);
	buf_add_char(texts, '\0');
}

static void answer_all(struct instructions_group *group, const char *reason)
{
	while (group->at < group->end)
		answer_reason(group, reason);
}

/* Replaces the library's tabs by spaces. */
static void answer_line(struct instructions_group *group, const struct code_line *line,
			uint64_t inside)
{
	struct buf *texts = answer_next(group, inside == 0);

	if (inside)
		buf_printf(texts, "(%lu bytes into: ", inside);
	for (const char *at = line->text; *at; at++)
		buf_add_char(texts, *at == '\t' ? ' ' : *at);
	buf_add_str(texts, inside ? ")" : "");
	buf_add_char(texts, '\0');
}

static uint64_t wanted_address(const struct instructions_group *group)
{
	return frame_at(group->instructions, group->at)->address + group->shift;
}

static bool take_line(void *context, const struct code_line *line)
{
	struct instructions_group *group = context;

	while (group->at < group->end && wanted_address(group) < line->address)
		answer_reason(group, "no instruction here");
	while (group->at < group->end && wanted_address(group) - line->address < line->length)
		answer_line(group, line, wanted_address(group) - line->address);
	return group->at < group->end;
}

/* The library is missing: the note says so in full. An image's own -ENOENT never gets here. */
static int no_library(struct instructions *instructions, struct err *err)
{
	instructions->note = *err;
	return err_set(err, -ENOENT, "no disassembler");
}

static uint64_t behind_last(const struct instructions_group *group)
{
	return frame_at(group->instructions, group->end - 1)->address + group->shift + 1;
}

/* A function's start is a better place to decode from than the label before it. In stripped files
 * .eh_frame gives the start of many functions, while the label may be megabytes away. */
int instructions_start(const struct instructions_group *group, uint64_t *ret_start, struct err *err)
{
	uint64_t function = group->symbol->start + group->shift;
	int rc = disassembler_start(group->instructions->disassembler, group->image,
				    wanted_address(group), ret_start, err);

	if (rc == 0 && group->symbol->kind != SYMBOL_NONE && function > *ret_start &&
	    function <= wanted_address(group))
		*ret_start = function;
	return rc;
}

/* Lists the group's instructions from a disassembler's image, from the current frame on. */
static int list_image(struct instructions_group *group, struct err *err)
{
	uint64_t start;
	int rc = instructions_start(group, &start, err);

	if (rc < 0)
		return rc;
	rc = disassembler_function(group->instructions->disassembler, group->image, start,
				   behind_last(group), take_line, group, err);
	return rc == -ENOENT ? no_library(group->instructions, err) : rc;
}

/* Lists the bytes that the recording kept. */
static int list_kept(struct instructions_group *group, struct err *err)
{
	const struct instructions *instructions = group->instructions;

	group->shift = 0;
	return kept_code_list(instructions->profile, instructions->disassembler,
			      instructions->order[group->at], behind_last(group), take_line, group,
			      err);
}

static int list_live(struct instructions_group *group, struct err *err)
{
	struct instructions *instructions = group->instructions;
	const struct symbol *symbol = group->symbol;
	uint64_t limit;
	int rc;

	if (symbol->kind == SYMBOL_NONE)
		return err_set(err, -ESRCH, "the start of its function is not known");
	rc = kernel_code_shift(instructions->kernel_code, symbol, &group->shift, err);
	if (rc < 0)
		return rc;
	if (instructions_files_is_changed(instructions, instructions->order[group->at],
					  group->shift))
		return list_kept(group, err);
	limit = symbol->size ? symbol->start + group->shift + symbol->size : 0;
	rc = kernel_code_list(instructions->kernel_code, instructions->disassembler,
			      symbol->start + group->shift, behind_last(group), limit, take_line,
			      group, err);
	return rc == -ENOENT ? no_library(instructions, err) : rc;
}

/* Lists the kernel's memory, otherwise vmlinux for the kernel proper. */
static int list_kernel(struct instructions_group *group, struct err *err)
{
	struct instructions *instructions = group->instructions;
	struct err why = { "" };
	int rc = instructions_files_open_kernel(instructions, &why);

	if (rc == 0)
		return list_live(group, err);
	if (group->kind == IMAGE_KERNEL && instructions->vmlinux_fd >= 0) {
		group->shift = instructions->vmlinux_shift;
		return list_image(group, err);
	}
	if (why.text[0])
		err_set(&instructions->note, 0, "kernel instructions are not shown: %s", why.text);
	return err_set(err, -EACCES, "%s", instructions->kernel_reason);
}

int instructions_no_code(struct instructions_group *group, struct err *err)
{
	return err_set(err, -ENOENT, "%s",
		       group->kind == IMAGE_ANON ? "memory without a file" : "unknown file");
}

enum instructions_way instructions_way_to(enum image_kind kind)
{
	static const enum instructions_way ways[IMAGE_KIND_COUNT] = {
		[IMAGE_FILE] = INSTRUCTIONS_OF_IMAGE,	  [IMAGE_VDSO] = INSTRUCTIONS_OF_IMAGE,
		[IMAGE_KERNEL] = INSTRUCTIONS_OF_KERNEL,  [IMAGE_MODULE] = INSTRUCTIONS_OF_KERNEL,
		[IMAGE_BPF] = INSTRUCTIONS_OF_KERNEL,	  [IMAGE_ANON] = INSTRUCTIONS_OF_NOTHING,
		[IMAGE_BUCKET] = INSTRUCTIONS_OF_NOTHING, [IMAGE_CUT] = INSTRUCTIONS_OF_NOTHING,
		[IMAGE_WAIT] = INSTRUCTIONS_OF_NOTHING,
	};

	return ways[kind];
}

static int list(struct instructions_group *group, struct err *err)
{
	switch (instructions_way_to(group->kind)) {
	case INSTRUCTIONS_OF_IMAGE:
		return list_image(group, err);
	case INSTRUCTIONS_OF_KERNEL:
		return list_kernel(group, err);
	default:
		return instructions_no_code(group, err);
	}
}

/* True if an error concerns one frame only: its address is not in code, or too far from its
 * function's start. */
static bool is_of_one_frame(int rc)
{
	return rc == 0 || rc == -ENODATA || rc == -EFBIG;
}

static void tell(struct instructions_group *group)
{
	while (group->at < group->end) {
		size_t before = group->at;
		struct err err = { "no instruction here" }, kept;
		int rc = list(group, &err);

		if (!is_of_one_frame(rc) && list_kept(group, &kept) < 0)
			answer_all(group, err.text);
		else if (group->at == before)
			answer_reason(group, err.text);
	}
}

static bool same_function(const struct instructions *instructions, size_t a, size_t b)
{
	return frame_at(instructions, a)->image == frame_at(instructions, b)->image &&
	       frame_at(instructions, a)->symbol == frame_at(instructions, b)->symbol;
}

struct instructions_group instructions_group_of(struct instructions *instructions, uint32_t frame)
{
	const struct profile *profile = instructions->profile;
	const struct frame *row = &profile->frames.items[frame];
	size_t place = instructions->answers[frame].place;
	struct instructions_group group = { .instructions = instructions,
					    .symbol = &profile->symbols.items[row->symbol],
					    .kind = profile->images.items[row->image].kind,
					    .image = row->image,
					    .at = place,
					    .end = place + 1 };

	while (group.at > 0 && same_function(instructions, group.at - 1, place))
		group.at--;
	while (group.end < instructions->count && same_function(instructions, group.end, place))
		group.end++;
	return group;
}

static void find_out(struct instructions *instructions, uint32_t frame)
{
	const struct profile *profile = instructions->profile;
	const struct frame *row = &profile->frames.items[frame];
	const struct image *image = &profile->images.items[row->image];
	struct instructions_group group;

	if (instructions->answers[frame].known)
		return;
	group = instructions_group_of(instructions, frame);
	if (row->address_known || image->kind != IMAGE_FILE)
		tell(&group);
	else
		answer_all(&group, image_state_text(image->state));
}

static int by_place(const void *left, const void *right, void *context)
{
	const struct instructions_answer *answers = context;
	uint32_t a = answers[*(const uint32_t *)left].place;
	uint32_t b = answers[*(const uint32_t *)right].place;

	return a < b ? -1 : a > b;
}

void instructions_prepare(struct instructions *instructions, const uint32_t *frames, size_t count)
{
	_cleanup_free_ uint32_t *sorted = NULL;

	if (!count)
		return;
	sorted = xmemdup(frames, count * sizeof(*frames));
	qsort_r(sorted, count, sizeof(*sorted), by_place, instructions->answers);
	for (size_t i = 0; i < count; i++)
		find_out(instructions, sorted[i]);
}

bool instructions_text(void *context, uint32_t frame, struct buf *text)
{
	struct instructions *instructions = context;

	find_out(instructions, frame);
	buf_add_str(text, instructions->texts.bytes + instructions->answers[frame].text);
	return instructions->answers[frame].good;
}

const char *instructions_note(void *context)
{
	const struct instructions *instructions = context;

	return instructions->note.text[0] ? instructions->note.text : NULL;
}
