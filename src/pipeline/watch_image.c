/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pipeline/watch_image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "dwarf/function_types.h"
#include "resolve/disassembler.h"
#include "resolve/name_pattern.h"

struct watch_image {
	char *path, *shown;
	int fd;
	struct elf_file *elf;
	struct function_list *functions;
	struct disassembler *disassembler;
	struct watch_image_tools tools;
	struct line_file *lines; /* NULL: not asked for yet */
	struct function_types *types;
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

	image->fd = open(image->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (image->fd < 0)
		return err_set(err, -errno, "%s: %s", image->shown, strerror(errno));
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
	image->disassembler = disassembler_new(&options);
	*ret_image = steal_ptr(image);
	return 0;
}

void watch_image_free(struct watch_image *image)
{
	if (!image)
		return;
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

bool watch_image_is_delicate(const struct watch_image *image)
{
	return elf_file_find(image->elf, ".gcc_except_table") ||
	       elf_file_find(image->elf, ".go.buildinfo") ||
	       elf_file_find(image->elf, ".gopclntab");
}

/* Does a jump lead into the unlikely part of the same function, NAME.cold? It may come back. */
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

/* The exits of the part that is elsewhere: those of it that leave both. */
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
				  const struct listed_function *part, struct buf *addresses)
{
	struct code_blocks blocks = { .data = false };
	size_t before = addresses->size;
	enum code_exits exits = CODE_EXITS_UNKNOWN;

	if (watch_image_code(image, part->start, part->start + part->size, &blocks, NULL) == 0)
		exits = code_blocks_exits(&blocks, part->start, part->start + part->size,
					  is_of_whole, whole, addresses);
	/* It may well have none: it aborts, or goes back. */
	if (exits == CODE_EXITS_UNKNOWN && addresses->size == before && !blocks.data)
		exits = CODE_EXITS_PLAIN;
	code_blocks_done(&blocks);
	return exits;
}

static enum code_exits all_exits(struct watch_image *image, const struct listed_function *function,
				 const struct code_blocks *blocks, struct buf *addresses)
{
	const char *name = function_list_name(image->functions, function->name);
	struct whole whole = { .parts = { image->functions, name },
			       .start = function->start,
			       .end = function->start + function->size };
	enum code_exits exits =
		code_blocks_exits(blocks, whole.start, whole.end, is_part, &whole.parts, addresses);

	for (size_t i = 0; i < blocks->steps.count && exits != CODE_EXITS_UNKNOWN; i++) {
		const struct code_flow *flow = &blocks->steps.items[i].flow;
		const struct listed_function *part;
		enum code_exits more;

		if ((flow->kind != CODE_FLOW_BRANCH && flow->kind != CODE_FLOW_JUMP) ||
		    (flow->target >= whole.start && flow->target < whole.end) ||
		    !is_part(&whole.parts, flow->target))
			continue;
		part = function_list_around(image->functions, flow->target);
		more = part_exits(image, &whole, part, addresses);
		exits = more > exits ? more : exits;
	}
	return exits;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* Each once, as offsets: several jumps may lead to one part. */
static void add_offsets(const struct watch_image *image, struct buf *addresses, struct buf *offsets)
{
	uint64_t *items = (uint64_t *)(void *)addresses->bytes;
	size_t count = addresses->size / sizeof(*items);
	uint64_t offset;

	qsort(items, count, sizeof(*items), by_value);
	for (size_t i = 0; i < count; i++) {
		if ((i == 0 || items[i] != items[i - 1]) &&
		    watch_image_offset(image, items[i], &offset))
			buf_add(offsets, &offset, sizeof(offset));
	}
}

/* Has it no way out at all: it aborts, throws, or runs for ever? */
static bool never_returns(const struct code_blocks *blocks, const struct buf *addresses)
{
	return blocks->steps.count && !blocks->data && addresses->size == 0;
}

static enum watch_exits judge(const struct watch_image *image, enum code_exits exits, bool never)
{
	bool delicate = watch_image_is_delicate(image);

	/* A return instruction takes two traps where an exchanged return address takes one call. */
	if (!delicate)
		return WATCH_EXITS_UNKNOWN;
	if (exits == CODE_EXITS_PLAIN || never)
		return WATCH_EXITS_KNOWN;
	/* Behind a jump to another function that one's time is missing, and its value. */
	return exits == CODE_EXITS_TAIL ? WATCH_EXITS_KNOWN : WATCH_EXITS_PARTLY;
}

enum watch_exits watch_image_exits(struct watch_image *image,
				   const struct listed_function *function, struct buf *offsets,
				   bool *ret_loops)
{
	struct code_blocks blocks = { .data = false };
	struct buf addresses = { 0 };
	enum code_exits exits = CODE_EXITS_UNKNOWN;
	enum watch_exits known;

	*ret_loops = false;
	if (function->size &&
	    watch_image_code(image, function->start, function->start + function->size, &blocks,
			     NULL) == 0) {
		*ret_loops = code_blocks_loops_to_start(&blocks, function->start);
		exits = all_exits(image, function, &blocks, &addresses);
	}
	known = judge(image, exits, never_returns(&blocks, &addresses));
	if (known != WATCH_EXITS_UNKNOWN && addresses.size)
		add_offsets(image, &addresses, offsets);
	code_blocks_done(&blocks);
	buf_done(&addresses);
	return known;
}
