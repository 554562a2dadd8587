/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/late_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/compare.h"
#include "base/xalloc.h"
#include "elf/elf_file.h"
#include "names/debug_files/symbol_files.h"
#include "names/symbol_source.h"
#include "names/symtab.h"
#include "place/files/recorded_files.h"

/* The symbols of one image, and what they were read from. */
struct found {
	int fd;			   /* of `file`; -1: not here */
	struct elf_file *file;	   /* the image's own */
	struct symbol_files files; /* its debug file and embedded table */
	int forced_fd;
	struct elf_file *forced; /* a file of the same name */
	struct symtab *symtab;	 /* NULL: none */
};

struct namer {
	struct profile *profile;
	const struct late_options *options;
	struct late_image *row; /* the current image */
	struct buf name;
};

/* True if a frame lacks the name of a function: it has none, a text in brackets, or the gap between
 * two functions. */
static bool lacks_name(const struct profile *profile, const struct frame *frame)
{
	enum symbol_kind kind = profile->symbols.items[frame->symbol].kind;

	return !frame->symbol || kind == SYMBOL_NONE || kind == SYMBOL_BRACKET;
}

/* ---- files ---- */

static bool has_build_id_of(const struct elf_file *file, const struct image *image)
{
	const struct elf_build_id *build_id = elf_file_build_id(file);

	return build_id->size &&
	       elf_file_build_id_is(build_id, image->build_id, image->build_id_size);
}

static const struct image *image_of(const struct namer *namer)
{
	return &namer->profile->images.items[namer->row->image];
}

static bool is_believed(const struct namer *namer, const struct elf_file *file)
{
	return !namer->options->by_build_id_only || has_build_id_of(file, image_of(namer));
}

static int open_own(const struct namer *namer, struct err *err)
{
	const struct door_root root = debug_files_root(namer->options->debug_files);

	return recorded_files_open(namer->profile, &root, namer->row->image,
				   namer->options->readers, err);
}

/* The image's own file, if it is here and proves to be the right one. */
static void find_own(const struct namer *namer, struct found *found)
{
	found->fd = open_own(namer, NULL);
	if (found->fd < 0 || elf_file_open(found->fd, &found->file, NULL) < 0)
		return;
	if (elf_file_read_sections(found->file, NULL) == 0 && is_believed(namer, found->file))
		return;
	elf_file_free(found->file);
	found->file = NULL;
}

/* Its debug file, which may be here although the file itself is not. */
static void find_debug(const struct namer *namer, struct found *found)
{
	const struct image *image = image_of(namer);
	const struct readers *readers =
		image_readers_of(namer->options->readers, namer->row->image);
	const char *path = profile_text(namer->profile, image->path);
	struct debug_wanted wanted = { .path = path, .readers = readers };

	if (found->file) {
		symbol_files_find(namer->options->debug_files, found->file, path, readers, 0,
				  &found->files);
	} else {
		memcpy(wanted.build_id.bytes, image->build_id, image->build_id_size);
		wanted.build_id.size = image->build_id_size;
		symbol_files_find_debug(namer->options->debug_files, &wanted, &found->files);
	}
	if (found->files.debug && !is_believed(namer, found->files.debug)) {
		struct err why;

		err_set(&why, -ENOENT, "%s: not used: it has no build id", found->files.debug_path);
		symbol_files_done(&found->files);
		found->files.why = why;
	}
}

static bool has_symbols(const struct elf_file *file)
{
	return file && debug_files_has(file, DEBUG_SYMBOLS);
}

/* With --force: a file that only its name connects with the image. Takes over @path, which begins
 * with the folder. */
static bool try_forced(struct namer *namer, struct found *found, const char *folder, char *path)
{
	const struct door_root root = { .path = folder };
	_cleanup_free_ char *name = path;
	_cleanup_close_ int fd =
		door_open(image_readers_of(namer->options->readers, namer->row->image), &root,
			  name + strlen(folder), NULL);
	_cleanup_(elf_file_freep) struct elf_file *file = NULL;

	if (fd < 0 || elf_file_open(fd, &file, NULL) < 0 ||
	    elf_file_read_sections(file, NULL) < 0 || !has_symbols(file))
		return false;
	namer->row->source = steal_ptr(name);
	namer->row->forced = true;
	found->forced = steal_ptr(file);
	found->forced_fd = steal_fd(fd);
	return true;
}

static bool find_forced(struct namer *namer, struct found *found)
{
	const char *path = profile_text(namer->profile, image_of(namer)->path);

	for (size_t i = 0; i < namer->options->folder_count; i++) {
		const char *folder = namer->options->folders[i];
		char *name;

		for (int j = 0; (name = debug_files_named(folder, path, j)); j++) {
			if (try_forced(namer, found, folder, name))
				return true;
		}
	}
	return false;
}

/* Says why there are no symbols: the reason from the debug files, or that there is no build id to
 * look for. */
static void explain(const struct namer *namer, const struct found *found)
{
	const struct image *image = image_of(namer);

	if (namer->options->by_build_id_only && !image->build_id_size)
		err_set(&namer->row->why, -ENOENT,
			"the profile has no build id of it, and nothing else proves a file");
	else
		namer->row->why = found->files.why;
}

/* Reads the symbols of the image. found->symtab is NULL if there are none; row->why says why. */
static void find_symbols(struct namer *namer, struct found *found)
{
	struct late_image *row = namer->row;
	const struct image *image = image_of(namer);

	*found = (struct found){ .fd = -1, .files = { .fd = -1 }, .forced_fd = -1 };
	if (image->build_id_size || !namer->options->by_build_id_only) {
		find_own(namer, found);
		find_debug(namer, found);
	}
	if (found->files.debug)
		row->source = xstrdup(found->files.debug_path);
	else if (found->files.count || has_symbols(found->file))
		row->source = xstrdup(profile_text(namer->profile, image->path));
	if (!row->source && namer->options->force && find_forced(namer, found))
		symtab_new(found->forced, NULL, &found->symtab, &row->why);
	else if (found->file)
		symtab_new(found->file, &found->files, &found->symtab, &row->why);
	else if (found->files.debug)
		symtab_new(found->files.debug, NULL, &found->symtab, &row->why);
	if (!row->source)
		explain(namer, found);
}

static void found_done(struct found *found)
{
	symtab_free(found->symtab);
	symbol_files_done(&found->files);
	elf_file_free(found->file);
	elf_file_free(found->forced);
	cleanup_closep(&found->fd);
	cleanup_closep(&found->forced_fd);
}

/* ---- frames ---- */

/* The file has the address that objdump shows, if the recording does not have it. */
static bool need_address(const struct found *found, struct frame *frame)
{
	if (!frame->address_known && found->file &&
	    elf_file_address(elf_file_segments(found->file), frame->offset, &frame->address)) {
		frame->address_known = true;
		frame->dirty = true;
	}
	return frame->address_known;
}

static bool name_frame(struct namer *namer, const struct found *found, struct frame *frame)
{
	struct symtab_hit hit;
	struct symbol symbol;

	symtab_lookup(found->symtab, NULL, symbol_source_place(frame, frame->address), &namer->name,
		      &hit);
	if (hit.kind != SYMBOL_NAMED && hit.kind != SYMBOL_PLT)
		return false;
	symbol = (struct symbol){ .image = frame->image,
				  .name = strpool_intern(&namer->profile->strings,
							 buf_text(&namer->name)),
				  .start = hit.start,
				  .size = hit.size,
				  .kind = hit.kind };
	frame->symbol = profile_symbol(namer->profile, &symbol);
	frame->dirty = true;
	return true;
}

/* @frames: those of one image without a name. */
static void name_frames(struct namer *namer, const struct found *found, const uint32_t *frames,
			size_t count)
{
	struct image *image = &namer->profile->images.items[namer->row->image];
	bool all = symtab_is_complete(found->symtab), placed = true;

	for (size_t i = 0; i < count; i++) {
		struct frame *frame = &namer->profile->frames.items[frames[i]];

		if (need_address(found, frame))
			namer->row->named += name_frame(namer, found, frame);
		else
			placed = false;
	}
	if (!placed && !namer->row->named && namer->row->source)
		err_set(&namer->row->why, -ENOENT,
			"%s: its names can be placed only with the executed file, which is missing",
			namer->row->source);
	if (!all || !placed)
		return;
	image->state = IMAGE_STATE_READ;
	image->dirty = true;
}

static void name_image(struct namer *namer, const uint32_t *frames, size_t count)
{
	struct found found;

	namer->row->nameless = count;
	find_symbols(namer, &found);
	if (found.symtab)
		name_frames(namer, &found, frames, count);
	/* the recording lacked these names, but some frames still have none */
	if (namer->row->named && !namer->row->source)
		namer->row->source = xstrdup(profile_text(namer->profile, image_of(namer)->path));
	if (namer->row->named)
		namer->row->why.text[0] = '\0';
	else
		free(steal_ptr(namer->row->source));
	found_done(&found);
}

/* ---- all of them ---- */

/* There is nothing more to find for the kernel. In a file whose symbols were all read, a gap is a
 * gap. */
static bool is_asked(const struct image *image)
{
	return (image->kind == IMAGE_FILE || image->kind == IMAGE_VDSO) &&
	       image->state != IMAGE_STATE_READ;
}

struct nameless {
	uint32_t image, frame;
};

DEFINE_ORDER(by_image, struct nameless, COMPARE(a->image, b->image) ?: COMPARE(a->frame, b->frame))

/* The number of frames from @at on that are of one image; copies them to @frames. */
static size_t take_image(const struct nameless *items, size_t count, size_t at, uint32_t *frames)
{
	size_t taken = 0;

	while (at + taken < count && items[at + taken].image == items[at].image) {
		frames[taken] = items[at + taken].frame;
		taken++;
	}
	return taken;
}

static void name_all(struct namer *namer, const struct nameless *items, size_t count,
		     struct late_names *names)
{
	uint32_t *frames = xcalloc(count ? count : 1, sizeof(*frames));
	size_t taken;

	for (size_t i = 0; i < count; i += taken) {
		struct late_image row = { .image = items[i].image };

		taken = take_image(items, count, i, frames);
		namer->row = &row;
		name_image(namer, frames, taken);
		names->nameless += row.nameless;
		names->named += row.named;
		*vec_push(&names->images) = row;
	}
	namer->row = NULL;
	free(frames);
}

void late_names_add(struct profile *profile, const struct late_options *options,
		    struct late_names *ret_names)
{
	struct namer namer = { .profile = profile, .options = options };
	VEC(struct nameless) items = { 0 };

	*ret_names = (struct late_names){ 0 };
	for (size_t i = 1; i < profile->frames.count; i++) {
		const struct frame *frame = &profile->frames.items[i];

		if (is_asked(&profile->images.items[frame->image]) && lacks_name(profile, frame))
			*vec_push(&items) = (struct nameless){ frame->image, (uint32_t)i };
	}
	if (items.count) {
		qsort(items.items, items.count, sizeof(*items.items), by_image);
		profile_index_symbols(profile);
	}
	name_all(&namer, items.items, items.count, ret_names);
	vec_free(&items);
	buf_done(&namer.name);
}

void late_names_done(struct late_names *names)
{
	for (size_t i = 0; i < names->images.count; i++)
		free(names->images.items[i].source);
	vec_free(&names->images);
}
