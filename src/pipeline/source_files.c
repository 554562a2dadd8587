/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pipeline/source_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "base/xalloc.h"

enum { MAX_BYTES = 64 << 20 }; /* of one file */

struct source_file {
	char *path;
	struct buf text; /* lines end with a NUL */
	VEC(size_t) lines;
	int64_t mtime_ns;
};

struct source_files {
	const char *const *paths;
	size_t path_count;
	struct strpool names;
	VEC(struct source_file *) files; /* by name; NULL: not asked for, or not there */
	VEC(bool) asked;
};

struct source_files *source_files_new(const char *const *paths, size_t count)
{
	struct source_files *files = xcalloc(1, sizeof(*files));

	files->paths = paths;
	files->path_count = count;
	return files;
}

static void free_file(struct source_file *file)
{
	if (!file)
		return;
	free(file->path);
	buf_done(&file->text);
	vec_free(&file->lines);
	free(file);
}

void source_files_free(struct source_files *files)
{
	if (!files)
		return;
	for (size_t i = 0; i < files->files.count; i++)
		free_file(files->files.items[i]);
	vec_free(&files->files);
	vec_free(&files->asked);
	strpool_done(&files->names);
	free(files);
}

int source_files_check(const char *path, struct err *err)
{
	const char *equals = strchr(path, '=');

	if (!*path || equals == path || (equals && !equals[1]))
		return err_set(err, -EINVAL, "--source-path '%s' is neither FROM=TO nor a folder",
			       path);
	return 0;
}

/* ---- finding ---- */

/* Names come out of files anybody may have made: only a regular file is opened. */
static int open_regular(const char *path, struct stat *st)
{
	int fd;

	if (stat(path, st) < 0 || !S_ISREG(st->st_mode) || st->st_size > MAX_BYTES)
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && (fstat(fd, st) < 0 || !S_ISREG(st->st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* NULL, or the path (the caller's) that opened as *ret_fd. */
static char *try_path(char *path, int *ret_fd, struct stat *st)
{
	*ret_fd = open_regular(path, st);
	if (*ret_fd >= 0)
		return path;
	free(path);
	return NULL;
}

static char *try_replaced(const char *rule, const char *equals, const char *name, int *ret_fd,
			  struct stat *st)
{
	size_t from = (size_t)(equals - rule);

	/* whole folders only */
	if (strncmp(name, rule, from) != 0 || (rule[from - 1] != '/' && name[from] != '/'))
		return NULL;
	return try_path(xasprintf("%s%s%s", equals + 1, name[from] == '/' ? "" : "/", name + from),
			ret_fd, st);
}

static char *try_folder(const char *folder, const char *name, int *ret_fd, struct stat *st)
{
	while (name && *name) {
		char *path;

		while (*name == '/')
			name++;
		path = try_path(xasprintf("%s/%s", folder, name), ret_fd, st);
		if (path)
			return path;
		name = strchr(name, '/');
	}
	return NULL;
}

static char *find(const struct source_files *files, const char *name, int *ret_fd, struct stat *st)
{
	char *path = NULL;

	for (size_t i = 0; !path && i < files->path_count; i++) {
		const char *rule = files->paths[i], *equals = strchr(rule, '=');

		if (equals)
			path = try_replaced(rule, equals, name, ret_fd, st);
		else
			path = try_folder(rule, name, ret_fd, st);
	}
	return path ? path : try_path(xstrdup(name), ret_fd, st);
}

/* ---- reading ---- */

static int read_all(int fd, struct buf *text)
{
	char chunk[65536];
	ssize_t got;

	while ((got = read(fd, chunk, sizeof(chunk))) > 0 && text->size <= MAX_BYTES)
		buf_add(text, chunk, (size_t)got);
	return got == 0 ? 0 : -EIO;
}

static void find_lines(struct source_file *file)
{
	size_t begin = 0;

	for (size_t i = 0; i < file->text.size; i++) {
		if (file->text.bytes[i] != '\n')
			continue;
		file->text.bytes[i] = '\0';
		if (i > begin && file->text.bytes[i - 1] == '\r')
			file->text.bytes[i - 1] = '\0';
		*vec_push(&file->lines) = begin;
		begin = i + 1;
	}
	if (begin < file->text.size)
		*vec_push(&file->lines) = begin;
}

static struct source_file *read_file(const struct source_files *files, const char *name)
{
	_cleanup_close_ int fd = -1;
	struct source_file *file;
	struct stat st;
	char *path = *name ? find(files, name, &fd, &st) : NULL;

	if (!path)
		return NULL;
	file = xcalloc(1, sizeof(*file));
	file->path = path;
	file->mtime_ns = (int64_t)st.st_mtim.tv_sec * (int64_t)NS_PER_S + st.st_mtim.tv_nsec;
	if (read_all(fd, &file->text) < 0) {
		free_file(file);
		return NULL;
	}
	find_lines(file);
	return file;
}

const struct source_file *source_files_get(struct source_files *files, const char *name)
{
	str_id id = strpool_intern(&files->names, name);

	while (files->files.count <= id) {
		*vec_push(&files->files) = NULL;
		*vec_push(&files->asked) = false;
	}
	if (!files->asked.items[id]) {
		files->asked.items[id] = true;
		files->files.items[id] = read_file(files, name);
	}
	return files->files.items[id];
}

size_t source_file_lines(const struct source_file *file)
{
	return file->lines.count;
}

const char *source_file_line(const struct source_file *file, size_t line)
{
	if (line == 0 || line > file->lines.count)
		return "";
	return file->text.bytes + file->lines.items[line - 1];
}

const char *source_file_path(const struct source_file *file)
{
	return file->path;
}

int64_t source_file_mtime_ns(const struct source_file *file)
{
	return file->mtime_ns;
}
