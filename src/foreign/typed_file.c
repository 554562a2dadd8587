/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "foreign/typed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/owner.h"
#include "foreign/door.h"

/* Checks a file that root opened because the user may not search its folders: it must be a regular
 * file, which the user owns and may read. */
static int check(int fd, uid_t user, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_set(err, -errno, "%s", strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(err, -EINVAL, "not a regular file");
	if (st.st_uid != user || !(st.st_mode & S_IRUSR))
		return err_set(err, -EACCES, "%s", strerror(EACCES));
	return 0;
}

int typed_file_open(const char *path, struct err *err)
{
	struct readers readers = { 0 };
	struct owner owner;
	int fd, rc;

	owner_find(&owner);
	if (owner.other)
		readers_add(&readers, owner.uid);
	fd = door_open(&readers, NULL, path, err);
	if (fd != -EACCES || !owner.other || !owner_root_alone(path))
		return fd;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return err_set(err, -errno, "%s", strerror(errno));
	rc = check(fd, owner.uid, err);
	if (rc < 0)
		close(fd);
	return rc < 0 ? rc : fd;
}
