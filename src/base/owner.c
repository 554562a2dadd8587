/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/scan.h"
#include "base/xalloc.h"

/* A number from the environment; false if it is missing or not a number. */
static bool number_from_env(const char *name, unsigned *ret_number)
{
	const char *text = secure_getenv(name);
	uint64_t value;

	if (!text || !scan_whole_number(text, 10, &value) || value >= (unsigned)-1)
		return false;
	*ret_number = (unsigned)value;
	return true;
}

static void find_groups(struct owner *owner)
{
	int ours = getgroups(OWNER_MAX_GROUPS, owner->our_groups);
	int theirs = OWNER_MAX_GROUPS;

	owner->our_group_count = ours > 0 ? (size_t)ours : 0;
	if (!owner->name[0])
		theirs = 0;
	else if (getgrouplist(owner->name, owner->gid, owner->groups, &theirs) < 0)
		theirs = OWNER_MAX_GROUPS;
	owner->group_count = (size_t)theirs;
}

/* The status of @path, or of its nearest existing parent. */
static bool find_status(const char *path, struct stat *ret_status)
{
	_cleanup_free_ char *copy = xstrdup(path);
	char *end;

	while (stat(copy, ret_status) < 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			return false;
		end = strrchr(copy, '/');
		if (!end || end == copy)
			return stat("/", ret_status) == 0;
		*end = '\0';
	}
	return true;
}

bool owner_keeps_in(const char *path)
{
	struct stat status;

	return geteuid() != 0 || (find_status(path, &status) && status.st_uid == 0);
}

void owner_find(struct owner *ret_owner)
{
	struct owner owner = { .uid = geteuid(), .gid = getegid() };
	unsigned uid, gid;
	const struct passwd *entry;
	const char *home = NULL;

	if (owner.uid == 0 && number_from_env("SUDO_UID", &uid) &&
	    number_from_env("SUDO_GID", &gid) && uid != 0) {
		owner.other = true;
		owner.uid = uid;
		owner.gid = gid;
	} else {
		home = secure_getenv("HOME");
		if (home && !owner_keeps_in(home))
			home = NULL;
	}
	entry = getpwuid(owner.uid);
	if (entry) {
		snprintf(owner.name, sizeof(owner.name), "%s", entry->pw_name);
		home = home ? home : entry->pw_dir;
	}
	snprintf(owner.home, sizeof(owner.home), "%s", home ? home : "");
	if (owner.other)
		find_groups(&owner);
	*ret_owner = owner;
}

/* The system call itself: the C library's setgroups(2) applies to all threads (nptl(7)). */
static void set_groups(size_t count, const gid_t *groups)
{
	(void)!syscall(SYS_setgroups, count, groups);
}

void owner_begin(const struct owner *owner)
{
	if (!owner->other)
		return;
	set_groups(owner->group_count, owner->groups);
	setfsgid(owner->gid); /* first: after setfsuid we lack the privilege */
	setfsuid(owner->uid);
}

void owner_end(const struct owner *owner)
{
	if (!owner->other)
		return;
	setfsuid(geteuid());
	setfsgid(getegid());
	set_groups(owner->our_group_count, owner->our_groups);
}

static bool belongs_to_root_alone(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_uid == 0 && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static char *absolute(const char *path)
{
	_cleanup_free_ char *here = path[0] == '/' ? xstrdup("") : getcwd(NULL, 0);

	return here ? xasprintf("%s/%s", here, path) : NULL;
}

bool owner_root_alone(const char *path)
{
	_cleanup_free_ char *whole = absolute(path);
	_cleanup_close_ int folder = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool alone = whole && folder >= 0 && belongs_to_root_alone(folder);
	char *save = NULL;

	if (!alone)
		return false;
	*strrchr(whole, '/') = '\0';
	for (char *name = strtok_r(whole, "/", &save); alone && name;
	     name = strtok_r(NULL, "/", &save)) {
		int next = openat(folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		close(folder);
		folder = next;
		alone = folder >= 0 && belongs_to_root_alone(folder);
	}
	return alone;
}
