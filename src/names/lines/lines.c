/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's and modules' addresses of a profile (from _text, from .text) are converted to ELF
 * virtual addresses of a file with their debug information. The kernel may arrange the sections of
 * a module in any way; the functions that the profile names show where they were.
 */
#include "names/lines/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/search.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "dwarf/dwarf_file.h"
#include "elf/symbol_index.h"
#include "names/lines/line_file.h"
#include "place/files/recorded_files.h"

enum {
	/* Limit for all files together; beyond it the least recently used ones are put to rest. */
	MOST_BYTES = 96 << 20,
	/* Up to this many new lines of JIT code are inserted one by one, more are sorted with the
	 * others. */
	FEW = 64,
};

/* The profile's addresses [start, end) are at @address in the file. */
struct code_place {
	uint64_t start, end, address;
};

struct code_places {
	VEC(struct code_place) list;
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
	/* of JIT code */
	VEC(uint32_t) jit_rows;	 /* of profile.lines, sorted by image and place */
	size_t jit_known;	 /* number of the profile's rows already in it */
	struct line_place place; /* the last answer */
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
		vec_free(&lines->images[i]->places.list);
		free(lines->images[i]);
	}
	free(lines->images);
	vec_free(&lines->jit_rows);
	free(lines);
}

/* --- the kernel and modules --- */

/* The vote of one function: where its section begins in the profile. */
struct vote {
	const struct elf_section *section;
	uint64_t start;
};

typedef VEC(struct vote) vote_list;

/* A function of the profile. */
struct named {
	const char *name;
	uint64_t start;
};

typedef VEC(struct named) named_list;

DEFINE_ORDER(by_name, struct named, strcmp(a->name, b->name))

static void gather_names(const struct profile *profile, uint32_t image, named_list *names)
{
	for (size_t i = 1; i < profile->symbols.count; i++) {
		const struct symbol *symbol = &profile->symbols.items[i];

		if (symbol->image == image && symbol->kind == SYMBOL_NAMED)
			*vec_push(names) = (struct named){ profile_text(profile, symbol->name),
							   symbol->start };
	}
	if (names->count)
		qsort(names->items, names->count, sizeof(*names->items), by_name);
}

/* If several functions have the name, each one votes: only the right votes agree with others. */
static void vote(const struct elf_file *elf, const struct symbol_index *index,
		 const struct symbol_entry *function, const named_list *names, vote_list *votes)
{
	const char *name = symbol_index_name(index, function->name);
	const struct elf_section *section = elf_file_code_section(elf, function->start);
	size_t at = search_before(names->items, names->count, item, strcmp(item->name, name) < 0);

	for (; at < names->count && strcmp(names->items[at].name, name) == 0; at++)
		*vec_push(votes) =
			(struct vote){ section, names->items[at].start -
							(function->start - section->address) };
}

DEFINE_ORDER(by_section, struct vote,
	     COMPARE(a->section->address, b->section->address) ?: COMPARE(a->start, b->start))

/* Adds the place with most votes in a section, unless tied. Returns the index after the section's
 * votes. */
static size_t elect(const vote_list *votes, size_t begin, struct code_places *places)
{
	const struct elf_section *section = votes->items[begin].section;
	size_t best = begin, most = 0, at = begin;
	bool tie = false;

	while (at < votes->count && votes->items[at].section == section) {
		size_t first = at;

		while (at < votes->count &&
		       by_section(&votes->items[first], &votes->items[at]) == 0)
			at++;
		tie = at - first == most || (tie && at - first < most);
		if (at - first > most) {
			most = at - first;
			best = first;
		}
	}
	if (!tie)
		*vec_push(&places->list) =
			(struct code_place){ votes->items[best].start,
					     votes->items[best].start + section->size,
					     section->address };
	return at;
}

static void read_module(const struct elf_file *elf, const struct symbol_index *index,
			const struct profile *profile, uint32_t image, struct code_places *places)
{
	named_list names = { 0 };
	vote_list votes = { 0 };

	gather_names(profile, image, &names);
	for (size_t i = 0; i < index->list.count; i++)
		vote(elf, index, &index->list.items[i], &names, &votes);
	if (votes.count)
		qsort(votes.items, votes.count, sizeof(*votes.items), by_section);
	for (size_t at = 0; at < votes.count;)
		at = elect(&votes, at, places);
	vec_free(&votes);
	vec_free(&names);
}

/* The kernel's image is contiguous. */
static void read_kernel(const struct symbol_index *index, struct code_places *places)
{
	for (size_t i = 0; i < index->list.count; i++) {
		const struct symbol_entry *function = &index->list.items[i];

		if (strcmp(symbol_index_name(index, function->name), "_text") != 0)
			continue;
		*vec_push(&places->list) =
			(struct code_place){ 0, -function->start, function->start };
		return;
	}
}

/* Reads the places of the kernel's or a module's image in a file whose sections have been read. An
 * empty list: they could not be determined. */
static void read_code_places(const struct elf_file *elf, const struct profile *profile,
			     uint32_t image, struct code_places *ret_places)
{
	struct symbol_index symbols = { 0 };

	*ret_places = (struct code_places){ 0 };
	symbol_index_read(&symbols, elf);
	if (profile->images.items[image].kind == IMAGE_MODULE)
		read_module(elf, &symbols, profile, image, ret_places);
	else
		read_kernel(&symbols, ret_places);
	symbol_index_done(&symbols);
}

/* Converts an address of the profile to the file's, or back. False: it has no counterpart. */
static bool convert(const struct code_places *places, bool to_file, uint64_t *address)
{
	for (size_t i = 0; i < places->list.count; i++) {
		const struct code_place *place = &places->list.items[i];
		uint64_t from = to_file ? place->start : place->address;
		uint64_t to = to_file ? place->address : place->start;

		if (*address - from >= place->end - place->start)
			continue;
		*address = *address - from + to;
		return true;
	}
	return false;
}

/* --- files --- */

static int open_file(void *context, struct err *err)
{
	const struct image_lines *known = context;
	const struct lines *lines = known->lines;
	const struct door_root root = debug_files_root(lines->options.debug_files);

	if (lines->options.open_image)
		return lines->options.open_image(lines->options.context, known->image, err);
	return recorded_files_open(lines->profile, &root, known->image, lines->options.readers,
				   err);
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
		read_code_places(debug->elf, known->lines->profile, known->image, &known->places);
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
	return convert(&known->places, true, address);
}

/* --- JIT code --- */

static bool is_jit(const struct lines *lines, uint32_t image)
{
	return lines->profile->images.items[image].kind == IMAGE_ANON;
}

static int compare(const struct source_line *line, uint32_t image, uint64_t start)
{
	return COMPARE(line->image, image) ?: COMPARE(line->start, start);
}

static int by_place(const void *left, const void *right, void *context)
{
	const struct source_line *rows = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return compare(&rows[a], rows[b].image, rows[b].start) ?: COMPARE(a, b);
}

/* Number of lines that begin before that place of the image. */
static size_t count_before(const struct lines *lines, uint32_t image, uint64_t place)
{
	const struct source_line *rows = lines->profile->lines.items;

	return search_before(lines->jit_rows.items, lines->jit_rows.count, row,
			     compare(&rows[*row], image, place) < 0);
}

static void insert(struct lines *lines, uint32_t row)
{
	const struct source_line *line = &lines->profile->lines.items[row];
	size_t at = count_before(lines, line->image, line->start);

	vec_push(&lines->jit_rows);
	memmove(&lines->jit_rows.items[at + 1], &lines->jit_rows.items[at],
		(lines->jit_rows.count - 1 - at) * sizeof(*lines->jit_rows.items));
	lines->jit_rows.items[at] = row;
}

/* Adds the profile's new lines: often just one between two lookups. */
static void refresh(struct lines *lines)
{
	bool few = lines->profile->lines.count - lines->jit_known <= FEW;

	if (lines->jit_known == lines->profile->lines.count)
		return;
	if (lines->jit_known == 0)
		lines->jit_known = 1; /* row 0 is none */
	for (; lines->jit_known < lines->profile->lines.count; lines->jit_known++) {
		if (few)
			insert(lines, (uint32_t)lines->jit_known);
		else
			*vec_push(&lines->jit_rows) = (uint32_t)lines->jit_known;
	}
	if (!few)
		qsort_r(lines->jit_rows.items, lines->jit_rows.count,
			sizeof(*lines->jit_rows.items), by_place, lines->profile->lines.items);
}

static bool is_in(const struct source_line *line, uint32_t image, uint64_t place)
{
	return line->image == image && place - line->start < line->size;
}

/* The lines that overlap [start, end) of an image, ascending: rows of profile.lines, borrowed until
 * the next call. */
static const uint32_t *jit_lines_within(struct lines *lines, uint32_t image, uint64_t start,
					uint64_t end, size_t *ret_count)
{
	size_t first, after;

	refresh(lines);
	first = count_before(lines, image, start);
	after = count_before(lines, image, end);
	/* the previous one may reach into it */
	if (first && end > start &&
	    is_in(&lines->profile->lines.items[lines->jit_rows.items[first - 1]], image, start))
		first--;
	*ret_count = after > first ? after - first : 0;
	return *ret_count ? &lines->jit_rows.items[first] : NULL;
}

static const struct source_line *find_jit_line(struct lines *lines, uint32_t image, uint64_t place)
{
	size_t count;
	const uint32_t *rows = jit_lines_within(lines, image, place, place + 1, &count);
	const struct source_line *last =
		count ? &lines->profile->lines.items[rows[count - 1]] : NULL;

	return last && is_in(last, image, place) ? last : NULL;
}

static const struct line_place *jit_place(struct lines *lines, uint32_t image, uint64_t place,
					  size_t *ret_count)
{
	const struct source_line *line = find_jit_line(lines, image, place);

	if (!line)
		return NULL;
	*ret_count = 1;
	lines->place = (struct line_place){ .function = "",
					    .file = profile_text(lines->profile, line->file),
					    .line = line->line };
	return &lines->place;
}

static bool each_jit_line(struct lines *lines, uint32_t image, uint64_t start, uint64_t end,
			  void (*give)(void *context, uint64_t start, uint64_t end,
				       const char *file, uint32_t line),
			  void *context)
{
	size_t count;
	const uint32_t *rows = jit_lines_within(lines, image, start, end, &count);

	for (size_t i = 0; i < count; i++) {
		const struct source_line *line = &lines->profile->lines.items[rows[i]];

		give(context, line->start, line->start + line->size,
		     profile_text(lines->profile, line->file), line->line);
	}
	return count > 0;
}

/* --- questions --- */

const struct line_place *lines_of(struct lines *lines, uint32_t image, uint64_t address,
				  size_t *ret_count)
{
	struct image_lines *known;

	*ret_count = 0;
	if (is_jit(lines, image))
		return jit_place(lines, image, address, ret_count);
	known = find_image(lines, image);
	if (!find_address(known, &address))
		return NULL;
	return line_file_find(known->file, address, ret_count);
}

uint64_t lines_place(const struct lines *lines, const struct frame *frame)
{
	return is_jit(lines, frame->image) ? frame->offset : frame->address;
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
	uint64_t address = start;

	if (convert(moved->places, false, &address))
		moved->give(moved->context, address, address + (end - start), file, line);
}

bool lines_each(struct lines *lines, uint32_t image, uint64_t start, uint64_t end,
		void (*give)(void *context, uint64_t start, uint64_t end, const char *file,
			     uint32_t line),
		void *context)
{
	struct moved moved = { .give = give, .context = context };
	struct image_lines *known;

	if (is_jit(lines, image))
		return each_jit_line(lines, image, start, end, give, context);
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
	struct image_lines *known = is_jit(lines, image) ? NULL : find_image(lines, image);

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
