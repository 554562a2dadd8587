/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "archive/tar_writer.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/libarchive.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/xalloc.h"

enum {
	CHUNK = 256 << 10,
	MEMBER_MODE = 0644,
};

struct tar_writer {
	struct libarchive library;
	struct archive *archive;
	FILE *out;
};

static la_ssize_t write_out(struct archive *archive, void *context, const void *bytes, size_t size)
{
	const struct tar_writer *writer = context;

	return fwrite(bytes, 1, size, writer->out) == size ? (la_ssize_t)size : -1;
}

static int explain(const struct tar_writer *writer, struct err *err)
{
	const char *why = writer->library.archive_error_string(writer->archive);

	int rc = file_flush(writer->out);

	if (rc < 0)
		return err_set(err, rc, "cannot write the archive: %s", strerror(-rc));
	return err_set(err, -EIO, "cannot write the archive: %s", why ? why : "write failed");
}

int tar_writer_new(FILE *out, struct tar_writer **ret_writer, struct err *err)
{
	_cleanup_(tar_writer_freep) struct tar_writer *writer = xcalloc(1, sizeof(*writer));
	const struct libarchive *library = &writer->library;
	int rc = libarchive_load(&writer->library, err);

	if (rc < 0)
		return rc;
	writer->out = out;
	writer->archive = library->archive_write_new();
	if (!writer->archive)
		return err_set(err, -ENOMEM, "cannot write the archive: out of memory");
	/* no padding: a record of tar is of no use within a compressed stream */
	if (library->archive_write_set_format_pax(writer->archive) < ARCHIVE_WARN ||
	    library->archive_write_add_filter_zstd(writer->archive) < ARCHIVE_WARN ||
	    library->archive_write_set_bytes_in_last_block(writer->archive, 1) < ARCHIVE_WARN ||
	    library->archive_write_open(writer->archive, writer, NULL, write_out, NULL) <
		    ARCHIVE_WARN)
		return explain(writer, err);
	*ret_writer = steal_ptr(writer);
	return 0;
}

void tar_writer_free(struct tar_writer *writer)
{
	if (!writer)
		return;
	if (writer->archive)
		writer->library.archive_write_free(writer->archive);
	free(writer);
}

static int write_header(struct tar_writer *writer, const char *name, int64_t size, int64_t mtime_ns,
			struct err *err)
{
	const struct libarchive *library = &writer->library;
	struct archive_entry *entry = library->archive_entry_new();
	int rc;

	if (!entry)
		return err_set(err, -ENOMEM, "cannot write the archive: out of memory");
	library->archive_entry_set_pathname(entry, name);
	library->archive_entry_set_filetype(entry, AE_IFREG);
	library->archive_entry_set_perm(entry, MEMBER_MODE);
	library->archive_entry_set_size(entry, size);
	library->archive_entry_set_mtime(entry, mtime_ns / (int64_t)NS_PER_S,
					 (long)(mtime_ns % (int64_t)NS_PER_S));
	/* a name that no charset can express only causes a warning */
	rc = library->archive_write_header(writer->archive, entry);
	library->archive_entry_free(entry);
	return rc < ARCHIVE_WARN ? explain(writer, err) : 0;
}

static int write_data(struct tar_writer *writer, const void *bytes, size_t size, struct err *err)
{
	la_ssize_t written = writer->library.archive_write_data(writer->archive, bytes, size);

	return written < 0 || (size_t)written != size ? explain(writer, err) : 0;
}

static int copy(struct tar_writer *writer, const char *name, int fd, int64_t size, struct err *err)
{
	_cleanup_free_ char *chunk = xmalloc(CHUNK);
	int64_t at = 0;

	while (at < size) {
		size_t wanted = size - at < CHUNK ? (size_t)(size - at) : CHUNK;
		ssize_t got = pread(fd, chunk, wanted, at);
		int rc;

		if (got <= 0)
			return err_set(err, -EIO, "%s: %s", name,
				       got < 0 ? strerror(errno)
					       : "the file shrank while it was read");
		rc = write_data(writer, chunk, (size_t)got, err);
		if (rc < 0)
			return rc;
		at += got;
	}
	return 0;
}

int tar_writer_add_file(struct tar_writer *writer, const char *name, int fd, struct err *err)
{
	struct stat st;
	int rc;

	if (fstat(fd, &st) < 0)
		return err_set(err, -errno, "%s: %s", name, strerror(errno));
	rc = write_header(writer, name, st.st_size,
			  (int64_t)st.st_mtim.tv_sec * (int64_t)NS_PER_S + st.st_mtim.tv_nsec, err);
	return rc < 0 ? rc : copy(writer, name, fd, st.st_size, err);
}

int tar_writer_add_bytes(struct tar_writer *writer, const char *name, const void *bytes,
			 size_t size, int64_t mtime_ns, struct err *err)
{
	int rc = write_header(writer, name, (int64_t)size, mtime_ns, err);

	return rc < 0 || !size ? rc : write_data(writer, bytes, size, err);
}

int tar_writer_finish(struct tar_writer *writer, struct err *err)
{
	if (writer->library.archive_write_close(writer->archive) < ARCHIVE_WARN)
		return explain(writer, err);
	return 0;
}
