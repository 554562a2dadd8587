/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/views.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/tar.h"
#include "archive/unpacked.h"
#include "base/compare.h"
#include "base/file.h"
#include "base/open_limit.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "foreign/door.h"
#include "load/opened.h"
#include "load/profile_files.h"
#include "names/lines/source_files.h"
#include "place/files/image_readers.h"
#include "place/files/recorded_files.h"
#include "present/safe.h"

enum {
	MOST_CONTENTS_BYTES = 64 << 20,
	OTHER_FILES = 32, /* open besides those that are packed */
};

enum archive_kind {
	ARCHIVE_IMAGE,
	ARCHIVE_DEBUG,
	ARCHIVE_SOURCE,
	ARCHIVE_KINDS,
};

struct archive_file {
	enum archive_kind kind;
	char *name; /* in the archive */
	int fd;	    /* the open file; -1: the content is in `bytes` */
	struct source_bytes bytes;
};

struct archive_files {
	VEC(struct archive_file) list; /* by name, each once */
	/* One line for each missing image and each omitted file, with the reason. Characters that
	 * could break a line are escaped. */
	struct buf missing;
	size_t missing_count;
	struct strpool names, absent; /* of the list; of the lines */
};

/* ---- finding the files: resolves the whole profile and notes what is opened ---- */

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
static void note_file(struct archive_files *files, struct archive_file *file, const char *folder,
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

	return recorded_files_open(finder->profile, &root, image, finder->readers, err);
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
		note_file(finder->files, &file, UNPACKED_FILES, path);
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
		note_file(finder->files, &file, UNPACKED_FILES, path);
	else
		add_missing(finder->files, path, strerror(errno));
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
		note_file(finder->files, &file, UNPACKED_SOURCES, name);
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

/* ---- all files ---- */

static void mark_used(struct finder *finder)
{
	const struct profile *profile = finder->profile;

	for (size_t i = 1; i < profile->stacks.count; i++) {
		uint32_t frame = profile->stacks.items[i].frame;

		finder->frames[frame] = true;
		finder->images[profile->frames.items[frame].image] = true;
	}
}

DEFINE_ORDER(files_by_name, struct archive_file, strcmp(a->name, b->name))

/* All files stay open until they are packed, an image with its debug file. */
static int allow_open_files(const struct finder *finder, struct err *err)
{
	size_t needed = OTHER_FILES;

	for (uint32_t i = 1; i < finder->profile->images.count; i++)
		needed += finder->images[i] ? 2 : 0;
	open_limit_raise();
	return open_limit_check(needed, "packing the files of this profile", err);
}

static void find(struct finder *finder)
{
	const struct profile *profile = finder->profile;
	struct line_options lines = finder->options->lines;

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

/* A file that is absent, or that the readers may not read, counts as missing. Fails only if too few
 * files may be open. */
static int find_files(const struct profile *profile, const struct image_readers *readers,
		      const struct archive_options *options, struct archive_files *ret_files,
		      struct err *err)
{
	struct finder finder = {
		.profile = profile, .readers = readers, .options = options, .files = ret_files
	};
	int rc;

	finder.frames = xcalloc(profile->frames.count, sizeof(bool));
	finder.images = xcalloc(profile->images.count, sizeof(bool));
	finder.symbols = xcalloc(profile->symbols.count, sizeof(bool));
	finder.sources = source_files_new(options->source_paths, options->source_path_count, NULL);
	mark_used(&finder);
	rc = allow_open_files(&finder, err);
	if (rc == 0)
		find(&finder);
	if (ret_files->list.count)
		qsort(ret_files->list.items, ret_files->list.count, sizeof(*ret_files->list.items),
		      files_by_name);
	source_files_free(finder.sources);
	strpool_done(&finder.asked);
	buf_done(&finder.key);
	free(finder.frames);
	free(finder.images);
	free(finder.symbols);
	return rc;
}

static void archive_files_done(struct archive_files *files)
{
	for (size_t i = 0; i < files->list.count; i++)
		file_done(&files->list.items[i]);
	vec_free(&files->list);
	buf_done(&files->missing);
	strpool_done(&files->names);
	strpool_done(&files->absent);
}

/* ---- packing ---- */

struct packing {
	const char *path;
	const struct archive_options *options;
	struct store_reader *store; /* while it is open the file does not change */
	struct profile *profile;
	struct totals totals;
	struct image_readers readers;
	struct archive_files files;
	struct tar_writer *tar; /* NULL: only list files */
	FILE *list;
	size_t counts[ARCHIVE_KINDS];
};

DEFINE_CLEANUP(struct profile *, profile_free);

static void packing_done(struct packing *packing)
{
	tar_writer_free(packing->tar);
	archive_files_done(&packing->files);
	image_readers_done(&packing->readers);
	vec_free(&packing->totals.rows);
	profile_free(packing->profile);
	if (packing->store)
		store_close(packing->store);
}

static void print_safely(const char *text, FILE *out)
{
	struct buf safe = { 0 };

	safe_text(&safe, text);
	fprintf(out, "%s\n", buf_text(&safe));
	buf_done(&safe);
}

static void list_member(FILE *list, const char *name, int64_t bytes)
{
	fprintf(list, "%12" PRId64 "  ", bytes);
	print_safely(name, list);
}

static int64_t size_of(int fd)
{
	struct stat stat;

	return fstat(fd, &stat) < 0 ? 0 : (int64_t)stat.st_size;
}

/* Packs an open file, or lists it. Closing any descriptor of the profile drops SQLite's locks, so
 * that happens after everything was read. */
static int take_file(struct packing *packing, const char *name, int fd, struct err *err)
{
	if (packing->tar)
		return tar_writer_add_file(packing->tar, name, fd, err);
	list_member(packing->list, name, size_of(fd));
	return 0;
}

static int take_bytes(struct packing *packing, const char *name, const struct source_bytes *bytes,
		      struct err *err)
{
	if (packing->tar)
		return tar_writer_add_bytes(packing->tar, name, bytes->text.bytes, bytes->text.size,
					    bytes->mtime_ns, err);
	list_member(packing->list, name, (int64_t)bytes->text.size);
	return 0;
}

static int add_file(struct packing *packing, const struct archive_file *file, struct err *err)
{
	packing->counts[file->kind]++;
	return file->fd < 0 ? take_bytes(packing, file->name, &file->bytes, err)
			    : take_file(packing, file->name, file->fd, err);
}

static void describe(const struct packing *packing, struct buf *text)
{
	buf_printf(text, "the profile; %zu executed files, %zu debug files, %zu source files\n",
		   packing->counts[ARCHIVE_IMAGE], packing->counts[ARCHIVE_DEBUG],
		   packing->counts[ARCHIVE_SOURCE]);
	if (packing->files.missing_count)
		buf_printf(text, "%zu %s missing:\n%s", packing->files.missing_count,
			   packing->files.missing_count == 1 ? "file is" : "files are",
			   buf_text(&packing->files.missing));
}

static int pack_all(struct packing *packing, int profile_fd, struct buf *contents, struct err *err)
{
	int rc = take_file(packing, UNPACKED_PROFILE, profile_fd, err);

	for (size_t i = 0; rc == 0 && i < packing->files.list.count; i++)
		rc = add_file(packing, &packing->files.list.items[i], err);
	describe(packing, contents);
	if (rc < 0 || !packing->tar)
		return rc;
	rc = tar_writer_add_bytes(packing->tar, UNPACKED_CONTENTS, contents->bytes, contents->size,
				  (int64_t)packing->profile->run.start_realtime_ns, err);
	return rc < 0 ? rc : tar_writer_finish(packing->tar, err);
}

void archive_print_contents(const struct buf *contents, FILE *report)
{
	const char *line = buf_text(contents), *end;

	while ((end = strchr(line, '\n'))) {
		_cleanup_free_ char *copy = xstrndup(line, (size_t)(end - line));

		print_safely(copy, report);
		line = end + 1;
	}
}

/* @out NULL: writes only to packing->list. */
static int pack(struct packing *packing, int fd, FILE *out, struct buf *contents, struct err *err)
{
	int rc = store_open(packing->path, &packing->store, err);

	if (rc == 0)
		rc = store_load_profile(packing->store, &packing->profile, err);
	if (rc == 0 && !store_has_open(fd))
		rc = err_set(err, -ESTALE, "%s was replaced while it was opened: try again",
			     packing->path);
	if (rc == 0)
		rc = store_load_totals(packing->store, &packing->totals, err);
	if (rc == 0 && out)
		rc = tar_writer_new(out, &packing->tar, err);
	if (rc == 0) {
		profile_files_readers(packing->profile, &packing->totals, false, &packing->readers);
		rc = find_files(packing->profile, &packing->readers, packing->options,
				&packing->files, err);
	}
	return rc < 0 ? rc : pack_all(packing, fd, contents, err);
}

static int open_and_pack(struct packing *packing, FILE *out, struct buf *contents, struct err *err)
{
	struct err reason;
	int fd, rc;

	if (unpacked_is_archive(packing->path))
		return err_set(err, -EINVAL, "%s is already an archive", packing->path);
	fd = door_open_typed(packing->path, &reason);
	if (fd < 0)
		return err_set(err, fd, "cannot open %s: %s", packing->path, reason.text);
	rc = pack(packing, fd, out, contents, err);
	packing_done(packing);
	close(fd);
	return rc;
}

int archive_write(const char *path, const struct archive_options *options, FILE *out,
		  struct buf *contents, struct err *err)
{
	struct packing packing = { .path = path, .options = options };

	return open_and_pack(&packing, out, contents, err);
}

/* ---- listing an archive ---- */

struct member {
	char *name;
	int64_t bytes;
};

typedef VEC(struct member) member_list;

/* All unpacked members except the profile, which comes first, and the contents, which come last. */
static void find_members(const char *folder, member_list *members)
{
	char *const folders[] = { (char *)folder, NULL };
	size_t before = strlen(folder) + 1;
	FTS *tree = fts_open(folders, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	const FTSENT *entry;

	while (tree && (entry = fts_read(tree))) {
		if (entry->fts_info == FTS_F && entry->fts_level > 1)
			*vec_push(members) = (struct member){ xstrdup(entry->fts_path + before),
							      entry->fts_statp->st_size };
	}
	if (tree)
		fts_close(tree);
}

DEFINE_ORDER(by_name, struct member, strcmp(a->name, b->name))

static int64_t bytes_at(const char *path)
{
	struct stat stat;

	return lstat(path, &stat) < 0 ? 0 : (int64_t)stat.st_size;
}

static int list_archive(const char *path, FILE *out, struct err *err)
{
	_cleanup_(unpacked_closep) struct unpacked *unpacked = NULL;
	_cleanup_(buf_done) struct buf contents = { 0 };
	_cleanup_free_ char *said = NULL;
	member_list members = { 0 };
	int rc = unpacked_open(path, &unpacked, err);

	if (rc < 0)
		return rc;
	find_members(unpacked_folder(unpacked), &members);
	if (members.count)
		qsort(members.items, members.count, sizeof(*members.items), by_name);
	list_member(out, UNPACKED_PROFILE, bytes_at(unpacked_profile(unpacked)));
	for (size_t i = 0; i < members.count; i++) {
		list_member(out, members.items[i].name, members.items[i].bytes);
		free(members.items[i].name);
	}
	vec_free(&members);
	said = xasprintf("%s/%s", unpacked_folder(unpacked), UNPACKED_CONTENTS);
	if (file_read(said, MOST_CONTENTS_BYTES, &contents) == 0)
		archive_print_contents(&contents, out);
	return 0;
}

int archive_list(const char *path, const struct archive_options *options, FILE *out,
		 struct err *err)
{
	struct packing packing = { .path = path, .options = options, .list = out };
	struct buf contents = { 0 };
	int rc;

	if (unpacked_is_archive(path))
		return list_archive(path, out, err);
	rc = open_and_pack(&packing, NULL, &contents, err);
	if (rc == 0)
		archive_print_contents(&contents, out);
	buf_done(&contents);
	return rc;
}
