/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "archive/tar.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/dynamic_library.h"
#include "base/err.h"
#include "base/file.h"
#include "base/xalloc.h"

enum {
	CHUNK = 256 << 10,
	NAME_SHOWN = 200, /* bytes of a member's name in a message */
	MEMBER_MODE = 0644,
};

/*
 * ---- the library ----
 *
 * libarchive is loaded only when an archive is written or read: linking it with all its
 * dependencies would slow every start of the program.
 */

#define LIBARCHIVE_FUNCTIONS(X)                  \
	X(archive_entry_filetype)                \
	X(archive_entry_free)                    \
	X(archive_entry_hardlink)                \
	X(archive_entry_mtime)                   \
	X(archive_entry_mtime_nsec)              \
	X(archive_entry_new)                     \
	X(archive_entry_pathname)                \
	X(archive_entry_set_filetype)            \
	X(archive_entry_set_mtime)               \
	X(archive_entry_set_pathname)            \
	X(archive_entry_set_perm)                \
	X(archive_entry_set_size)                \
	X(archive_error_string)                  \
	X(archive_read_data)                     \
	X(archive_read_free)                     \
	X(archive_read_new)                      \
	X(archive_read_next_header)              \
	X(archive_read_open_fd)                  \
	X(archive_read_support_filter_zstd)      \
	X(archive_read_support_format_tar)       \
	X(archive_write_add_filter_zstd)         \
	X(archive_write_close)                   \
	X(archive_write_data)                    \
	X(archive_write_free)                    \
	X(archive_write_header)                  \
	X(archive_write_new)                     \
	X(archive_write_open)                    \
	X(archive_write_set_bytes_in_last_block) \
	X(archive_write_set_format_pax)

struct libarchive {
	LIBARCHIVE_FUNCTIONS(DYNAMIC_LIBRARY_POINTER)
};

/* As dynamic_library_load. */
static int load(struct libarchive *ret_library, struct err *err)
{
	static const char *const names[] = { LIBARCHIVE_FUNCTIONS(DYNAMIC_LIBRARY_NAME) NULL };

	return dynamic_library_load("libarchive.so.13", names,
				    "archives need libarchive.so.13, which is not installed: apt "
				    "install libarchive13",
				    ret_library, err);
}

/* ---- reading ---- */

struct unpacker {
	struct libarchive library;
	struct archive *archive;
	int folder;
	struct tar_limits left;
	char *chunk;
	struct err *err;
};

bool tar_knows(int fd)
{
	/* RFC 8878, 3.1.1: the magic number of a frame */
	static const unsigned char magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };
	unsigned char bytes[sizeof(magic)];

	return pread(fd, bytes, sizeof(bytes), 0) == (ssize_t)sizeof(bytes) &&
	       memcmp(bytes, magic, sizeof(magic)) == 0;
}

/* Returns @rc with the reason in the error text. @name is untrusted: it comes from the archive. */
static int refuse(const struct unpacker *unpacker, int rc, const char *name, const char *why)
{
	char shown[NAME_SHOWN];
	size_t i;

	for (i = 0; i + 1 < sizeof(shown) && name[i]; i++)
		shown[i] = name[i] > ' ' && name[i] <= '~' ? name[i] : '?';
	shown[i] = '\0';
	return err_set(unpacker->err, rc, "invalid member '%s' in the archive: %s", shown, why);
}

static int damaged(const struct unpacker *unpacker)
{
	const char *why = unpacker->library.archive_error_string(unpacker->archive);

	return err_set(unpacker->err, -EBADMSG, "corrupt archive: %s", why ? why : "truncated");
}

/* True if all parts are names separated by single slashes: no part leads up or elsewhere. */
static bool is_safe_name(const char *name)
{
	size_t depth = 0;

	for (;; name++) {
		size_t length = strcspn(name, "/");

		if (!length || length > NAME_MAX || ++depth > TAR_MOST_DEPTH)
			return false;
		if (name[0] == '.' && (length == 1 || (length == 2 && name[1] == '.')))
			return false;
		name += length;
		if (!*name)
			return true;
		/* a folder's name may end with its slash */
		if (!name[1])
			return true;
	}
}

/* Opens a folder below @at, created if needed. No link is ever created, so none is met. */
static int enter(int at, const char *name)
{
	int fd;

	if (mkdirat(at, name, 0700) < 0 && errno != EEXIST)
		return -errno;
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* The folder of @name, owned by the caller; *ret_base: its name there, a part of @name. */
static int open_parent(const struct unpacker *unpacker, char *name, char **ret_base)
{
	_cleanup_close_ int at = dup(unpacker->folder);
	char *slash;

	if (at < 0)
		return -errno;
	while ((slash = strchr(name, '/')) && slash[1]) {
		int next;

		*slash = '\0';
		next = enter(at, name);
		if (next < 0)
			return next;
		close(at);
		at = next;
		name = slash + 1;
	}
	if (slash)
		*slash = '\0';
	*ret_base = name;
	return steal_fd(at);
}

static int copy_out(struct unpacker *unpacker, const char *name, int fd)
{
	for (;;) {
		la_ssize_t got = unpacker->library.archive_read_data(unpacker->archive,
								     unpacker->chunk, CHUNK);
		int rc;

		if (got == 0)
			return 0;
		if (got < 0)
			return damaged(unpacker);
		if ((uint64_t)got > unpacker->left.most_bytes)
			return refuse(unpacker, -EFBIG, name,
				      "unpacks to more than the size limit");
		unpacker->left.most_bytes -= (uint64_t)got;
		rc = file_write(fd, unpacker->chunk, (size_t)got);
		if (rc < 0)
			return refuse(unpacker, rc, name, strerror(-rc));
	}
}

static int unpack_file(struct unpacker *unpacker, struct archive_entry *entry, const char *name,
		       int parent, const char *base)
{
	const struct timespec times[2] = {
		{ .tv_nsec = UTIME_OMIT },
		{ .tv_sec = unpacker->library.archive_entry_mtime(entry),
		  .tv_nsec = unpacker->library.archive_entry_mtime_nsec(entry) },
	};
	_cleanup_close_ int fd =
		openat(parent, base, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int rc;

	if (fd < 0)
		return refuse(unpacker, -EPERM, name,
			      errno == EEXIST ? "duplicate name" : strerror(errno));
	rc = copy_out(unpacker, name, fd);
	if (rc == 0)
		futimens(fd, times);
	return rc;
}

static int unpack_member(struct unpacker *unpacker, struct archive_entry *entry)
{
	const struct libarchive *library = &unpacker->library;
	const char *name = library->archive_entry_pathname(entry);
	_cleanup_free_ char *copy_of_name = NULL;
	_cleanup_close_ int parent = -1;
	bool is_folder = library->archive_entry_filetype(entry) == AE_IFDIR;
	char *base;

	if (!name || !is_safe_name(name))
		return refuse(unpacker, -EPERM, name ? name : "?",
			      "not a relative path inside the archive");
	if (library->archive_entry_hardlink(entry) ||
	    (!is_folder && library->archive_entry_filetype(entry) != AE_IFREG))
		return refuse(unpacker, -EPERM, name, "neither a file nor a folder");
	copy_of_name = base = xstrdup(name);
	parent = open_parent(unpacker, copy_of_name, &base);
	if (parent < 0)
		return refuse(unpacker, -EPERM, name, strerror(-parent));
	if (!is_folder)
		return unpack_file(unpacker, entry, name, parent, base);
	if (mkdirat(parent, base, 0700) < 0 && errno != EEXIST)
		return refuse(unpacker, -EPERM, name, strerror(errno));
	return 0;
}

static int unpack(struct unpacker *unpacker)
{
	struct archive_entry *entry;
	int rc = 0, step;

	while (rc == 0) {
		step = unpacker->library.archive_read_next_header(unpacker->archive, &entry);
		if (step == ARCHIVE_EOF)
			return 0;
		if (step < ARCHIVE_WARN)
			return damaged(unpacker);
		if (!unpacker->left.most_members--)
			return err_set(unpacker->err, -EFBIG, "the archive has too many members");
		rc = unpack_member(unpacker, entry);
	}
	return rc;
}

static int open_archive(struct unpacker *unpacker, int fd)
{
	const struct libarchive *library = &unpacker->library;

	unpacker->archive = library->archive_read_new();
	if (!unpacker->archive)
		return err_set(unpacker->err, -ENOMEM, "cannot read the archive: out of memory");
	if (library->archive_read_support_filter_zstd(unpacker->archive) != ARCHIVE_OK)
		return err_set(unpacker->err, -ENOTSUP,
			       "the installed libarchive has no zstd support");
	if (library->archive_read_support_format_tar(unpacker->archive) < ARCHIVE_WARN ||
	    library->archive_read_open_fd(unpacker->archive, fd, CHUNK) < ARCHIVE_WARN)
		return damaged(unpacker);
	return 0;
}

int tar_unpack(int fd, int folder, const struct tar_limits *limits, struct err *err)
{
	struct unpacker unpacker = { .folder = folder, .left = *limits, .err = err };
	int rc = load(&unpacker.library, err);

	if (rc < 0)
		return rc;
	unpacker.chunk = xmalloc(CHUNK);
	rc = open_archive(&unpacker, fd);
	if (rc == 0)
		rc = unpack(&unpacker);
	if (unpacker.archive)
		unpacker.library.archive_read_free(unpacker.archive);
	free(unpacker.chunk);
	return rc;
}

/* ---- writing ---- */

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
	int rc = load(&writer->library, err);

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

static int copy_in(struct tar_writer *writer, const char *name, int fd, int64_t size,
		   struct err *err)
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
	return rc < 0 ? rc : copy_in(writer, name, fd, st.st_size, err);
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
