/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/archive_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/unpacked.h"
#include "base/xalloc.h"
#include "place/files/recorded_files.h"
#include "present/safe.h"

struct finder {
	const struct profile *profile;
	const struct image_readers *readers;
	const struct archive_options *options;
	struct archive_files *files;
	struct line_service service;
	struct source_files *sources;
	uint32_t image;	      /* whose lines name source files now */
	struct strpool asked; /* "IMAGE:NAME" of source files tried so far */
	struct buf key;
	bool *frames, *images,
		*symbols;    /* by row: true if it is in a stack; symbols: true if done */
	uint64_t start, end; /* of the current function */
};

/* The path without empty, "." and ".." parts, "/a/./b//../c" as "a/c", because names in archives
 * are relative and never lead up. NULL if it would lead above its beginning. The caller frees
 * it. */
static char *plain_path(const char *path)
{
	char *plain = xcalloc(strlen(path) + 2, 1);
	size_t size = 0;

	while (*path) {
		size_t length = strcspn(path, "/");

		if (length == 2 && strncmp(path, "..", 2) == 0) {
			if (!size) {
				free(plain);
				return NULL;
			}
			while (size && plain[--size] != '/') {
			}
		} else if (length && !(length == 1 && *path == '.')) {
			if (size)
				plain[size++] = '/';
			memcpy(plain + size, path, length);
			size += length;
		}
		path += length + (path[length] == '/');
	}
	plain[size] = '\0';
	return plain;
}

static void file_done(struct archive_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	source_bytes_done(&file->bytes);
	free(file->name);
}

/* Takes ownership of @file. Its name is @folder in the archive, then @place on this machine. */
static void add_file(struct archive_files *files, struct archive_file *file, const char *folder,
		     const char *place)
{
	_cleanup_free_ char *plain = plain_path(place);
	size_t known = strpool_count(&files->names);

	file->name = plain && *plain ? xasprintf("%s/%s", folder, plain) : NULL;
	if (!file->name || strpool_intern(&files->names, file->name) < known)
		file_done(file);
	else
		*vec_push(&files->list) = *file;
}

/* Adds each name once. Names are untrusted. */
static void add_missing(struct archive_files *files, const char *path, const char *why)
{
	size_t known = strpool_count(&files->absent);

	if (strpool_intern(&files->absent, path) < known)
		return;
	safe_text(&files->missing, path);
	buf_add_str(&files->missing, ": ");
	safe_text(&files->missing, why);
	buf_add_char(&files->missing, '\n');
	files->missing_count++;
}

/* ---- images ---- */

static bool is_file(const struct image *image)
{
	return image->kind == IMAGE_FILE || image->kind == IMAGE_VDSO;
}

static int open_image(const struct finder *finder, uint32_t image, struct err *err)
{
	const struct door_root root = { .path = finder->options->lines.symfs };

	if (root.path)
		return recorded_files_open_under(finder->profile, &root, image, finder->readers,
						 err);
	if (finder->profile->images.items[image].kind == IMAGE_VDSO)
		return recorded_files_open_vdso(finder->profile, err);
	return recorded_files_open(finder->profile, image, finder->readers, err);
}

static void add_image(struct finder *finder, uint32_t image)
{
	const struct image *row = &finder->profile->images.items[image];
	const char *path = profile_text(finder->profile, row->path);
	struct archive_file file = { .kind = ARCHIVE_IMAGE };
	struct err err = { "" };

	if (!is_file(row))
		return;
	file.fd = open_image(finder, image, &err);
	if (file.fd >= 0)
		add_file(finder->files, &file, UNPACKED_FILES, path);
	else
		add_missing(finder->files, *path ? path : "a file without a name", err.text);
}

/* ---- debug files and sources ---- */

static void take_debug_file(void *context, const char *path, int fd)
{
	struct finder *finder = context;
	/* the duplicate shares the file position, which does no harm */
	struct archive_file file = { .kind = ARCHIVE_DEBUG, .fd = fcntl(fd, F_DUPFD_CLOEXEC, 0) };

	if (file.fd >= 0)
		add_file(finder->files, &file, UNPACKED_FILES, path);
}

static void refuse_debug_file(void *context, const char *path, const char *why)
{
	struct finder *finder = context;

	add_missing(finder->files, path, why);
}

static bool is_new(struct finder *finder, const char *name)
{
	size_t known = strpool_count(&finder->asked);

	buf_clear(&finder->key);
	buf_printf(&finder->key, "%" PRIu32 ":", finder->image);
	buf_add_str(&finder->key, name);
	return strpool_intern(&finder->asked, buf_text(&finder->key)) >= known;
}

/* Several images may name the same file. It is tried with each image's readers: one image whose
 * readers may read it is enough. */
static void take_source(struct finder *finder, const char *name)
{
	const struct readers *readers;
	struct archive_file file = { .kind = ARCHIVE_SOURCE, .fd = -1 };
	struct err err = { "" };
	int rc;

	if (!*name || !is_new(finder, name))
		return;
	readers = lines_readers(finder->service.lines, finder->image);
	rc = source_files_read(finder->sources, readers, name, &file.bytes, &err);
	if (rc == 0)
		add_file(finder->files, &file, UNPACKED_SOURCES, name);
	else if (rc != -ENOENT)
		add_missing(finder->files, name, err.text);
}

static void take_line(void *context, uint64_t start, uint64_t end, const char *file, uint32_t line)
{
	struct finder *finder = context;

	(void)line;
	if (start < finder->end && end > finder->start)
		take_source(finder, file);
}

/* Finds all files that annotating the function of a frame would show. */
static void take_function(struct finder *finder, const struct frame *frame)
{
	const struct symbol *symbol = &finder->profile->symbols.items[frame->symbol];
	uint64_t place;

	if (!frame->symbol || finder->symbols[frame->symbol] || symbol->kind != SYMBOL_NAMED)
		return;
	finder->symbols[frame->symbol] = true;
	place = lines_place(finder->service.lines, frame);
	finder->start = symbol->start + (place - frame->address);
	finder->end = finder->start + symbol->size;
	lines_each(finder->service.lines, frame->image, finder->start, finder->end, take_line,
		   finder);
}

static void take_frame(struct finder *finder, uint32_t id)
{
	size_t count;
	const struct line_place *places = lines_of_frame(finder->service.lines, id, &count);

	finder->image = finder->profile->frames.items[id].image;
	for (size_t i = 0; i < count; i++)
		take_source(finder, places[i].file);
	if (count)
		take_function(finder, &finder->profile->frames.items[id]);
}

/* ---- all of it ---- */

static void mark_used(struct finder *finder)
{
	const struct profile *profile = finder->profile;

	for (size_t i = 1; i < profile->stacks.count; i++) {
		uint32_t frame = profile->stacks.items[i].frame;

		finder->frames[frame] = true;
		finder->images[profile->frames.items[frame].image] = true;
	}
}

static int by_name(const void *left, const void *right)
{
	const struct archive_file *a = left, *b = right;

	return strcmp(a->name, b->name);
}

static void find(struct finder *finder)
{
	const struct profile *profile = finder->profile;
	struct line_options lines = finder->options->lines;

	mark_used(finder);
	for (uint32_t i = 1; i < profile->images.count; i++) {
		if (finder->images[i])
			add_image(finder, i);
	}
	/* a cached index would spare opening the files it was made from */
	lines.no_cache = true;
	lines.opened = take_debug_file;
	lines.refused = refuse_debug_file;
	lines.opened_context = finder;
	lines.readers = finder->readers;
	line_service_start(&finder->service, profile, &lines, NULL, NULL);
	for (uint32_t i = 1; i < profile->frames.count; i++) {
		if (finder->frames[i])
			take_frame(finder, i);
	}
	line_service_stop(&finder->service);
}

void archive_files_find(const struct profile *profile, const struct image_readers *readers,
			const struct archive_options *options, struct archive_files *ret_files)
{
	struct finder finder = {
		.profile = profile, .readers = readers, .options = options, .files = ret_files
	};

	finder.frames = xcalloc(profile->frames.count, sizeof(bool));
	finder.images = xcalloc(profile->images.count, sizeof(bool));
	finder.symbols = xcalloc(profile->symbols.count, sizeof(bool));
	finder.sources = source_files_new(options->source_paths, options->source_path_count, NULL);
	find(&finder);
	if (ret_files->list.count)
		qsort(ret_files->list.items, ret_files->list.count, sizeof(*ret_files->list.items),
		      by_name);
	source_files_free(finder.sources);
	strpool_done(&finder.asked);
	buf_done(&finder.key);
	free(finder.frames);
	free(finder.images);
	free(finder.symbols);
}

void archive_files_done(struct archive_files *files)
{
	for (size_t i = 0; i < files->list.count; i++)
		file_done(&files->list.items[i]);
	vec_free(&files->list);
	buf_done(&files->missing);
	strpool_done(&files->names);
	strpool_done(&files->absent);
}
