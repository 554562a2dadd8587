/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pipeline/typed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "foreign/door.h"
#include "pipeline/owner.h"

int typed_file_open(const char *path, struct err *err)
{
	struct readers readers = { 0 };
	struct owner owner;
	int fd;

	owner_find(&owner);
	if (owner.other)
		readers_add(&readers, owner.uid);
	fd = door_open(&readers, NULL, path, err);
	if (fd != -EACCES || !owner.other || !owner_root_alone(path))
		return fd;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	return fd < 0 ? err_set(err, -errno, "%s", strerror(errno)) : fd;
}
