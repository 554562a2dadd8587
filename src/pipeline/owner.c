/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pipeline/owner.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <unistd.h>

/* A number of the environment; false when it is missing or none. */
static bool number_from_env(const char *name, unsigned *ret_number)
{
	const char *text = getenv(name);
	char *end;
	unsigned long value;

	if (!text || !*text)
		return false;
	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || *end || value >= (unsigned)-1)
		return false;
	*ret_number = (unsigned)value;
	return true;
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
		home = getenv("HOME");
	}
	entry = getpwuid(owner.uid);
	if (entry) {
		snprintf(owner.name, sizeof(owner.name), "%s", entry->pw_name);
		home = home ? home : entry->pw_dir;
	}
	snprintf(owner.home, sizeof(owner.home), "%s", home ? home : "");
	*ret_owner = owner;
}

void owner_begin(const struct owner *owner)
{
	if (!owner->other)
		return;
	setfsgid(owner->gid); /* first: without privilege it could not be set any more */
	setfsuid(owner->uid);
}

void owner_end(const struct owner *owner)
{
	if (!owner->other)
		return;
	setfsuid(geteuid());
	setfsgid(getegid());
}
