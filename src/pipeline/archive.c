/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pipeline/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/tar_writer.h"
#include "base/clock.h"
#include "pipeline/archive_files.h"
#include "pipeline/opened.h"
#include "pipeline/unpacked.h"
#include "present/figures.h"
#include "present/safe.h"

struct packing {
	const char *path;
	const struct archive_options *options;
	struct store_reader *store; /* while it is open the file does not change */
	struct profile *profile;
	struct archive_files files;
	struct tar_writer *tar; /* NULL: nothing is packed, files are listed */
	FILE *list;
	size_t counts[ARCHIVE_KINDS];
};

DEFINE_CLEANUP(struct profile *, profile_free);

static void packing_done(struct packing *packing)
{
	tar_writer_free(packing->tar);
	archive_files_done(&packing->files);
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

static void list_file(const struct packing *packing, const char *name, int fd)
{
	struct stat stat;

	if (fstat(fd, &stat) < 0)
		stat.st_size = 0;
	fprintf(packing->list, "%12jd  ", (intmax_t)stat.st_size);
	print_safely(name, packing->list);
}

/* Packs a file, or lists it. */
static int take_file(struct packing *packing, const char *name, int fd, struct err *err)
{
	if (packing->tar)
		return tar_writer_add_file(packing->tar, name, fd, err);
	list_file(packing, name, fd);
	return 0;
}

/* SQLite's locks are dropped when any descriptor of its file is closed, which therefore happens
 * after everything was read. */
static int add_profile(struct packing *packing, int fd, struct err *err)
{
	return take_file(packing, UNPACKED_PROFILE, fd, err);
}

/* What went away since it was found is missing like the others. */
static int add_file(struct packing *packing, const struct archive_file *file, struct err *err)
{
	_cleanup_close_ int opened =
		file->path ? open(file->path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : -1;
	int fd = file->path ? opened : file->fd;

	if (fd < 0) {
		buf_printf(&packing->files.missing, "%s: %s\n", file->path, strerror(errno));
		packing->files.missing_count++;
		return 0;
	}
	packing->counts[file->kind]++;
	return take_file(packing, file->name, fd, err);
}

static void describe(const struct packing *packing, struct buf *text)
{
	buf_printf(text,
		   "the profile; %zu files that ran, %zu with debug information, %zu of source\n",
		   packing->counts[ARCHIVE_IMAGE], packing->counts[ARCHIVE_DEBUG],
		   packing->counts[ARCHIVE_SOURCE]);
	if (packing->files.missing_count)
		buf_printf(text, "%zu %s missing:\n%s", packing->files.missing_count,
			   packing->files.missing_count == 1 ? "file is" : "files are",
			   buf_text(&packing->files.missing));
}

static int pack_all(struct packing *packing, int profile_fd, struct buf *contents, struct err *err)
{
	int rc = add_profile(packing, profile_fd, err);

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

/* @out NULL: nothing is written but packing->list. */
static int pack(struct packing *packing, int fd, FILE *out, struct buf *contents, struct err *err)
{
	int rc = store_open(packing->path, &packing->store, err);

	if (rc == 0)
		rc = store_load_profile(packing->store, &packing->profile, err);
	if (rc == 0 && out)
		rc = tar_writer_new(out, &packing->tar, err);
	if (rc == 0) {
		archive_files_find(packing->profile, packing->options, &packing->files);
		rc = pack_all(packing, fd, contents, err);
	}
	return rc;
}

static int open_and_pack(struct packing *packing, FILE *out, struct buf *contents, struct err *err)
{
	int fd, rc;

	if (unpacked_is_archive(packing->path))
		return err_set(err, -EINVAL, "%s is an archive already", packing->path);
	fd = open(packing->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return err_set(err, -errno, "cannot open %s: %s", packing->path, strerror(errno));
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

int archive_list(const char *path, const struct archive_options *options, FILE *out,
		 struct err *err)
{
	struct packing packing = { .path = path, .options = options, .list = out };
	struct buf contents = { 0 };
	int rc = open_and_pack(&packing, NULL, &contents, err);

	if (rc == 0)
		archive_print_contents(&contents, out);
	buf_done(&contents);
	return rc;
}
