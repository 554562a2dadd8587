/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/tar_writer.h"
#include "archive/unpacked.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "foreign/typed_file.h"
#include "load/opened.h"
#include "load/profile_readers.h"
#include "present/figures.h"
#include "present/safe.h"
#include "views/archive_files.h"

enum { MOST_CONTENTS_BYTES = 64 << 20 };

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
		_cleanup_free_ char *copy = strndup(line, (size_t)(end - line));

		print_safely(copy ? copy : "", report);
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
		rc = store_load_totals(packing->store, packing->profile, &packing->totals, err);
	if (rc == 0 && out)
		rc = tar_writer_new(out, &packing->tar, err);
	if (rc == 0) {
		profile_readers_find(packing->profile, &packing->totals, false, &packing->readers);
		archive_files_find(packing->profile, &packing->readers, packing->options,
				   &packing->files);
		rc = pack_all(packing, fd, contents, err);
	}
	return rc;
}

static int open_and_pack(struct packing *packing, FILE *out, struct buf *contents, struct err *err)
{
	struct err reason;
	int fd, rc;

	if (unpacked_is_archive(packing->path))
		return err_set(err, -EINVAL, "%s is already an archive", packing->path);
	fd = typed_file_open(packing->path, &reason);
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

static int by_name(const void *left, const void *right)
{
	return strcmp(((const struct member *)left)->name, ((const struct member *)right)->name);
}

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
