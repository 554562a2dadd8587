/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proc/container_names.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"

enum {
	ID_DIGITS = 64,
	FILE_BYTES = 4 << 20, /* of one file of an engine */
	MOST_FILES = 10000,
};

struct search {
	struct who_word *word;
	int unreadable;
	struct err *err;
};

static void take_id(struct search *search, const char *id)
{
	if (strspn(id, "0123456789abcdef") >= ID_DIGITS)
		snprintf(search->word->id, sizeof(search->word->id), "%.*s", ID_DIGITS, id);
}

/* The id in the path of a file: the last component but one. */
static void take_id_of_path(struct search *search, const char *path, const char *text)
{
	const char *end = strrchr(path, '/'), *id = end;

	while (id > path && id[-1] != '/')
		id--;
	(void)text;
	take_id(search, id);
}

/* "Name":"/web" of docker. */
static void look_in_docker(struct search *search, const char *path, const char *text)
{
	_cleanup_free_ char *wanted = xasprintf("\"Name\":\"/%s\"", search->word->text);

	if (strstr(text, wanted))
		take_id_of_path(search, path, text);
}

/* [{"id":"...","names":["web"],...},...] of podman. */
static void look_in_podman(struct search *search, const char *path, const char *text)
{
	_cleanup_free_ char *wanted = xasprintf("\"%s\"", search->word->text);
	static const char id[] = "\"id\":\"", names[] = "\"names\":[";

	for (const char *at = text; (at = strstr(at, id)); at += strlen(id)) {
		const char *listed = strstr(at, names);
		const char *end = listed ? strchr(listed, ']') : NULL;
		const char *found = listed ? strstr(listed, wanted) : NULL;
		const char *next = strstr(at + 1, id);

		if (found && found < end && (!next || found < next))
			take_id(search, at + strlen(id));
	}
	(void)path;
}

/* The file has the name of the container, and its id as content. */
static void look_in_nerdctl(struct search *search, const char *path, const char *text)
{
	if (strcmp(strrchr(path, '/') + 1, search->word->text) == 0)
		take_id(search, text);
}

/* Annotations of a pod's container. */
static void look_in_cri(struct search *search, const char *path, const char *text)
{
	_cleanup_free_ char *wanted =
		xasprintf("\"io.kubernetes.cri.container-name\":\"%s\"", search->word->text);

	if (strstr(text, wanted))
		take_id_of_path(search, path, text);
}

static const struct {
	const char *pattern; /* of files; after the root, or where @of_home after the home folder */
	bool of_home;
	void (*look)(struct search *search, const char *path, const char *text);
} engines[] = {
	{ "/var/lib/docker/containers/*/config.v2.json", false, look_in_docker },
	{ "/var/lib/containers/storage/overlay-containers/containers.json", false, look_in_podman },
	{ "/.local/share/containers/storage/overlay-containers/containers.json", true,
	  look_in_podman },
	{ "/var/lib/nerdctl/*/names/*/*", false, look_in_nerdctl },
	{ "/run/containerd/io.containerd.runtime.v2.task/*/*/config.json", false, look_in_cri },
};

static void note_unreadable(struct search *search, const char *path, int code)
{
	search->unreadable++;
	err_set(search->err, -code,
		"%s: %s; names of containers are not known: give the id, as the engine's 'ps' "
		"shows "
		"it",
		path, strerror(code));
}

static void look_in_file(struct search *search, size_t engine, const char *path)
{
	struct buf text = { 0 };
	int rc = file_read(path, FILE_BYTES, &text);

	if (rc == -EACCES || rc == -EPERM)
		note_unreadable(search, path, -rc);
	else if (rc == 0 && !search->word->id[0])
		engines[engine].look(search, path, buf_text(&text));
	buf_done(&text);
}

/* glob(3) has no context for its errors. A folder that may not be listed hides what is in it. */
static void look_for_folder(struct search *search, const char *pattern)
{
	_cleanup_free_ char *folder = xstrndup(pattern, strcspn(pattern, "*"));
	_cleanup_closedir_ DIR *dir = strchr(pattern, '*') ? opendir(folder) : NULL;

	if (!dir && strchr(pattern, '*') && errno == EACCES)
		note_unreadable(search, folder, EACCES);
}

static void look_in_engine(struct search *search, size_t engine, const char *pattern)
{
	glob_t found = { 0 };

	look_for_folder(search, pattern);
	if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc && i < MOST_FILES; i++)
			look_in_file(search, engine, found.gl_pathv[i]);
	}
	globfree(&found);
}

static int find_one(struct who_word *word, const char *root, const char *home, struct err *err)
{
	struct search search = { .word = word, .err = err };

	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
		_cleanup_free_ char *pattern = xasprintf(
			"%s%s%s", root, engines[i].of_home ? home : "", engines[i].pattern);

		look_in_engine(&search, i, pattern);
	}
	return word->id[0] ? 0 : search.unreadable;
}

int container_names_find(struct who *who, const char *root, const char *home, struct err *err)
{
	int unreadable = 0;

	for (size_t i = 0; i < who->words.count; i++) {
		if (who->words.items[i].kind == WHO_CONTAINER)
			unreadable += find_one(&who->words.items[i], root, home, err);
	}
	return unreadable;
}
