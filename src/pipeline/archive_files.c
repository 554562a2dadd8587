/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pipeline/archive_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "pipeline/source_files.h"
#include "pipeline/unpacked.h"
#include "resolve/recorded_files.h"

struct finder {
	const struct profile *profile;
	const struct archive_options *options;
	struct archive_files *files;
	struct line_service service;
	struct source_files *sources;
	bool *frames, *images,
		*symbols;    /* by row: it is in a stack; symbols: it was gone through */
	uint64_t start, end; /* of the function that is gone through */
};

/* The path without parts that lead nowhere, "/a/./b//../c" as "a/c": names in archives are relative
 * and never lead up. NULL when it would lead above its beginning. The caller frees it. */
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

/* Takes @fd, which may be -1, and @path, which may be NULL. */
static void add_file(struct archive_files *files, enum archive_kind kind, const char *folder,
		     const char *place, int fd, char *path)
{
	_cleanup_free_ char *plain = plain_path(place);
	_cleanup_free_ char *name = plain && *plain ? xasprintf("%s/%s", folder, plain) : NULL;
	size_t known = strpool_count(&files->names);

	if (!name || strpool_intern(&files->names, name) < known) {
		if (fd >= 0)
			close(fd);
		free(path);
		return;
	}
	*vec_push(&files->list) = (struct archive_file){
		.kind = kind, .name = steal_ptr(name), .fd = fd, .path = path
	};
}

/* ---- images ---- */

static bool is_file(const struct image *image)
{
	return image->kind == IMAGE_FILE || image->kind == IMAGE_VDSO;
}

static int open_image(const struct finder *finder, uint32_t image, struct err *err)
{
	const char *root = finder->options->lines.symfs;

	if (root)
		return recorded_files_open_under(finder->profile, root, image, err);
	if (finder->profile->images.items[image].kind == IMAGE_VDSO)
		return recorded_files_open_vdso(finder->profile, err);
	return recorded_files_open(finder->profile, image, err);
}

static void add_image(struct finder *finder, uint32_t image)
{
	const struct image *row = &finder->profile->images.items[image];
	const char *path = profile_text(finder->profile, row->path);
	struct err err = { "" };
	int fd;

	if (!is_file(row))
		return;
	fd = open_image(finder, image, &err);
	if (fd >= 0) {
		add_file(finder->files, ARCHIVE_IMAGE, UNPACKED_FILES, path, fd, NULL);
		return;
	}
	buf_printf(&finder->files->missing, "%s: %s\n", *path ? path : "a file without a name",
		   err.text);
	finder->files->missing_count++;
}

/* ---- what lines need ---- */

static void take_debug_file(void *context, const char *path, int fd)
{
	struct finder *finder = context;
	/* a description of its own would share the position; nobody minds */
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (copy >= 0)
		add_file(finder->files, ARCHIVE_DEBUG, UNPACKED_FILES, path, copy, NULL);
}

static void take_source(struct finder *finder, const char *name)
{
	const struct source_file *source = *name ? source_files_get(finder->sources, name) : NULL;

	if (source)
		add_file(finder->files, ARCHIVE_SOURCE, UNPACKED_SOURCES, name, -1,
			 xstrdup(source_file_path(source)));
}

static void take_line(void *context, uint64_t start, uint64_t end, const char *file, uint32_t line)
{
	struct finder *finder = context;

	(void)line;
	if (start < finder->end && end > finder->start)
		take_source(finder, file);
}

/* All that annotating the function of a frame would show. */
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
	/* an index that is kept would spare opening what it was made of */
	lines.no_cache = true;
	lines.opened = take_debug_file;
	lines.opened_context = finder;
	line_service_start(&finder->service, profile, &lines, NULL, NULL);
	for (uint32_t i = 1; i < profile->frames.count; i++) {
		if (finder->frames[i])
			take_frame(finder, i);
	}
	line_service_stop(&finder->service);
}

void archive_files_find(const struct profile *profile, const struct archive_options *options,
			struct archive_files *ret_files)
{
	struct finder finder = { .profile = profile, .options = options, .files = ret_files };

	finder.frames = xcalloc(profile->frames.count, sizeof(bool));
	finder.images = xcalloc(profile->images.count, sizeof(bool));
	finder.symbols = xcalloc(profile->symbols.count, sizeof(bool));
	finder.sources = source_files_new(options->source_paths, options->source_path_count);
	find(&finder);
	if (ret_files->list.count)
		qsort(ret_files->list.items, ret_files->list.count, sizeof(*ret_files->list.items),
		      by_name);
	source_files_free(finder.sources);
	free(finder.frames);
	free(finder.images);
	free(finder.symbols);
}

void archive_files_done(struct archive_files *files)
{
	for (size_t i = 0; i < files->list.count; i++) {
		struct archive_file *file = &files->list.items[i];

		if (file->fd >= 0)
			close(file->fd);
		free(file->name);
		free(file->path);
	}
	vec_free(&files->list);
	buf_done(&files->missing);
	strpool_done(&files->names);
}
