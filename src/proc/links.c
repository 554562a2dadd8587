/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proc/links.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "foreign/door.h"

struct link_search {
	const struct link_end *end;
	const char *name;
	bool is_cut;
	char *found; /* owned; NULL: nothing yet */
	bool several;
};

static bool leads_to(const struct link_end *end, const char *folder, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", folder, name);
	struct stat st;
	int rc = end->pid ? door_stat_of(end->foreign, end->pid, path, &st)
			  : door_stat(end->foreign, path, &st);

	return rc == 0 && st.st_dev == end->dev && st.st_ino == end->inode;
}

static void consider(struct link_search *search, const char *folder, const char *name)
{
	if ((search->found && strcmp(search->found, name) == 0) ||
	    !leads_to(search->end, folder, name))
		return;
	search->several = search->found != NULL;
	if (!search->found)
		search->found = xstrdup(name);
}

static void scan(struct link_search *search, const char *folder)
{
	const struct link_end *end = search->end;
	_cleanup_close_ int place =
		end->pid ? door_open_folder_of(end->foreign, end->pid, folder, search->name)
			 : door_open_folder(end->foreign, folder);
	int own = place >= 0 ? openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	_cleanup_closedir_ DIR *list = own >= 0 ? fdopendir(own) : NULL;
	const struct dirent *entry;

	while (list && !search->several && (entry = readdir(list))) {
		if (strncmp(entry->d_name, search->name, strlen(search->name)) == 0)
			consider(search, folder, entry->d_name);
	}
}

static void look_in(struct link_search *search, const char *folder)
{
	if (search->several)
		return;
	if (search->is_cut)
		scan(search, folder);
	else
		consider(search, folder, search->name);
}

static void look_beside(struct link_search *search, const char *path)
{
	_cleanup_free_ char *folder = xstrdup(path);
	char *slash = strrchr(folder, '/');

	if (*folder != '/')
		return;
	slash[slash == folder] = '\0';
	look_in(search, folder);
}

char *links_find(const struct link_end *end, const char *const *paths, const char *name,
		 bool is_cut)
{
	struct link_search search = { .end = end, .name = name, .is_cut = is_cut };
	const char *path = getenv("PATH");
	_cleanup_free_ char *folders = xstrdup(path ? path : "");
	char *rest = folders;
	const char *folder;

	if (!*name || strchr(name, '/'))
		return NULL;
	for (; *paths; paths++)
		look_beside(&search, *paths);
	while ((folder = strsep(&rest, ":"))) {
		if (*folder == '/')
			look_in(&search, folder);
	}
	if (search.several)
		free(search.found);
	return search.several ? NULL : search.found;
}
