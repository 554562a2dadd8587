/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "archive/tar_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/libarchive.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"

enum {
	CHUNK = 256 << 10,
	NAME_SHOWN = 200, /* bytes of a member's name in a message */
};

struct unpacker {
	struct libarchive library;
	struct archive *archive;
	int folder;
	struct tar_limits left;
	char *chunk;
	struct err *err;
};

bool tar_reader_knows(int fd)
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

		if (!length || length > NAME_MAX || ++depth > TAR_READER_MOST_DEPTH)
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

static int copy(struct unpacker *unpacker, const char *name, int fd)
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
	rc = copy(unpacker, name, fd);
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

int tar_reader_unpack(int fd, int folder, const struct tar_limits *limits, struct err *err)
{
	struct unpacker unpacker = { .folder = folder, .left = *limits, .err = err };
	int rc = libarchive_load(&unpacker.library, err);

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
