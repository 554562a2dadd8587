/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/targets/watch_image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/compare.h"
#include "base/xalloc.h"
#include "code/disassembler.h"
#include "dwarf/function_types.h"
#include "elf/eh_ranges.h"
#include "names/spelling/name_pattern.h"
#include "watch/targets/watch_files.h"

struct watch_image {
	char *path, *shown;
	int fd;
	struct door_file file;
	struct elf_file *elf;
	struct function_list *functions;
	struct disassembler *disassembler;
	struct watch_image_tools tools;
	struct line_file *lines; /* NULL: not needed yet */
	struct function_types *types;
	struct eh_ranges *ranges; /* NULL: the file has none */
	struct code_blocks last;  /* the most recently used code, [last_start, last_end) */
	uint64_t last_start, last_end;
};

static int open_fd(void *context, uint32_t number, struct err *err)
{
	const struct watch_image *image = context;

	(void)number;
	(void)err;
	return image->fd;
}

static int open_copy(void *context, struct err *err)
{
	const struct watch_image *image = context;
	int fd = fcntl(image->fd, F_DUPFD_CLOEXEC, 0);

	return fd < 0 ? err_set(err, -errno, "%s", strerror(errno)) : fd;
}

static int read_file(struct watch_image *image, struct err *err)
{
	int rc;

	image->fd = watch_files_open(image->tools.foreign, image->path, &image->file);
	if (image->fd < 0)
		return err_set(err, image->fd, "%s: %s", image->shown,
			       image->fd == -ETIMEDOUT ? "its file system does not answer"
						       : strerror(-image->fd));
	rc = elf_file_open(image->fd, &image->elf, err);
	if (rc == 0)
		rc = elf_file_read_sections(image->elf, err);
	return rc < 0 ? err_prefix(err, rc, "%s", image->shown) : 0;
}

int watch_image_open(const char *path, const char *shown, const struct watch_image_tools *tools,
		     struct watch_image **ret_image, struct err *err)
{
	_cleanup_(watch_image_freep) struct watch_image *image = xcalloc(1, sizeof(*image));
	const struct disassembler_options options = { .open_image = open_fd, .context = image };
	int rc;

	image->path = xstrdup(path);
	image->shown = xstrdup(shown);
	image->tools = *tools;
	rc = read_file(image, err);
	if (rc < 0)
		return rc;
	image->functions = function_list_new(image->elf, tools->debug_files, path);
	image->types = function_types_new();
	(void)eh_ranges_read(image->elf, &image->ranges, NULL);
	image->disassembler = disassembler_new(&options);
	*ret_image = steal_ptr(image);
	return 0;
}

void watch_image_free(struct watch_image *image)
{
	if (!image)
		return;
	code_blocks_done(&image->last);
	eh_ranges_free(image->ranges);
	function_types_free(image->types);
	line_file_free(image->lines);
	disassembler_free(image->disassembler);
	function_list_free(image->functions);
	elf_file_free(image->elf);
	cleanup_closep(&image->fd);
	free(image->path);
	free(image->shown);
	free(image);
}

const char *watch_image_path(const struct watch_image *image)
{
	return image->path;
}

const char *watch_image_shown(const struct watch_image *image)
{
	return image->shown;
}

const struct door_file *watch_image_file(const struct watch_image *image)
{
	return &image->file;
}

const struct elf_file *watch_image_elf(const struct watch_image *image)
{
	return image->elf;
}

const struct function_list *watch_image_functions(const struct watch_image *image)
{
	return image->functions;
}

struct line_file *watch_image_lines(struct watch_image *image)
{
	const struct line_source source = { .path = image->path,
					    .build_id = *elf_file_build_id(image->elf),
					    .open = open_copy,
					    .context = image };

	if (!image->lines)
		image->lines = line_file_new(&source, image->tools.debug_files, image->tools.cache);
	return image->lines;
}

struct probe_return watch_image_returns(struct watch_image *image, uint64_t address)
{
	struct dwarf_unit *unit = line_file_debug_unit(watch_image_lines(image), address);

	return unit ? function_types_returned(image->types, unit, address)
		    : (struct probe_return){ .kind = PROBE_RETURN_UNKNOWN };
}

bool watch_image_offset(const struct watch_image *image, uint64_t address, uint64_t *ret_offset)
{
	const struct elf_segments *segments = elf_file_segments(image->elf);

	for (size_t i = 0; i < segments->list.count; i++) {
		const struct elf_segment *segment = &segments->list.items[i];

		if (!segment->executable || address < segment->address ||
		    address - segment->address >= segment->size)
			continue;
		*ret_offset = segment->offset + (address - segment->address);
		return true;
	}
	return false;
}

int watch_image_code(struct watch_image *image, uint64_t start, uint64_t end,
		     struct code_blocks *blocks, struct err *err)
{
	int rc = disassembler_function(image->disassembler, 0, start, end, code_blocks_take, blocks,
				       err);

	if (rc < 0)
		return rc;
	code_blocks_find(blocks);
	return 0;
}

/* Finds code around an address that starts at an instruction. */
static bool find_code_around(const struct watch_image *image, uint64_t address, uint64_t *ret_start,
			     uint64_t *ret_end)
{
	const struct listed_function *function = function_list_around(image->functions, address);
	const struct elf_section *section = elf_file_code_section(image->elf, address);

	if (function && function->size) {
		*ret_start = function->start;
		*ret_end = function->start + function->size;
		return true;
	}
	if (!section || !image->ranges)
		return false;
	*ret_start = section->address;
	*ret_end = section->address + section->size;
	return eh_ranges_narrow(image->ranges, address, ret_start, ret_end);
}

/* Callers ask for nearby addresses one after the other, so the last code is kept. */
static const struct code_blocks *code_around(struct watch_image *image, uint64_t address)
{
	struct code_blocks *last = &image->last;
	uint64_t start, end;

	if (!find_code_around(image, address, &start, &end))
		return NULL;
	if (start == image->last_start && end == image->last_end)
		return last;
	code_blocks_done(last);
	*last = (struct code_blocks){ .data = false };
	image->last_start = image->last_end = 0;
	if (watch_image_code(image, start, end, last, NULL) < 0)
		return NULL;
	image->last_start = start;
	image->last_end = end;
	return last;
}

bool watch_image_may_return_to(struct watch_image *image, uint64_t address)
{
	const struct code_blocks *blocks = code_around(image, address - 1);
	const struct code_step *before = blocks ? code_blocks_before(blocks, address - 1) : NULL;
	const struct code_step *step;

	if (!before || before->flow.kind == CODE_FLOW_DATA ||
	    before->address + before->length != address)
		return false;
	/* The call is the last instruction of its code: the callee never returns, or the code runs
	 * on into the next function. */
	if (address >= image->last_end)
		return function_list_find(image->functions, address) <
			       function_list_count(image->functions) &&
		       function_list_at(image->functions,
					function_list_find(image->functions, address))
			       ->size;
	step = code_blocks_step(blocks, address);
	return step && step->flow.kind != CODE_FLOW_DATA;
}

static bool is_go(const struct watch_image *image)
{
	return elf_file_find(image->elf, ".gopclntab") ||
	       elf_file_find(image->elf, ".data.rel.ro.gopclntab");
}

uint64_t watch_image_entry(struct watch_image *image, const struct listed_function *function)
{
	struct code_blocks blocks = { .data = false };
	uint64_t start = function->start, entry = start;

	if (is_go(image) && function->size &&
	    watch_image_code(image, start, start + function->size, &blocks, NULL) == 0)
		(void)code_blocks_go_entry(&blocks, start, &entry);
	code_blocks_done(&blocks);
	return entry;
}

/* Finds jumps into the unlikely part of the same function, NAME.cold, which may jump back. */
struct parts {
	const struct function_list *list;
	const char *name;
};

static bool is_part(void *context, uint64_t target)
{
	const struct parts *parts = context;
	const struct listed_function *function = function_list_around(parts->list, target);
	const char *name = function ? function_list_name(parts->list, function->name) : "";

	return name_pattern_is_part(name) && strncmp(name, parts->name, strlen(parts->name)) == 0 &&
	       name[strlen(parts->name)] == '.';
}

/* Exits of a part elsewhere are those that leave both the part and the function. */
struct whole {
	struct parts parts;
	uint64_t start, end;
};

static bool is_of_whole(void *context, uint64_t target)
{
	struct whole *whole = context;

	return (target >= whole->start && target < whole->end) || is_part(&whole->parts, target);
}

static enum code_exits part_exits(struct watch_image *image, struct whole *whole,
				  const struct listed_function *part, struct code_ends *ends)
{
	struct code_blocks blocks = { .data = false };
	size_t before = ends->returns.size + ends->jumps.size;
	enum code_exits exits = CODE_EXITS_UNKNOWN;

	if (watch_image_code(image, part->start, part->start + part->size, &blocks, NULL) == 0)
		exits = code_blocks_exits(&blocks, part->start, part->start + part->size,
					  is_of_whole, whole, ends);
	/* A part may have no exits: it aborts, or jumps back. */
	if (exits == CODE_EXITS_UNKNOWN && ends->returns.size + ends->jumps.size == before &&
	    !blocks.data)
		exits = CODE_EXITS_PLAIN;
	code_blocks_done(&blocks);
	return exits;
}

static enum code_exits all_exits(struct watch_image *image, const struct listed_function *function,
				 const struct code_blocks *blocks, struct code_ends *ends)
{
	const char *name = function_list_name(image->functions, function->name);
	struct whole whole = { .parts = { image->functions, name },
			       .start = function->start,
			       .end = function->start + function->size };
	enum code_exits exits =
		code_blocks_exits(blocks, whole.start, whole.end, is_part, &whole.parts, ends);

	for (size_t i = 0; i < blocks->steps.count && exits != CODE_EXITS_UNKNOWN; i++) {
		const struct code_flow *flow = &blocks->steps.items[i].flow;
		const struct listed_function *part;
		enum code_exits more;

		if ((flow->kind != CODE_FLOW_BRANCH && flow->kind != CODE_FLOW_JUMP) ||
		    (flow->target >= whole.start && flow->target < whole.end) ||
		    !is_part(&whole.parts, flow->target))
			continue;
		part = function_list_around(image->functions, flow->target);
		more = part_exits(image, &whole, part, ends);
		exits = more > exits ? more : exits;
	}
	return exits;
}

DEFINE_ORDER(by_value, uint64_t, COMPARE(*a, *b))

/* Appends each address once, as an offset: several jumps may lead to the same part. */
static void add_offsets(const struct watch_image *image, struct buf *addresses, struct buf *offsets)
{
	uint64_t *items = (uint64_t *)(void *)addresses->bytes;
	size_t count = addresses->size / sizeof(*items);
	uint64_t offset;

	if (count)
		qsort(items, count, sizeof(*items), by_value);
	for (size_t i = 0; i < count; i++) {
		if ((i == 0 || items[i] != items[i - 1]) &&
		    watch_image_offset(image, items[i], &offset))
			buf_add(offsets, &offset, sizeof(offset));
	}
}

/* True if the code has no way out: it aborts, throws, or loops for ever. */
static bool never_returns(const struct code_blocks *blocks, const struct code_ends *ends)
{
	return blocks->steps.count && !blocks->data && !ends->returns.size && !ends->jumps.size;
}

bool watch_image_exits(struct watch_image *image, const struct listed_function *function,
		       struct code_ends *ret_offsets, bool *ret_loops)
{
	struct code_blocks blocks = { .data = false };
	struct code_ends ends = { .returns = { 0 } };
	enum code_exits exits = CODE_EXITS_UNKNOWN;
	bool all;

	*ret_loops = false;
	if (function->size &&
	    watch_image_code(image, function->start, function->start + function->size, &blocks,
			     NULL) == 0) {
		*ret_loops = code_blocks_loops_to_start(&blocks, function->start);
		exits = all_exits(image, function, &blocks, &ends);
	}
	all = exits != CODE_EXITS_UNKNOWN || never_returns(&blocks, &ends);
	add_offsets(image, &ends.returns, &ret_offsets->returns);
	add_offsets(image, &ends.jumps, &ret_offsets->jumps);
	code_blocks_done(&blocks);
	code_ends_done(&ends);
	return all;
}
