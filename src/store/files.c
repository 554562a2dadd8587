/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles as files: recognising them, and removing them together with their journal. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "store/connection.h"
#include "store/sql.h"
#include "store/store.h"

static int check_first_bytes(const char *path)
{
	_cleanup_database_ sqlite3 *db = NULL;
	int code = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL);
	int rc = sql_errno(db, code);

	return rc ? rc : connection_check_header(db, path, NULL);
}

int store_is_profile(const char *path)
{
	_cleanup_free_ char *absolute = NULL;
	struct stat status;
	int rc;

	if (stat(path, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return 0;
	absolute = realpath(path, NULL);
	if (!absolute)
		return -errno;
	rc = check_first_bytes(absolute);
	if (rc == -EINVAL)
		return 0;
	/* A profile of a newer version or a damaged one is still a profile. */
	return !rc || rc == -ENOTSUP || rc == -EBADMSG ? 1 : rc;
}

bool store_is_recording(const char *path)
{
	return connection_is_recording(path);
}

/* The lock lasts until the file has no name, so no recorder can take the file for its own
 * meanwhile. */
static int remove_locked(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return -EBUSY;
	return unlink(path) < 0 ? -errno : 0;
}

int store_remove(const char *path, struct err *err)
{
	_cleanup_free_ char *journal = xasprintf("%s-journal", path);

	int rc = remove_locked(path);

	if (rc == -EBUSY)
		return err_set(err, -EBUSY,
			       "%s is being recorded: stop that recording or choose another file",
			       path);
	if (rc < 0)
		return sql_explain(rc, "remove", path, err);
	unlink(journal);
	return 0;
}
