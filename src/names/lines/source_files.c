/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/lines/source_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "base/xalloc.h"

enum { MAX_BYTES = 64 << 20 }; /* of one file */

struct source_file {
	struct source_bytes bytes; /* lines end with a NUL */
	VEC(size_t) lines;
};

/* The result for a name. */
struct asked_source {
	bool asked;
	struct readers readers;	  /* the last ones that asked, */
	struct err why;		  /* why they may not see it; "": they may */
	bool refused;		  /* there is such a file */
	struct source_file *file; /* NULL: no reader may see it so far */
};

struct source_files {
	const char *const *paths;
	size_t path_count;
	const char *unpacked; /* NULL: none */
	struct strpool names;
	VEC(struct asked_source) answers; /* by name */
};

struct source_files *source_files_new(const char *const *paths, size_t count, const char *unpacked)
{
	struct source_files *files = xcalloc(1, sizeof(*files));

	files->paths = paths;
	files->path_count = count;
	files->unpacked = unpacked;
	return files;
}

static void free_file(struct source_file *file)
{
	if (!file)
		return;
	source_bytes_done(&file->bytes);
	vec_free(&file->lines);
	free(file);
}

void source_files_free(struct source_files *files)
{
	if (!files)
		return;
	for (size_t i = 0; i < files->answers.count; i++)
		free_file(files->answers.items[i].file);
	vec_free(&files->answers);
	strpool_done(&files->names);
	free(files);
}

int source_files_check(const char *path, struct err *err)
{
	const char *equals = strchr(path, '=');

	if (!*path || equals == path || (equals && !equals[1]))
		return err_set(err, -EINVAL,
			       "invalid --source-path '%s': expected FROM=TO or a folder", path);
	return 0;
}

/* ---- finding ---- */

/* One search: for a name, with the rights of its readers. */
struct source_search {
	const struct source_files *files;
	const struct readers *readers;
	const char *name;
	int fd; /* -1: not found yet */
	char *path;
	struct err *err; /* why not; a refused file outranks a missing one */
	int rc;
};

/* Takes over @path, the full path of @name below the root. */
static bool try_below(struct source_search *search, const struct door_root *root, const char *name,
		      char *path)
{
	struct err why;
	int fd = door_open(search->readers, root, name, &why);

	if (fd >= 0) {
		search->fd = fd;
		search->path = path;
		return true;
	}
	free(path);
	if (search->rc == 0 || search->rc == -ENOENT) {
		search->rc = fd == -ENOTDIR ? -ENOENT : fd;
		err_set(search->err, search->rc, "%s", why.text);
	}
	return false;
}

static bool try_replaced(struct source_search *search, const char *rule, const char *equals)
{
	size_t from = (size_t)(equals - rule);
	const char *name = search->name;
	const struct door_root root = { .path = equals + 1 };

	/* whole folders only */
	if (strncmp(name, rule, from) != 0 || (rule[from - 1] != '/' && name[from] != '/'))
		return false;
	return try_below(
		search, &root, name + from,
		xasprintf("%s%s%s", equals + 1, name[from] == '/' ? "" : "/", name + from));
}

static bool try_folder(struct source_search *search, const struct door_root *root)
{
	const char *name = search->name;

	while (name && *name) {
		name += strspn(name, "/");
		if (try_below(search, root, name, xasprintf("%s/%s", root->path, name)))
			return true;
		name = strchr(name, '/');
	}
	return false;
}

static bool find(struct source_search *search)
{
	const struct source_files *files = search->files;
	const struct door_root sealed = { .path = files->unpacked, .sealed = true };

	for (size_t i = 0; i < files->path_count; i++) {
		const char *rule = files->paths[i], *equals = strchr(rule, '=');
		const struct door_root folder = { .path = rule };

		if (equals ? try_replaced(search, rule, equals) : try_folder(search, &folder))
			return true;
	}
	return (sealed.path && try_folder(search, &sealed)) ||
	       try_below(search, NULL, search->name, xstrdup(search->name));
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

int source_files_read(const struct source_files *files, const struct readers *readers,
		      const char *name, struct source_bytes *ret_bytes, struct err *err)
{
	struct source_search search = {
		.files = files, .readers = readers, .name = name, .fd = -1, .err = err
	};
	_cleanup_close_ int fd = find(&search) ? search.fd : -1;
	struct source_bytes bytes = { .path = search.path };
	struct stat st;

	if (fd < 0)
		return search.rc;
	if (fstat(fd, &st) < 0 || st.st_size > MAX_BYTES || read_all(fd, &bytes.text) < 0) {
		source_bytes_done(&bytes);
		return err_set(err, -EFBIG, "it is larger than %d MiB or cannot be read",
			       MAX_BYTES >> 20);
	}
	bytes.mtime_ns = (int64_t)st.st_mtim.tv_sec * (int64_t)NS_PER_S + st.st_mtim.tv_nsec;
	*ret_bytes = bytes;
	return 0;
}

void source_bytes_done(struct source_bytes *bytes)
{
	free(bytes->path);
	buf_done(&bytes->text);
	*bytes = (struct source_bytes){ 0 };
}

static void find_lines(struct source_file *file)
{
	struct buf *text = &file->bytes.text;
	size_t begin = 0;

	for (size_t i = 0; i < text->size; i++) {
		if (text->bytes[i] != '\n')
			continue;
		text->bytes[i] = '\0';
		if (i > begin && text->bytes[i - 1] == '\r')
			text->bytes[i - 1] = '\0';
		*vec_push(&file->lines) = begin;
		begin = i + 1;
	}
	if (begin < text->size)
		*vec_push(&file->lines) = begin;
}

/* The file is read for the first readers who may see it. For others only their permission is
 * checked, since files of many owners share names. */
static void ask(const struct source_files *files, const struct readers *readers, const char *name,
		struct asked_source *answer)
{
	struct source_bytes bytes = { 0 };
	int rc = source_files_read(files, readers, name, &bytes, &answer->why);

	answer->asked = true;
	answer->refused = rc < 0 && rc != -ENOENT;
	answer->readers = *readers;
	if (rc < 0)
		return;
	answer->why.text[0] = '\0';
	if (answer->file) {
		source_bytes_done(&bytes);
		return;
	}
	answer->file = xcalloc(1, sizeof(*answer->file));
	answer->file->bytes = bytes;
	find_lines(answer->file);
}

static struct asked_source *answer_of(struct source_files *files, const struct readers *readers,
				      const char *name)
{
	str_id id = strpool_intern(&files->names, name);
	struct asked_source *answer;

	while (files->answers.count <= id)
		*vec_push(&files->answers) = (struct asked_source){ 0 };
	answer = &files->answers.items[id];
	if (!answer->asked || !readers_equal(&answer->readers, readers))
		ask(files, readers, name, answer);
	return answer;
}

const struct source_file *source_files_get(struct source_files *files,
					   const struct readers *readers, const char *name)
{
	const struct asked_source *answer = *name ? answer_of(files, readers, name) : NULL;

	return answer && !answer->why.text[0] ? answer->file : NULL;
}

const char *source_files_refusal(struct source_files *files, const struct readers *readers,
				 const char *name)
{
	const struct asked_source *answer = *name ? answer_of(files, readers, name) : NULL;

	return answer && answer->refused ? answer->why.text : NULL;
}

size_t source_file_lines(const struct source_file *file)
{
	return file->lines.count;
}

const char *source_file_line(const struct source_file *file, size_t line)
{
	if (line == 0 || line > file->lines.count)
		return "";
	return file->bytes.text.bytes + file->lines.items[line - 1];
}

const char *source_file_path(const struct source_file *file)
{
	return file->bytes.path;
}

int64_t source_file_mtime_ns(const struct source_file *file)
{
	return file->bytes.mtime_ns;
}
