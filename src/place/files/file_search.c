/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/files/file_search.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "foreign/door.h"
#include "foreign/live_task.h"
#include "foreign/map_query.h"
#include "proc/links.h"

/* --- by path --- */

/* Where a file may be. */
struct search_way {
	const struct door_root *root; /* NULL: none */
	const char *path;
	bool magic; /* through a magic link of /proc/PID */
};

static struct foreign *foreign_of(const struct file_search *search)
{
	return search->readers ? search->readers->foreign : NULL;
}

static int open_regular(const struct file_search *search, const struct mapped_file *mapped,
			const struct search_way *way, struct door_file *ret_file)
{
	if (way->magic)
		return door_open_magic(foreign_of(search), way->path, mapped->pid, mapped->dev,
				       ret_file);
	return door_open_file(search->readers, way->root, way->path, ret_file, NULL);
}

/* Keeps the most informative reason: late, then another file, then no permission, then nothing
 * there. */
static void note(struct file_search_result *result, int rc)
{
	if (rc == -EMFILE || rc == -ENFILE) {
		result->exhausted = true;
	} else if (rc == -ETIMEDOUT) {
		result->reason = IMAGE_STATE_LATE;
	} else if (result->reason == IMAGE_STATE_LATE) {
		return; /* this is the file that was wanted, whatever the other paths have */
	} else if (rc == -EACCES || rc == -EPERM) {
		if (result->reason == IMAGE_STATE_GONE)
			result->reason = IMAGE_STATE_DENIED;
	} else if (rc != -ENOENT && rc != -ESRCH && rc != -ENOTDIR) {
		result->reason = IMAGE_STATE_REPLACED;
	}
}

static bool has_no_identity(const struct mapped_file *mapped)
{
	return !mapped->build_id_size && !mapped->inode;
}

static bool try_way(const struct file_search *search, const struct search_way *way,
		    const struct mapped_file *mapped, struct file_search_result *result)
{
	struct door_file file;
	_cleanup_close_ int fd = open_regular(search, mapped, way, &file);
	enum file_proof proof = FILE_OTHER;

	if (fd < 0) {
		note(result, fd);
		return false;
	}
	if (file_identity_read(fd, &file, &result->identity) == 0)
		proof = file_identity_prove(&result->identity, fd, mapped);
	result->changed |= proof == FILE_CHANGED;
	if (proof != FILE_PROVEN) {
		note(result, -EINVAL);
		if (has_no_identity(mapped))
			result->reason = IMAGE_STATE_UNPROVEN;
		return false;
	}
	result->fd = steal_fd(fd);
	return true;
}

static struct file_search_result nothing(void)
{
	return (struct file_search_result){ .fd = -1, .reason = IMAGE_STATE_GONE };
}

/* The path as we see it. */
static struct file_search_result search_path(const struct file_search *search,
					     const struct mapped_file *mapped)
{
	struct file_search_result result = nothing();

	if (mapped->path[0] == '/')
		result.by_path = try_way(search, &(struct search_way){ .path = mapped->path },
					 mapped, &result);
	return result;
}

/* The path within the folder that the user named. */
static struct file_search_result search_root(const struct file_search *search,
					     const struct mapped_file *mapped)
{
	struct file_search_result result = nothing();
	const struct door_root within = { .path = search->root };
	struct mapped_file trusted = *mapped;

	trusted.by_name = true;
	if (search->root && mapped->path[0] == '/')
		try_way(search, &(struct search_way){ .root = &within, .path = mapped->path },
			&trusted, &result);
	return result;
}

/* The path as we see it, /proc/PID/root and /proc/PID/map_files, in this order. */
static struct file_search_result search_all(const struct file_search *search,
					    const struct mapped_file *mapped)
{
	bool in_folder = !file_search_is_memfd(mapped->path);
	struct file_search_result result = in_folder ? search_path(search, mapped) : nothing();
	char path[PATH_MAX + 64];
	int32_t task;

	if (result.fd >= 0 || mapped->pid <= 0)
		return result;
	task = live_task(mapped->pid);
	snprintf(path, sizeof(path), "/proc/%d/root%s", task, mapped->path);
	if (in_folder &&
	    try_way(search, &(struct search_way){ .path = path, .magic = true }, mapped, &result))
		return result;
	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, task, mapped->start,
		 mapped->end);
	try_way(search, &(struct search_way){ .path = path, .magic = true }, mapped, &result);
	return result;
}

bool file_search_is_memfd(const char *path)
{
	return strncmp(path, "/memfd:", 7) == 0;
}

/* --- offered descriptors --- */

static int take_out(struct file_search *search, size_t index)
{
	struct offered_file *items = search->offers.items;
	int fd = items[index].fd;

	search->offers.count--;
	memmove(items + index, items + index + 1, (search->offers.count - index) * sizeof(*items));
	return fd;
}

void file_search_offer(struct file_search *search, int fd, uint64_t round)
{
	_cleanup_close_ int offered = fd;
	struct stat st;

	if (fstat(offered, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	for (size_t i = 0; i < search->offers.count; i++) {
		struct offered_file *old = &search->offers.items[i];

		if (old->dev != st.st_dev || old->inode != st.st_ino)
			continue;
		old->round = round;
		return;
	}
	if (search->offers.count >= search->most_offers)
		close(take_out(search, 0));
	*vec_push(&search->offers) = (struct offered_file){
		.fd = steal_fd(offered), .dev = st.st_dev, .inode = st.st_ino, .round = round
	};
}

/* Hands over the descriptor that proves to be the mapped file, with its identity; -1: none. */
static int take_offer(struct file_search *search, const struct mapped_file *mapped,
		      struct file_identity *ret_identity)
{
	for (size_t i = search->offers.count; i-- > 0;) {
		const struct offered_file *offer = &search->offers.items[i];
		struct file_identity identity;

		/* reading the build id of each would be slow */
		if (mapped->inode && mapped->inode != offer->inode)
			continue;
		if (file_identity_read(offer->fd, NULL, &identity) < 0 ||
		    file_identity_prove(&identity, offer->fd, mapped) != FILE_PROVEN)
			continue;
		*ret_identity = identity;
		return take_out(search, i);
	}
	return -1;
}

void file_search_forget(struct file_search *search, uint64_t round)
{
	for (size_t i = search->offers.count; i-- > 0;) {
		if (search->offers.items[i].round < round)
			close(take_out(search, i));
	}
}

/* --- files that cannot be opened --- */

/* The build id, if the process still has the file mapped. Of a file that was rewritten it would be
 * that of the new contents. */
static struct elf_build_id ask_kernel(const struct file_search *search,
				      const struct mapped_file *mapped)
{
	struct elf_build_id told = { .size = 0 };
	struct map_query query;

	if (mapped->pid <= 0 || !mapped->inode || mapped->build_id_size > 0 ||
	    door_ask_mapping(foreign_of(search), mapped->pid, mapped->start, &query) < 0 ||
	    query.device != mapped->dev || query.inode != mapped->inode)
		return told;
	told.size = (uint8_t)query.build_id_size;
	memcpy(told.bytes, query.build_id, query.build_id_size);
	return told;
}

/* --- all together --- */

struct file_search_result file_search_find(struct file_search *search, struct mapped_file *mapped,
					   const char *literal)
{
	struct file_search_result found = search_root(search, mapped);

	if (found.fd >= 0)
		return found;
	if (strcmp(literal, mapped->path) != 0) {
		struct mapped_file named = *mapped;

		named.path = literal;
		found = search_path(search, &named);
		if (found.fd >= 0)
			mapped->path = literal;
	}
	if (found.fd < 0)
		found = search_all(search, mapped);
	if (found.fd < 0) {
		found.fd = take_offer(search, mapped, &found.identity);
		found.by_path = false;
	}
	if (found.fd < 0 && !found.changed)
		found.told = ask_kernel(search, mapped);
	return found;
}

/* --- a file that was open before --- */

static bool try_again(const struct file_search *search, const struct mapped_file *mapped,
		      const struct search_way *way, const struct file_identity *identity,
		      struct file_search_result *result)
{
	struct door_file file;
	_cleanup_close_ int fd = open_regular(search, mapped, way, &file);

	if (fd < 0) {
		note(result, fd);
		return false;
	}
	if (!file_identity_again(identity, fd, &file)) {
		note(result, -EINVAL);
		return false;
	}
	result->fd = steal_fd(fd);
	result->identity = *identity;
	result->identity.copy = file.copy;
	return true;
}

struct file_search_result file_search_again(const struct file_search *search,
					    const struct mapped_file *mapped,
					    const struct file_identity *identity)
{
	struct file_search_result result = nothing();
	const struct door_root within = { .path = search->root };
	char inside[PATH_MAX + 64];

	if (search->root && mapped->path[0] == '/' &&
	    try_again(search, mapped, &(struct search_way){ .root = &within, .path = mapped->path },
		      identity, &result))
		return result;
	result.by_path = mapped->path[0] == '/' &&
			 try_again(search, mapped, &(struct search_way){ .path = mapped->path },
				   identity, &result);
	if (result.fd >= 0 || mapped->pid <= 0)
		return result;
	snprintf(inside, sizeof(inside), "/proc/%d/root%s", live_task(mapped->pid), mapped->path);
	try_again(search, mapped, &(struct search_way){ .path = inside, .magic = true }, identity,
		  &result);
	return result;
}

/* --- links --- */

struct link_answer {
	str_id comm;
	dev_t dev;
	ino_t inode;
	str_id name; /* 0: none */
};

DEFINE_EQUAL(answer_equal, struct file_search, answers.items, struct link_answer,
	     a->comm == b->comm && a->dev == b->dev && a->inode == b->inode)

static str_id find_link(struct file_search *search, const char *file, const char *comm, dev_t dev,
			ino_t inode)
{
	const struct link_end end = { .foreign = foreign_of(search), .dev = dev, .inode = inode };
	const char *const paths[] = { file, NULL };
	_cleanup_free_ char *name = links_find(&end, paths, comm, true);

	return name ? strpool_intern(&search->names, name) : 0;
}

const char *file_search_link(struct file_search *search, const char *file, const char *comm,
			     dev_t dev, ino_t inode)
{
	struct link_answer answer = { .comm = strpool_intern(&search->names, comm),
				      .dev = dev,
				      .inode = inode };
	uint64_t hash = hash_combine(hash_combine(hash_u64(answer.comm), dev), inode);
	uint32_t id;

	if (!hashidx_find(&search->answer_index, hash, answer_equal, search, &answer, &id)) {
		answer.name = find_link(search, file, comm, dev, inode);
		id = (uint32_t)search->answers.count;
		*vec_push(&search->answers) = answer;
		hashidx_add(&search->answer_index, hash, id);
	}
	answer = search->answers.items[id];
	return answer.name ? strpool_get(&search->names, answer.name) : NULL;
}

void file_search_done(struct file_search *search)
{
	file_search_forget(search, UINT64_MAX);
	vec_free(&search->offers);
	strpool_done(&search->names);
	vec_free(&search->answers);
	hashidx_done(&search->answer_index);
}
