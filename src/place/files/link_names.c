/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/files/link_names.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "foreign/door.h"

/* The kernel truncates comm to this many characters. */
enum { COMM_CUT = 15 };

struct link_answer {
	str_id comm;
	dev_t dev;
	ino_t inode;
	bool is_link;
};

/* The wanted file. */
struct link_end {
	struct foreign *foreign;
	dev_t dev;
	ino_t inode;
};

static bool leads_to(const struct link_end *end, const char *folder, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", folder, name);
	struct stat st;

	return door_stat(end->foreign, path, &st) == 0 && st.st_dev == end->dev &&
	       st.st_ino == end->inode;
}

static bool scan(const struct link_end *end, const char *folder, const char *prefix)
{
	_cleanup_close_ int place = door_open_folder(end->foreign, folder);
	int own = place >= 0 ? openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	_cleanup_closedir_ DIR *list = own >= 0 ? fdopendir(own) : NULL;
	const struct dirent *entry;

	while (list && (entry = readdir(list))) {
		if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0 &&
		    leads_to(end, folder, entry->d_name))
			return true;
	}
	return false;
}

static bool is_in(const struct link_end *end, const char *folder, const char *comm)
{
	if (!*comm || strchr(comm, '/'))
		return false;
	return leads_to(end, folder, comm) || (strlen(comm) >= COMM_CUT && scan(end, folder, comm));
}

/* @path: value of PATH; NULL: not set. */
static bool find(const struct link_end *end, const char *file, const char *path, const char *comm)
{
	_cleanup_free_ char *folders = strdup(path ? path : "");
	_cleanup_free_ char *own = strdup(file);
	char *slash = own ? strrchr(own, '/') : NULL;
	char *rest = folders;
	const char *folder;

	if (slash) {
		slash[slash == own] = '\0';
		if (is_in(end, own, comm))
			return true;
	}
	while (rest && (folder = strsep(&rest, ":"))) {
		if (*folder == '/' && is_in(end, folder, comm))
			return true;
	}
	return false;
}

static bool answer_equal(const void *owner, uint32_t id, const void *wanted)
{
	const struct link_answer *a = &((const struct link_names *)owner)->answers.items[id];
	const struct link_answer *b = wanted;

	return a->comm == b->comm && a->dev == b->dev && a->inode == b->inode;
}

bool link_names_ask(struct link_names *names, struct foreign *foreign, const char *file,
		    const char *comm, dev_t dev, ino_t inode)
{
	struct link_answer answer = { .comm = strpool_intern(&names->comms, comm),
				      .dev = dev,
				      .inode = inode };
	const struct link_end end = { foreign, dev, inode };
	uint64_t hash = hash_combine(hash_combine(hash_u64(answer.comm), dev), inode);
	uint32_t id;

	if (hashidx_find(&names->index, hash, answer_equal, names, &answer, &id))
		return names->answers.items[id].is_link;
	answer.is_link = find(&end, file, getenv("PATH"), comm);
	id = (uint32_t)names->answers.count;
	*vec_push(&names->answers) = answer;
	hashidx_add(&names->index, hash, id);
	return answer.is_link;
}

void link_names_done(struct link_names *names)
{
	strpool_done(&names->comms);
	vec_free(&names->answers);
	hashidx_done(&names->index);
}
