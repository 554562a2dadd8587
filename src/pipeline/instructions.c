/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pipeline/instructions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "pipeline/kept_code.h"
#include "pipeline/kernel_code.h"
#include "resolve/disassembler.h"
#include "resolve/recorded_files.h"
#include "resolve/vmlinux.h"

/* What is known of a frame. */
struct answer {
	uint32_t place; /* in instructions.order */
	bool known, good;
	size_t text; /* offset into instructions.texts; NUL-terminated */
};

struct instructions {
	const struct profile *profile;
	const char *symfs; /* NULL: files are where they were */
	struct disassembler *disassembler;
	struct answer *answers; /* by frame */
	uint32_t *order;	/* all frames by image, symbol, address */
	size_t count;
	struct buf texts;
	int fd;		/* the file opened last, borrowed by the disassembler; -1: none */
	int vmlinux_fd; /* -1: none */
	uint64_t vmlinux_shift;
	uint32_t kernel; /* image; 0: none */
	bool kernel_tried;
	struct kernel_code *kernel_code; /* NULL: not tried, or not to be had */
	const char *kernel_reason;	 /* why not, in a few words */
	struct err note;
};

/* The frames of one function, [at, end) of instructions.order, being told in order of address. */
struct group {
	struct instructions *instructions;
	const struct symbol *symbol;
	enum image_kind kind;
	uint32_t image;
	size_t at, end;
	uint64_t shift; /* a line's address is the frame's plus this */
};

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

/* --- opening files for the disassembler --- */

static int hold(struct instructions *instructions, int fd)
{
	if (fd < 0)
		return fd;
	if (instructions->fd >= 0)
		close(instructions->fd);
	instructions->fd = fd;
	return fd;
}

static int open_image(void *context, uint32_t image, struct err *err)
{
	struct instructions *instructions = context;
	const struct profile *profile = instructions->profile;

	enum image_kind kind = profile->images.items[image].kind;

	if (instructions->symfs && kind != IMAGE_KERNEL)
		return hold(instructions,
			    recorded_files_open_under(profile, instructions->symfs, image, err));
	switch (kind) {
	case IMAGE_KERNEL:
		return instructions->vmlinux_fd;
	case IMAGE_VDSO:
		return hold(instructions, recorded_files_open_vdso(profile, err));
	default:
		return hold(instructions, recorded_files_open(profile, image, err));
	}
}

static int open_vmlinux(struct instructions *instructions, const char *path, struct err *err)
{
	if (!instructions->kernel)
		return err_set(err, -EINVAL, "%s: the profile has no kernel", path);
	return vmlinux_open(path, instructions->profile, instructions->kernel,
			    &instructions->vmlinux_fd, &instructions->vmlinux_shift, err);
}

int instructions_new(const struct profile *profile, const struct instructions_options *options,
		     struct instructions **ret_instructions, struct err *err)
{
	_cleanup_(instructions_freep) struct instructions *instructions =
		xcalloc(1, sizeof(*instructions));
	const struct disassembler_options disassembler = { .max_images = options->max_images,
							   .intel = options->intel,
							   .open_image = open_image,
							   .context = instructions };
	int rc = 0;

	instructions->profile = profile;
	instructions->symfs = options->symfs;
	instructions->fd = instructions->vmlinux_fd = -1;
	instructions->kernel = recorded_files_kernel(profile);
	instructions->disassembler = disassembler_new(&disassembler);
	sort_frames(instructions);
	if (options->vmlinux)
		rc = open_vmlinux(instructions, options->vmlinux, err);
	if (rc == 0)
		*ret_instructions = steal_ptr(instructions);
	return rc;
}

void instructions_free(struct instructions *instructions)
{
	if (!instructions)
		return;
	kernel_code_free(instructions->kernel_code);
	disassembler_free(instructions->disassembler);
	if (instructions->fd >= 0)
		close(instructions->fd);
	if (instructions->vmlinux_fd >= 0)
		close(instructions->vmlinux_fd);
	buf_done(&instructions->texts);
	free(instructions->order);
	free(instructions->answers);
	free(instructions);
}

/* --- telling the frames of a group --- */

/* Begins the answer to the next frame of the group; its text is added afterwards and ended. */
static struct buf *answer_next(struct group *group, bool good)
{
	struct instructions *instructions = group->instructions;
	struct answer *answer = &instructions->answers[instructions->order[group->at++]];

	answer->known = true;
	answer->good = good;
	answer->text = instructions->texts.size;
	return &instructions->texts;
}

static void answer_reason(struct group *group, const char *reason)
{
	struct buf *texts = answer_next(group, false);

	buf_printf(texts, "(no code: %s)", reason);
	buf_add_char(texts, '\0');
}

static void answer_all(struct group *group, const char *reason)
{
	while (group->at < group->end)
		answer_reason(group, reason);
}

/* The library has tabs between some of its columns. */
static void answer_line(struct group *group, const struct code_line *line, uint64_t inside)
{
	struct buf *texts = answer_next(group, inside == 0);

	if (inside)
		buf_printf(texts, "(%lu bytes into: ", inside);
	for (const char *at = line->text; *at; at++)
		buf_add_char(texts, *at == '\t' ? ' ' : *at);
	buf_add_str(texts, inside ? ")" : "");
	buf_add_char(texts, '\0');
}

static uint64_t wanted_address(const struct group *group)
{
	return frame_at(group->instructions, group->at)->address + group->shift;
}

static bool take_line(void *context, const struct code_line *line)
{
	struct group *group = context;

	while (group->at < group->end && wanted_address(group) < line->address)
		answer_reason(group, "no instruction is there");
	while (group->at < group->end && wanted_address(group) - line->address < line->length)
		answer_line(group, line, wanted_address(group) - line->address);
	return group->at < group->end;
}

/* The library is not there: said once in full. An image's own -ENOENT never gets here. */
static int no_library(struct instructions *instructions, struct err *err)
{
	instructions->note = *err;
	return err_set(err, -ENOENT, "no disassembler");
}

static uint64_t behind_last(const struct group *group)
{
	return frame_at(group->instructions, group->end - 1)->address + group->shift + 1;
}

/* Where to begin decoding. A function begins with an instruction; in files that are stripped that
 * is known of many (.eh_frame), while the label before it may be megabytes away. */
static int find_start(const struct group *group, uint64_t *ret_start, struct err *err)
{
	uint64_t function = group->symbol->start + group->shift;
	int rc = disassembler_start(group->instructions->disassembler, group->image,
				    wanted_address(group), ret_start, err);

	if (rc == 0 && group->symbol->kind != SYMBOL_NONE && function > *ret_start &&
	    function <= wanted_address(group))
		*ret_start = function;
	return rc;
}

/* Lists what a disassembler's image has of the group, from the frame it is at. */
static int list_image(struct group *group, struct err *err)
{
	uint64_t start;
	int rc = find_start(group, &start, err);

	if (rc < 0)
		return rc;
	rc = disassembler_function(group->instructions->disassembler, group->image, start,
				   behind_last(group), take_line, group, err);
	return rc == -ENOENT ? no_library(group->instructions, err) : rc;
}

/* What was kept of the function when it was recorded. */
static int list_kept(struct group *group, struct err *err)
{
	const struct instructions *instructions = group->instructions;

	group->shift = 0;
	return kept_code_list(instructions->profile, instructions->disassembler,
			      instructions->order[group->at], behind_last(group), take_line, group,
			      err);
}

static bool is_changed(struct instructions *instructions, uint32_t frame, uint64_t shift)
{
	if (!kernel_code_changed(instructions->kernel_code,
				 profile_code(instructions->profile, frame), shift))
		return false;
	if (!instructions->note.text[0])
		err_set(&instructions->note, 0,
			"the kernel's code was changed since the recording (patched, traced): it is"
			" shown as it ran");
	return true;
}

static int open_kernel(struct instructions *instructions, struct err *err)
{
	int rc;

	if (instructions->kernel_tried)
		return instructions->kernel_code ? 0 : -EACCES;
	instructions->kernel_tried = true;
	rc = kernel_code_open(instructions->profile, &instructions->kernel_code, err);
	instructions->kernel_reason =
		rc == -ESTALE ? "another kernel runs now" : "the kernel's code cannot be read";
	return rc;
}

static int list_live(struct group *group, struct err *err)
{
	struct instructions *instructions = group->instructions;
	const struct symbol *symbol = group->symbol;
	uint64_t limit;
	int rc;

	if (symbol->kind == SYMBOL_NONE)
		return err_set(err, -ESRCH, "where its function begins is not known");
	rc = kernel_code_shift(instructions->kernel_code, symbol, &group->shift, err);
	if (rc < 0)
		return rc;
	if (is_changed(instructions, instructions->order[group->at], group->shift))
		return list_kept(group, err);
	limit = symbol->size ? symbol->start + group->shift + symbol->size : 0;
	rc = kernel_code_list(instructions->kernel_code, instructions->disassembler,
			      symbol->start + group->shift, behind_last(group), limit, take_line,
			      group, err);
	return rc == -ENOENT ? no_library(instructions, err) : rc;
}

/* The kernel as it is in memory, else the kernel proper from its file. */
static int list_kernel(struct group *group, struct err *err)
{
	struct instructions *instructions = group->instructions;
	struct err why = { "" };
	int rc = open_kernel(instructions, &why);

	if (rc == 0)
		return list_live(group, err);
	if (group->kind == IMAGE_KERNEL && instructions->vmlinux_fd >= 0) {
		group->shift = instructions->vmlinux_shift;
		return list_image(group, err);
	}
	if (why.text[0])
		err_set(&instructions->note, 0, "instructions of the kernel are not shown: %s",
			why.text);
	return err_set(err, -EACCES, "%s", instructions->kernel_reason);
}

static int list_nothing(struct group *group, struct err *err)
{
	return err_set(err, -ENOENT, "%s",
		       group->kind == IMAGE_ANON ? "memory that is no file" : "no file is known");
}

typedef int (*list_function)(struct group *group, struct err *err);

static list_function way_to(enum image_kind kind)
{
	static const list_function ways[IMAGE_KIND_COUNT] = {
		[IMAGE_FILE] = list_image,     [IMAGE_VDSO] = list_image,
		[IMAGE_KERNEL] = list_kernel,  [IMAGE_MODULE] = list_kernel,
		[IMAGE_BPF] = list_kernel,     [IMAGE_ANON] = list_nothing,
		[IMAGE_BUCKET] = list_nothing, [IMAGE_CUT] = list_nothing,
		[IMAGE_WAIT] = list_nothing,
	};

	return ways[kind];
}

/* An address that is in no code, or too far from where its function begins, says nothing of the
 * others. */
static bool is_of_one_frame(int rc)
{
	return rc == 0 || rc == -ENODATA || rc == -EFBIG;
}

static void tell(struct group *group)
{
	list_function list = way_to(group->kind);

	while (group->at < group->end) {
		size_t before = group->at;
		struct err err = { "no instruction is there" }, kept;
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

/* All frames of the function that has the frame. */
static struct group group_of(struct instructions *instructions, uint32_t frame)
{
	const struct profile *profile = instructions->profile;
	const struct frame *row = &profile->frames.items[frame];
	size_t place = instructions->answers[frame].place;
	struct group group = { .instructions = instructions,
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
	struct group group;

	if (instructions->answers[frame].known)
		return;
	group = group_of(instructions, frame);
	if (row->address_known || image->kind != IMAGE_FILE)
		tell(&group);
	else
		answer_all(&group, image_state_text(image->state));
}

/* --- all instructions of a function --- */

/* A visitor of lines whose addresses are @shift above those of frames. */
struct moved_visit {
	code_visit visit;
	void *context;
	uint64_t shift;
};

static bool visit_moved(void *context, const struct code_line *line)
{
	const struct moved_visit *moved = context;
	struct code_line back = *line;

	back.address -= moved->shift;
	return moved->visit(moved->context, &back);
}

static int each_of_image(struct group *group, const struct instructions_range *range,
			 struct moved_visit *moved, struct err *err)
{
	uint64_t start = range->start + group->shift;

	moved->shift = group->shift;
	if (!range->start) {
		int rc = find_start(group, &start, err);

		if (rc < 0)
			return rc;
	}
	return disassembler_function(group->instructions->disassembler, group->image, start,
				     range->end + group->shift, visit_moved, moved, err);
}

static int each_kept(struct group *group, const struct instructions_range *range,
		     struct moved_visit *moved, struct err *err)
{
	moved->shift = 0;
	return kept_code_list(group->instructions->profile, group->instructions->disassembler,
			      range->frame, range->end, visit_moved, moved, err);
}

static int each_live(struct group *group, const struct instructions_range *range,
		     struct moved_visit *moved, struct err *err)
{
	struct instructions *instructions = group->instructions;
	const struct symbol *symbol = group->symbol;
	uint64_t start = range->start ? range->start : symbol->start;
	int rc = kernel_code_shift(instructions->kernel_code, symbol, &moved->shift, err);

	if (rc < 0)
		return rc;
	if (is_changed(instructions, range->frame, moved->shift))
		return each_kept(group, range, moved, err);
	return kernel_code_list(instructions->kernel_code, instructions->disassembler,
				start + moved->shift, range->end + moved->shift,
				symbol->size ? symbol->start + symbol->size + moved->shift : 0,
				visit_moved, moved, err);
}

static int each_of_kernel(struct group *group, const struct instructions_range *range,
			  struct moved_visit *moved, struct err *err)
{
	struct instructions *instructions = group->instructions;
	struct err why = { "" };

	if (open_kernel(instructions, &why) == 0)
		return each_live(group, range, moved, err);
	if (group->kind != IMAGE_KERNEL || instructions->vmlinux_fd < 0)
		return err_set(err, -EACCES, "%s",
			       why.text[0] ? why.text : instructions->kernel_reason);
	group->shift = instructions->vmlinux_shift;
	return each_of_image(group, range, moved, err);
}

int instructions_each(struct instructions *instructions, const struct instructions_range *range,
		      code_visit visit, void *context, uint64_t *ret_shift, struct err *err)
{
	struct group group = group_of(instructions, range->frame);
	struct moved_visit moved = { .visit = visit, .context = context };
	list_function way = way_to(group.kind);
	struct err kept;
	int rc;

	if (way == list_kernel)
		rc = each_of_kernel(&group, range, &moved, err);
	else if (way == list_image)
		rc = each_of_image(&group, range, &moved, err);
	else
		rc = list_nothing(&group, err);
	if (rc < 0 && each_kept(&group, range, &moved, &kept) == 0)
		rc = 0;
	*ret_shift = moved.shift;
	return rc;
}

static int by_place(const void *left, const void *right, void *context)
{
	const struct answer *answers = context;
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
