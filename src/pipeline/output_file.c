/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pipeline/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "pipeline/owner.h"

enum { MODE = 0644 }; /* less the umask */

struct output_file {
	char *path;	 /* links followed; owned */
	char *temporary; /* owned; NULL: written to directly, or in place already */
	FILE *stream;
	struct owner owner;
};

static int failed(const struct output_file *file, int error, struct err *err)
{
	return err_set(err, -error, "cannot write %s: %s", file->path, strerror(error));
}

/* Makes or opens what is written to. Returns the descriptor or -errno. */
static int open_place(struct output_file *file, struct err *err)
{
	struct stat stat;
	bool there = lstat(file->path, &stat) == 0;
	int fd;

	if (there && S_ISDIR(stat.st_mode))
		return failed(file, EISDIR, err);
	if (there && !S_ISREG(stat.st_mode)) {
		fd = open(file->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		return fd < 0 ? failed(file, errno, err) : fd;
	}
	file->temporary = xasprintf("%s.XXXXXX", file->path);
	fd = mkostemp(file->temporary, O_CLOEXEC);
	if (fd < 0) {
		free(steal_ptr(file->temporary));
		return failed(file, errno, err);
	}
	return fd;
}

static char *follow_links(const char *path)
{
	char *resolved = realpath(path, NULL);

	return resolved ? resolved : xstrdup(path);
}

int output_file_open(const char *path, struct output_file **ret_file, struct err *err)
{
	_cleanup_(output_file_freep) struct output_file *file = xcalloc(1, sizeof(*file));
	int fd;

	owner_find(&file->owner);
	owner_begin(&file->owner);
	file->path = follow_links(path);
	fd = open_place(file, err);
	owner_end(&file->owner);
	if (fd < 0)
		return fd;
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
	free(file->temporary);
	free(file->path);
	free(file);
}

FILE *output_file_stream(struct output_file *file)
{
	return file->stream;
}

static mode_t mode_of_new_files(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return MODE & ~mask;
}

/* The stream is closed in any case. Returns 0 or the positive errno of what did not arrive. */
static int close_stream(struct output_file *file)
{
	FILE *stream = steal_ptr(file->stream);
	int broken = ferror(stream);

	errno = 0;
	if (fclose(stream) != 0)
		return errno ? errno : EIO;
	return broken ? EIO : 0;
}

static int move_into_place(struct output_file *file)
{
	int error = 0;

	owner_begin(&file->owner);
	if (chmod(file->temporary, mode_of_new_files()) < 0 ||
	    rename(file->temporary, file->path) < 0)
		error = errno;
	owner_end(&file->owner);
	if (!error)
		free(steal_ptr(file->temporary));
	return error;
}

int output_file_commit(struct output_file *file, struct err *err)
{
	int error = close_stream(file);

	if (!error && file->temporary)
		error = move_into_place(file);
	return error ? failed(file, error, err) : 0;
}

int output_file_check(const char *path, struct err *err)
{
	_cleanup_(output_file_freep) struct output_file *file = NULL;

	return output_file_open(path, &file, err);
}
