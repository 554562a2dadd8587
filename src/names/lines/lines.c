/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/lines/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "dwarf/dwarf_file.h"
#include "names/lines/code_places.h"
#include "names/lines/line_file.h"
#include "place/files/file_identity.h"
#include "place/files/recorded_files.h"
#include "place/jit/told_lines.h"

enum {
	/* Limit for all files together; beyond it the least recently used ones are put to rest. */
	MOST_BYTES = 96 << 20,
};

/* The lines of one image. */
struct image_lines {
	struct lines *lines;
	uint32_t image;
	struct line_file *file; /* NULL: images of this kind have no lines */
	uint64_t used;
	/* kernel and modules: the profile's addresses in the file */
	struct code_places places;
	bool places_read;
};

/* Lines of a kernel's or module's file, converted to the profile's addresses. */
struct moved {
	const struct code_places *places;
	void (*give)(void *context, uint64_t start, uint64_t end, const char *file, uint32_t line);
	void *context;
};

struct lines {
	const struct profile *profile;
	struct lines_options options;
	struct image_lines **images; /* by image; NULL: not needed yet */
	size_t image_count;
	uint64_t uses;
	struct told_lines told;	 /* of JIT code */
	struct line_place place; /* of JIT code: the last answer */
};

struct lines *lines_new(const struct profile *profile, const struct lines_options *options)
{
	struct lines *lines = xcalloc(1, sizeof(*lines));

	lines->profile = profile;
	lines->options = *options;
	return lines;
}

void lines_free(struct lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < lines->image_count; i++) {
		if (!lines->images[i])
			continue;
		line_file_free(lines->images[i]->file);
		code_places_done(&lines->images[i]->places);
		free(lines->images[i]);
	}
	free(lines->images);
	told_lines_done(&lines->told);
	free(lines);
}

static int open_file(void *context, struct err *err)
{
	const struct image_lines *known = context;
	const struct lines *lines = known->lines;

	const struct door_root root = debug_files_root(lines->options.debug_files);

	if (lines->options.open_image)
		return lines->options.open_image(lines->options.context, known->image, err);
	if (root.path)
		return recorded_files_open_under(lines->profile, &root, known->image,
						 lines->options.readers, err);
	if (lines->profile->images.items[known->image].kind == IMAGE_VDSO)
		return recorded_files_open_vdso(lines->profile, err);
	return recorded_files_open(lines->profile, known->image, lines->options.readers, err);
}

/* True if the image's addresses are not those of a file. */
static bool is_of_kernel(const struct image *image)
{
	return image->kind == IMAGE_KERNEL || image->kind == IMAGE_MODULE;
}

/* "[nf_tables]" without the brackets. */
static char *module_name(const char *path)
{
	size_t length = strlen(path);

	return length > 2 && path[0] == '[' && path[length - 1] == ']'
		       ? xasprintf("%.*s", (int)(length - 2), path + 1)
		       : xstrdup(path);
}

static void make_file(struct image_lines *known)
{
	const struct profile *profile = known->lines->profile;
	const struct image *image = &profile->images.items[known->image];
	_cleanup_free_ char *module = NULL;
	struct line_source source = { .path = profile_text(profile, image->path),
				      .open = open_file,
				      .context = known,
				      .readers = *image_readers_of(known->lines->options.readers,
								   known->image) };

	if (image->kind != IMAGE_FILE && image->kind != IMAGE_VDSO && !is_of_kernel(image))
		return;
	memcpy(source.build_id.bytes, image->build_id, image->build_id_size);
	source.build_id.size = image->build_id_size;
	if (is_of_kernel(image)) {
		source.open = NULL;
		source.kernel_release =
			profile->run.kernel_release ? profile->run.kernel_release : "";
	}
	if (image->kind == IMAGE_MODULE)
		source.module = module = module_name(source.path);
	known->file = line_file_new(&source, known->lines->options.debug_files,
				    known->lines->options.cache);
}

/* Puts the least recently used files to rest. */
static void make_room(struct lines *lines, const struct image_lines *keep)
{
	for (;;) {
		struct image_lines *oldest = NULL;
		size_t bytes = 0;

		for (size_t i = 0; i < lines->image_count; i++) {
			struct image_lines *known = lines->images[i];

			if (!known || !known->file)
				continue;
			bytes += line_file_bytes(known->file);
			if (known != keep && known->used && (!oldest || known->used < oldest->used))
				oldest = known;
		}
		if (bytes <= MOST_BYTES || !oldest)
			return;
		line_file_rest(oldest->file);
		oldest->used = 0;
	}
}

static struct image_lines *find_image(struct lines *lines, uint32_t image)
{
	struct image_lines *known;

	if (image >= lines->image_count) {
		size_t count = lines->profile->images.count;

		lines->images = xrealloc(lines->images, count * sizeof(struct image_lines *));
		memset(lines->images + lines->image_count, 0,
		       (count - lines->image_count) * sizeof(struct image_lines *));
		lines->image_count = count;
	}
	known = lines->images[image];
	if (!known) {
		known = xcalloc(1, sizeof(*known));
		known->lines = lines;
		known->image = image;
		lines->images[image] = known;
		make_file(known);
		make_room(lines, known);
	}
	known->used = ++lines->uses;
	return known;
}

/* Opens the file with the debug information, wherever it is, to read its symbols. */
static void read_places(struct image_lines *known)
{
	struct dwarf_file *debug = line_file_debug(known->file);

	known->places_read = true;
	if (debug)
		code_places_read(debug->elf, known->lines->profile, known->image, &known->places);
}

/* Converts an address of an image to its file's. False: it is not known. */
static bool find_address(struct image_lines *known, uint64_t *address)
{
	if (!known->file)
		return false;
	if (!is_of_kernel(&known->lines->profile->images.items[known->image]))
		return true;
	if (!known->places_read)
		read_places(known);
	return code_places_to_file(&known->places, *address, address);
}

static bool is_made(const struct lines *lines, uint32_t image)
{
	return lines->profile->images.items[image].kind == IMAGE_ANON;
}

static const struct line_place *told_place(struct lines *lines, uint32_t image, uint64_t place,
					   size_t *ret_count)
{
	const struct told_line *line = told_lines_find(&lines->told, lines->profile, image, place);

	if (!line)
		return NULL;
	*ret_count = 1;
	lines->place = (struct line_place){ .function = "",
					    .file = profile_text(lines->profile, line->file),
					    .line = line->line };
	return &lines->place;
}

static bool each_told(struct lines *lines, uint32_t image, uint64_t start, uint64_t end,
		      void (*give)(void *context, uint64_t start, uint64_t end, const char *file,
				   uint32_t line),
		      void *context)
{
	size_t count;
	const uint32_t *rows =
		told_lines_within(&lines->told, lines->profile, image, start, end, &count);

	for (size_t i = 0; i < count; i++) {
		const struct told_line *line = &lines->profile->lines.items[rows[i]];

		give(context, line->start, line->start + line->size,
		     profile_text(lines->profile, line->file), line->line);
	}
	return count > 0;
}

const struct line_place *lines_of(struct lines *lines, uint32_t image, uint64_t address,
				  size_t *ret_count)
{
	struct image_lines *known;

	*ret_count = 0;
	if (is_made(lines, image))
		return told_place(lines, image, address, ret_count);
	known = find_image(lines, image);
	if (!find_address(known, &address))
		return NULL;
	return line_file_find(known->file, address, ret_count);
}

uint64_t lines_place(const struct lines *lines, const struct frame *frame)
{
	return is_made(lines, frame->image) ? frame->offset : frame->address;
}

static uint64_t looked_up(const struct lines *lines, const struct frame *frame)
{
	uint64_t place = lines_place(lines, frame);

	return frame->kind == FRAME_RETURN && place > 0 ? place - 1 : place;
}

const struct line_place *lines_of_frame(struct lines *lines, uint32_t frame, size_t *ret_count)
{
	const struct frame *row = &lines->profile->frames.items[frame];
	bool is_file = lines->profile->images.items[row->image].kind == IMAGE_FILE;

	*ret_count = 0;
	if (is_file && !row->address_known)
		return NULL;
	return lines_of(lines, row->image, looked_up(lines, row), ret_count);
}

static void give_moved(void *context, uint64_t start, uint64_t end, const char *file, uint32_t line)
{
	const struct moved *moved = context;
	uint64_t address;

	if (code_places_from_file(moved->places, start, &address))
		moved->give(moved->context, address, address + (end - start), file, line);
}

bool lines_each(struct lines *lines, uint32_t image, uint64_t start, uint64_t end,
		void (*give)(void *context, uint64_t start, uint64_t end, const char *file,
			     uint32_t line),
		void *context)
{
	struct moved moved = { .give = give, .context = context };
	struct image_lines *known;

	if (is_made(lines, image))
		return each_told(lines, image, start, end, give, context);
	known = find_image(lines, image);
	if (!find_address(known, &start))
		return false;
	if (!known->places_read)
		return line_file_each_line(known->file, start, give, context);
	moved.places = &known->places;
	return line_file_each_line(known->file, start, give_moved, &moved);
}

const struct readers *lines_readers(struct lines *lines, uint32_t image)
{
	struct image_lines *known = is_made(lines, image) ? NULL : find_image(lines, image);

	if (known && known->file)
		return line_file_readers(known->file);
	return image_readers_of(lines->options.readers, image);
}

const char *lines_problem(const struct lines *lines, uint32_t image)
{
	if (image >= lines->image_count || !lines->images[image] || !lines->images[image]->file)
		return NULL;
	return line_file_problem(lines->images[image]->file);
}
