/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/instructions.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/compare.h"
#include "base/xalloc.h"
#include "code/disassembler.h"
#include "code/kernel_code.h"
#include "place/files/recorded_files.h"
#include "place/kernel/kernel_core.h"

/* What is known about a frame. */
struct answer {
	uint32_t place; /* in instructions.order */
	bool known, good;
	size_t text; /* offset into instructions.texts; NUL-terminated */
};

struct instructions {
	const struct profile *profile;
	struct door_root symfs;
	const struct image_readers *readers;
	struct disassembler *disassembler;
	struct answer *answers; /* by frame */
	uint32_t *order;	/* all frames by image, symbol, address */
	size_t count;
	struct buf texts;
	int fd;		/* of the file opened last, borrowed by the disassembler; -1: none */
	int vmlinux_fd; /* -1: none */
	uint64_t vmlinux_shift;
	uint32_t kernel; /* image; 0: none */
	bool kernel_tried;
	struct kernel_code *kernel_code; /* NULL: not tried, or not available */
	const char *kernel_reason;	 /* why not */
	struct err note;
};

/* The frames of one function, [at, end) of instructions.order, by address; `at` is the next to
 * answer. */
struct group {
	struct instructions *instructions;
	const struct symbol *symbol;
	enum image_kind kind;
	uint32_t image;
	size_t at, end;
	uint64_t shift; /* address of a line minus address of its frame */
	bool brief;	/* an error is a few words; the note has the rest */
};

/* ---- sources of code ---- */

static int hold(struct instructions *instructions, int fd)
{
	if (fd < 0)
		return fd;
	if (instructions->fd >= 0)
		close(instructions->fd);
	instructions->fd = fd;
	return fd;
}

/* For the disassembler. The descriptor is borrowed until the next call. */
static int open_image(void *context, uint32_t image, struct err *err)
{
	struct instructions *instructions = context;

	if (instructions->profile->images.items[image].kind == IMAGE_KERNEL)
		return instructions->vmlinux_fd;
	return hold(instructions, recorded_files_open(instructions->profile, &instructions->symfs,
						      image, instructions->readers, err));
}

/* Fails if it is not the one of the profile's kernel. */
static int open_vmlinux(struct instructions *instructions, const char *path, struct err *err)
{
	if (!instructions->kernel)
		return err_set(err, -EINVAL, "%s: the profile has no kernel code", path);
	return kernel_core_open_vmlinux(path, instructions->profile, instructions->kernel,
					&instructions->vmlinux_fd, &instructions->vmlinux_shift,
					err);
}

/* Opens the running kernel's memory, once. @err has the reason the first time,
 * instructions->kernel_reason every time, in a few words. */
static int open_kernel(struct instructions *instructions, struct err *err)
{
	int rc;

	if (instructions->kernel_tried)
		return instructions->kernel_code ? 0 : -EACCES;
	instructions->kernel_tried = true;
	rc = kernel_code_open(instructions->profile, &instructions->kernel_code, err);
	instructions->kernel_reason = rc == -ESTALE ? "a different kernel is running now"
						    : "cannot read the kernel's code";
	return rc;
}

/* True if the running kernel's code, @shift above the frame's address, differs from what the
 * recording kept for the frame. Sets the note in that case. */
static bool is_changed(struct instructions *instructions, uint32_t frame, uint64_t shift)
{
	if (!kernel_code_changed(instructions->kernel_code,
				 profile_code(instructions->profile, frame), shift))
		return false;
	if (!instructions->note.text[0])
		err_set(&instructions->note, 0,
			"the kernel's code has changed since the recording (patched, traced): it "
			"is shown as it ran");
	return true;
}

static void close_files(struct instructions *instructions)
{
	kernel_code_free(instructions->kernel_code);
	if (instructions->fd >= 0)
		close(instructions->fd);
	if (instructions->vmlinux_fd >= 0)
		close(instructions->vmlinux_fd);
}

/* ---- code that the recording kept ---- */

struct naming_context {
	const struct profile *profile;
	const struct symbol *own; /* the function being listed */
};

static bool covers(const struct symbol *symbol, uint64_t address)
{
	return symbol->kind == SYMBOL_NAMED && address - symbol->start < symbol->size;
}

/* A linear search: few functions are listed, and a profile has few. */
static bool name_address(void *context, uint64_t address, struct buf *name, uint64_t *ret_start)
{
	const struct naming_context *naming = context;

	const struct symbol *found = covers(naming->own, address) ? naming->own : NULL;

	for (size_t i = 1; !found && i < naming->profile->symbols.count; i++) {
		const struct symbol *symbol = &naming->profile->symbols.items[i];

		if (symbol->image == naming->own->image && covers(symbol, address))
			found = symbol;
	}
	if (!found)
		return false;
	buf_add_str(name, profile_text(naming->profile, found->name));
	*ret_start = found->start;
	return true;
}

/* Visits the instructions of a frame's function, from its start to @end. Addresses are those of
 * frames. Operands have the names of the profile's functions. -ESRCH: no bytes were kept. */
static int visit_kept(const struct instructions *instructions, uint32_t frame, uint64_t end,
		      code_visit visit, void *context, struct err *err)
{
	const struct profile *profile = instructions->profile;
	const struct kept_code *code = profile_code(profile, frame);
	struct naming_context naming = { .profile = profile };
	struct disassembler_bytes bytes = { .name = name_address, .context = &naming };

	if (!code || !code->size || code->address + code->size < code->address)
		return err_set(err, -ESRCH, "its code was not kept");
	naming.own = &profile->symbols.items[profile->frames.items[frame].symbol];
	bytes.machine = (struct code_machine){ (uint16_t)code->machine, code->is_64 };
	bytes.bytes = code->bytes;
	bytes.size = code->size;
	bytes.start = code->address;
	bytes.end = end;
	return disassembler_bytes(instructions->disassembler, &bytes, visit, context, err);
}

/* ---- frames in order of functions ---- */

static const struct frame *frame_at(const struct instructions *instructions, size_t place)
{
	return &instructions->profile->frames.items[instructions->order[place]];
}

static int by_function(const void *left, const void *right, void *context)
{
	const struct profile *profile = context;
	const struct frame *a = &profile->frames.items[*(const uint32_t *)left];
	const struct frame *b = &profile->frames.items[*(const uint32_t *)right];

	return COMPARE(a->image, b->image) ?: COMPARE(a->symbol, b->symbol) ?:
	       COMPARE(a->address, b->address);
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
							   .open_image = open_image,
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
		rc = open_vmlinux(instructions, options->vmlinux, err);
	if (rc == 0)
		*ret_instructions = steal_ptr(instructions);
	return rc;
}

void instructions_free(struct instructions *instructions)
{
	if (!instructions)
		return;
	disassembler_free(instructions->disassembler);
	close_files(instructions);
	buf_done(&instructions->texts);
	free(instructions->order);
	free(instructions->answers);
	free(instructions);
}

/* --- answers for the frames of a group --- */

/* Begins the answer for the next frame of the group. The caller appends the text and its NUL. */
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

/* Replaces the library's tabs by spaces. */
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
		answer_reason(group, "no instruction here");
	while (group->at < group->end && wanted_address(group) - line->address < line->length)
		answer_line(group, line, wanted_address(group) - line->address);
	return group->at < group->end;
}

/* The library is missing. An image's own -ENOENT never gets here. */
static int no_library(struct group *group, struct err *err)
{
	if (!group->brief)
		return -ENOENT;
	group->instructions->note = *err;
	return err_set(err, -ENOENT, "no disassembler");
}

/* A function's start is a better place to decode from than the label before it. In stripped files
 * .eh_frame gives the start of many functions, while the label may be megabytes away. */
static int start_of(const struct group *group, uint64_t *ret_start, struct err *err)
{
	uint64_t function = group->symbol->start + group->shift;
	int rc = disassembler_start(group->instructions->disassembler, group->image,
				    wanted_address(group), ret_start, err);

	if (rc == 0 && group->symbol->kind != SYMBOL_NONE && function > *ret_start &&
	    function <= wanted_address(group))
		*ret_start = function;
	return rc;
}

/* Lists an image of the disassembler. */
static int list_image(struct group *group, const struct instructions_range *range, code_visit visit,
		      void *context, struct err *err)
{
	uint64_t start = range->start + group->shift;
	int rc = range->start ? 0 : start_of(group, &start, err);

	if (rc < 0)
		return rc;
	rc = disassembler_function(group->instructions->disassembler, group->image, start,
				   range->end + group->shift, visit, context, err);
	return rc == -ENOENT ? no_library(group, err) : rc;
}

/* Lists the bytes that the recording kept. */
static int list_kept(struct group *group, const struct instructions_range *range, code_visit visit,
		     void *context, struct err *err)
{
	group->shift = 0;
	return visit_kept(group->instructions, range->frame, range->end, visit, context, err);
}

static int list_live(struct group *group, const struct instructions_range *range, code_visit visit,
		     void *context, struct err *err)
{
	struct instructions *instructions = group->instructions;
	const struct symbol *symbol = group->symbol;
	uint64_t start = range->start ? range->start : symbol->start;
	int rc;

	if (!range->start && symbol->kind == SYMBOL_NONE)
		return err_set(err, -ESRCH, "the start of its function is not known");
	rc = kernel_code_shift(instructions->kernel_code, symbol, &group->shift, err);
	if (rc < 0)
		return rc;
	if (is_changed(instructions, range->frame, group->shift))
		return list_kept(group, range, visit, context, err);
	rc = kernel_code_list(instructions->kernel_code, instructions->disassembler,
			      start + group->shift, range->end + group->shift,
			      symbol->size ? symbol->start + symbol->size + group->shift : 0, visit,
			      context, err);
	return rc == -ENOENT ? no_library(group, err) : rc;
}

/* Lists the kernel's memory, otherwise vmlinux for the kernel proper. */
static int list_kernel(struct group *group, const struct instructions_range *range,
		       code_visit visit, void *context, struct err *err)
{
	struct instructions *instructions = group->instructions;
	struct err why = { "" };

	if (open_kernel(instructions, &why) == 0)
		return list_live(group, range, visit, context, err);
	if (group->kind == IMAGE_KERNEL && instructions->vmlinux_fd >= 0) {
		group->shift = instructions->vmlinux_shift;
		return list_image(group, range, visit, context, err);
	}
	if (!why.text[0] || group->brief)
		err_set(err, -EACCES, "%s", instructions->kernel_reason);
	else
		err_set(err, -EACCES, "%s", why.text);
	if (why.text[0] && group->brief)
		err_set(&instructions->note, 0, "kernel instructions are not shown: %s", why.text);
	return -EACCES;
}

/* Visits the instructions of a range; their addresses are group->shift above those of frames. */
static int list(struct group *group, const struct instructions_range *range, code_visit visit,
		void *context, struct err *err)
{
	/* where an image's code comes from; NULL: it has none */
	static int (*const ways[IMAGE_KIND_COUNT])(struct group *,
						   const struct instructions_range *, code_visit,
						   void *, struct err *) = {
		[IMAGE_FILE] = list_image,    [IMAGE_VDSO] = list_image,
		[IMAGE_KERNEL] = list_kernel, [IMAGE_MODULE] = list_kernel,
		[IMAGE_BPF] = list_kernel,
	};

	if (ways[group->kind])
		return ways[group->kind](group, range, visit, context, err);
	return err_set(err, -ENOENT, "%s",
		       group->kind == IMAGE_ANON ? "memory without a file" : "unknown file");
}

/* True if an error concerns one frame only: its address is not in code, or too far from its
 * function's start. */
static bool is_of_one_frame(int rc)
{
	return rc == 0 || rc == -ENODATA || rc == -EFBIG;
}

static void tell(struct group *group)
{
	while (group->at < group->end) {
		size_t before = group->at;
		const struct instructions_range range = {
			.frame = group->instructions->order[before],
			.end = frame_at(group->instructions, group->end - 1)->address + 1,
		};
		struct err err = { "no instruction here" }, kept;
		int rc = list(group, &range, take_line, group, &err);

		if (!is_of_one_frame(rc) && list_kept(group, &range, take_line, group, &kept) < 0)
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

/* All frames in the same function as the frame. */
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
	group.brief = true;
	if (row->address_known || image->kind != IMAGE_FILE)
		tell(&group);
	else
		answer_all(&group, image_state_text(image->state));
}

static int by_place(const void *left, const void *right, void *context)
{
	const struct answer *answers = context;
	uint32_t a = answers[*(const uint32_t *)left].place;
	uint32_t b = answers[*(const uint32_t *)right].place;

	return COMPARE(a, b);
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

/* ---- all instructions of a function, not only the sampled ones ---- */

/* Passes lines on, with addresses of frames. */
struct moved_visit {
	code_visit visit;
	void *context;
	const struct group *group;
};

static bool visit_moved(void *context, const struct code_line *line)
{
	const struct moved_visit *moved = context;
	struct code_line back = *line;

	back.address -= moved->group->shift;
	return moved->visit(moved->context, &back);
}

int instructions_each(struct instructions *instructions, const struct instructions_range *range,
		      code_visit visit, void *context, uint64_t *ret_shift, struct err *err)
{
	struct group group = group_of(instructions, range->frame);
	struct moved_visit moved = { .visit = visit, .context = context, .group = &group };
	struct err kept;
	int rc = list(&group, range, visit_moved, &moved, err);

	if (rc < 0 && list_kept(&group, range, visit_moved, &moved, &kept) == 0)
		rc = 0;
	*ret_shift = group.shift;
	return rc;
}
