/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/owner.h"
#include "base/xalloc.h"

enum {
	SUFFIX_LENGTH = 9, /* of temporary names: .%08x */
	MODE = 0644,	   /* less the umask */
	MOST_NAMES = 100,  /* tried, of 4,294,967,296 */
};

struct output_file {
	char *path;	 /* with links resolved; owned */
	char *temporary; /* its name, before it is moved; owned; NULL: none, or already moved */
	bool unnamed;	 /* has no name in its folder until it is whole */
	int place;	 /* the existing file that commit writes over from memory; or -1 */
	mode_t mode;	 /* required mode; 0: the old file's, or by the umask */
	FILE *stream;
	struct owner owner;
	bool as_root; /* root writes for the owner, then hands the file over */
};

static int failed(const struct output_file *file, int error, struct err *err)
{
	return err_set(err, -error, "cannot write %s: %s", file->path, strerror(error));
}

static mode_t mode_of_new_files(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return MODE & ~mask;
}

/* Gives the new file the mode and owner of @old, or those of a new file if @old is NULL. */
static int dress(const struct output_file *file, int fd, const struct stat *old)
{
	mode_t mode = file->mode ? file->mode : old ? old->st_mode & 0777 : mode_of_new_files();
	struct stat now;
	uid_t uid = file->owner.uid;
	gid_t gid = file->owner.gid;

	if (fstat(fd, &now) < 0)
		return -errno;
	if (old || !file->as_root) {
		uid = old ? old->st_uid : now.st_uid;
		gid = old ? old->st_gid : now.st_gid;
	}
	if ((uid != now.st_uid || gid != now.st_gid) && fchown(fd, uid, gid) < 0)
		return -errno;
	return fchmod(fd, mode) < 0 ? -errno : 0;
}

/* Creates a file without a name in @path's folder: nothing remains of it however we end, SIGKILL
 * included. -EOPNOTSUPP if the file system has no such files, or we could not name it later. */
static int make_unnamed(const char *path)
{
	_cleanup_free_ char *folder = xstrdup(path);
	const char *name = file_base(path); /* "" if the path ends in a slash */
	int fd;

	if (!*name || strlen(path) + SUFFIX_LENGTH >= PATH_MAX ||
	    strlen(name) + SUFFIX_LENGTH > NAME_MAX || access("/proc/self/fd", X_OK) < 0)
		return -EOPNOTSUPP;
	fd = open(dirname(folder), O_TMPFILE | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR);
	return fd < 0 ? -EOPNOTSUPP : fd;
}

/* As above, but with a name beside @file's own: it remains if we are killed. */
static int make_named(struct output_file *file)
{
	int fd;

	file->temporary = xasprintf("%s.XXXXXX", file->path);
	fd = mkostemp(file->temporary, O_CLOEXEC);
	if (fd >= 0)
		return fd;
	fd = -errno;
	free(steal_ptr(file->temporary));
	return fd;
}

/* Returns the descriptor or -errno. @old: the file to replace, or NULL. */
static int make_temporary(struct output_file *file, const struct stat *old)
{
	_cleanup_close_ int fd = make_unnamed(file->path);
	int rc;

	file->unnamed = fd >= 0;
	if (!file->unnamed)
		fd = make_named(file);
	rc = fd < 0 ? fd : dress(file, fd, old);
	if (rc == 0)
		return steal_fd(fd);
	file->unnamed = false;
	if (file->temporary)
		unlink(file->temporary);
	free(steal_ptr(file->temporary));
	return rc;
}

/* True if another user owns the old file and would see content meant for us alone. */
static bool is_of_another(const struct output_file *file, const struct stat *old)
{
	return file->mode && old->st_uid != file->owner.uid;
}

/* An existing file keeps its names, mode and owner: it is replaced by one like it if that can be
 * created; otherwise the content is gathered in memory and written over it. */
static int open_existing(struct output_file *file)
{
	_cleanup_close_ int place = open(file->path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
	struct stat stat;
	int fd = -1;

	if (place < 0 || fstat(place, &stat) < 0)
		return -errno;
	if (!S_ISREG(stat.st_mode))
		return steal_fd(place);
	if (is_of_another(file, &stat))
		return make_temporary(file, NULL);
	if (stat.st_nlink == 1)
		fd = make_temporary(file, &stat);
	if (fd >= 0)
		return fd;
	if (file->mode && fchmod(place, file->mode) < 0)
		return -errno;
	fd = memfd_create("output", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	file->place = steal_fd(place);
	return fd;
}

/* Creates or opens the file to write to. Returns the descriptor or -errno. */
static int open_place(struct output_file *file)
{
	struct stat stat;

	if (!*file->path)
		return -ENOENT;
	if (lstat(file->path, &stat) < 0)
		return make_temporary(file, NULL);
	if (S_ISDIR(stat.st_mode))
		return -EISDIR;
	if (file->as_root && !S_ISREG(stat.st_mode))
		return -EACCES; /* a slip must not make root write to a disk */
	if (S_ISLNK(stat.st_mode))
		return -ENOENT; /* a dangling link */
	return open_existing(file);
}

/* A link such as /dev/stdout may lead to something without a name: a pipe. Returns the descriptor
 * or -errno. */
static int open_nameless(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);

	return fd < 0 ? -errno : fd;
}

/* True if @path exists but realpath finds no name for it. A regular file without a name was
 * removed. */
static bool is_nameless(const char *path)
{
	struct stat there;

	return stat(path, &there) == 0 && !S_ISREG(there.st_mode);
}

/* Opens as the owner, whose links may be followed. */
static int open_as_owner(struct output_file *file, const char *path)
{
	int fd;

	owner_begin(&file->owner);
	file->path = realpath(path, NULL);
	fd = file->path ? 0 : -errno;
	if (!file->path)
		file->path = xstrdup(path);
	if (fd == -ENOENT && is_nameless(path))
		fd = open_nameless(path);
	else if (fd == 0 || fd == -ENOENT)
		fd = open_place(file);
	owner_end(&file->owner);
	return fd;
}

/* For paths that root but not the owner may write: safe only if no user can change what the name
 * means meanwhile, and only by the name that was typed, because a user's link may lead to such a
 * path. */
static int open_as_root(struct output_file *file, const char *path)
{
	free(file->path);
	file->path = xstrdup(path);
	file->as_root = true;
	file->owner.other = false; /* from here on root writes it */
	return open_place(file);
}

/* Returns the descriptor or -errno. */
static int open_stdout(struct output_file *file)
{
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	file->path = xstrdup("standard output");
	return fd < 0 ? -errno : fd;
}

static int open_file(struct output_file *file, const char *path)
{
	int fd;

	owner_find(&file->owner);
	fd = open_as_owner(file, path);
	if (fd == -EACCES && file->owner.other && owner_root_alone(path))
		fd = open_as_root(file, path);
	return fd;
}

bool output_file_is_stdout(const char *path)
{
	return strcmp(path, "-") == 0;
}

bool output_file_meets_stdout(const char *path)
{
	struct stat there, here;

	if (output_file_is_stdout(path))
		return true;
	if (stat(path, &there) < 0 || fstat(STDOUT_FILENO, &here) < 0)
		return false;
	if (there.st_dev != here.st_dev || there.st_ino != here.st_ino)
		return false;
	return !S_ISCHR(here.st_mode) || isatty(STDOUT_FILENO);
}

bool output_file_is_terminal(const char *path)
{
	_cleanup_close_ int fd = -1;
	struct owner owner;
	struct stat there;

	if (output_file_is_stdout(path))
		return isatty(STDOUT_FILENO);
	if (stat(path, &there) < 0 || !S_ISCHR(there.st_mode))
		return false;
	owner_find(&owner);
	owner_begin(&owner);
	fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	owner_end(&owner);
	return fd >= 0 && isatty(fd);
}

int output_file_open(const char *path, struct output_file **ret_file, struct err *err)
{
	return output_file_open_mode(path, 0, ret_file, err);
}

int output_file_open_mode(const char *path, mode_t mode, struct output_file **ret_file,
			  struct err *err)
{
	_cleanup_(output_file_freep) struct output_file *file = xcalloc(1, sizeof(*file));
	int fd;

	file->place = -1;
	file->mode = mode;
	fd = output_file_is_stdout(path) ? open_stdout(file) : open_file(file, path);
	if (fd < 0)
		return failed(file, -fd, err);
	file->stream = fdopen(fd, "w");
	if (!file->stream) {
		close(fd);
		return failed(file, ENOMEM, err);
	}
	*ret_file = steal_ptr(file);
	return 0;
}

void output_file_free(struct output_file *file)
{
	if (!file)
		return;
	if (file->stream)
		fclose(file->stream);
	if (file->temporary) {
		owner_begin(&file->owner);
		unlink(file->temporary);
		owner_end(&file->owner);
	}
	cleanup_closep(&file->place);
	free(file->temporary);
	free(file->path);
	free(file);
}

FILE *output_file_stream(struct output_file *file)
{
	return file->stream;
}

bool output_file_replaces(const struct output_file *file)
{
	return file->unnamed || file->temporary;
}

/* Overwrites @to with the content of @from. Returns 0 or a positive errno. If the file system can
 * tell, a lack of space is found before anything changes. */
static int write_over(int from, int to)
{
	off_t at = 0, size = lseek(from, 0, SEEK_END);

	if (size < 0)
		return errno;
	if (size && fallocate(to, FALLOC_FL_KEEP_SIZE, 0, size) < 0 &&
	    (errno == ENOSPC || errno == EDQUOT))
		return errno;
	while (at < size) {
		ssize_t count = sendfile(to, from, &at, (size_t)(size - at));

		if (count <= 0)
			return count < 0 ? errno : EIO;
	}
	return ftruncate(to, size) < 0 ? errno : 0;
}

/* Closes the stream in any case. Returns 0 or the positive errno of the data that did not
 * arrive. */
static int close_stream(struct output_file *file)
{
	_cleanup_close_ int memory = -1;
	FILE *stream = steal_ptr(file->stream);
	int error = -file_flush(stream);

	if (file->place >= 0)
		memory = dup(fileno(stream));
	errno = 0;
	if (fclose(stream) != 0 && !error)
		error = errno ? errno : EIO;
	if (error == EPIPE && !file->temporary && !file->unnamed && file->place < 0)
		return 0;
	if (error)
		return error;
	return file->place >= 0 ? write_over(memory, file->place) : 0;
}

/* Gives the unnamed file a name beside @file's own, because linkat cannot replace an existing file.
 * Returns 0 or the positive errno. */
static int give_name(struct output_file *file, int unnamed)
{
	_cleanup_free_ char *from = xasprintf("/proc/self/fd/%d", unnamed);

	for (int i = 0; i < MOST_NAMES; i++) {
		uint32_t number;
		int error;

		if (getrandom(&number, sizeof(number), 0) < 0)
			return errno;
		file->temporary = xasprintf("%s.%08x", file->path, number);
		if (linkat(AT_FDCWD, from, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW) == 0)
			return 0;
		error = errno;
		free(steal_ptr(file->temporary));
		if (error != EEXIST)
			return error;
	}
	return EEXIST;
}

/* @unnamed: the descriptor of a file that has no name yet. Returns 0 or the positive errno. */
static int move_into_place(struct output_file *file, int unnamed)
{
	int error;

	owner_begin(&file->owner);
	error = file->unnamed ? give_name(file, unnamed) : 0;
	if (!error)
		error = rename(file->temporary, file->path) < 0 ? errno : 0;
	owner_end(&file->owner);
	if (!error)
		free(steal_ptr(file->temporary));
	return error;
}

int output_file_commit(struct output_file *file, struct err *err)
{
	_cleanup_close_ int unnamed = file->unnamed ? dup(fileno(file->stream)) : -1;
	int error = file->unnamed && unnamed < 0 ? errno : 0;

	if (!error)
		error = close_stream(file);
	if (!error && (file->temporary || file->unnamed))
		error = move_into_place(file, unnamed);
	return error ? failed(file, error, err) : 0;
}
