/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles as files: recognised, moved and removed together with the journal beside them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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
	/* A newer version or a damaged one is a profile still. */
	return !rc || rc == -ENOTSUP || rc == -EBADMSG ? 1 : rc;
}

/* A writer holds a lock of flock(2) as long as it lives. */
static int check_not_recording(const char *path, struct err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return sql_explain(-errno, "open", path, err);
	if (flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return err_set(err, -EBUSY,
			       "%s is being recorded: stop that recording, or name another file",
			       path);
	return 0;
}

/* An interrupted write is undone while the journal still goes by the file's name. Where that fails
 * the file is what it is. */
static void undo_interrupted(const char *path)
{
	struct connection connection;

	if (connection_open(&connection, path, NULL) == 0)
		connection_close(&connection);
}

int store_move(const char *from, const char *to, struct err *err)
{
	_cleanup_free_ char *journal = xasprintf("%s-journal", to);
	int rc = check_not_recording(from, err);

	if (rc)
		return rc;
	if (access(to, F_OK) == 0)
		rc = check_not_recording(to, err);
	if (rc)
		return rc;
	undo_interrupted(from);
	if (rename(from, to) < 0)
		return sql_explain(-errno, "move a profile to", to, err);
	/* What belonged to the file that was there must not be applied to the new one. */
	unlink(journal);
	return 0;
}

int store_remove(const char *path, struct err *err)
{
	_cleanup_free_ char *journal = xasprintf("%s-journal", path);
	int rc = check_not_recording(path, err);

	if (rc)
		return rc;
	if (unlink(path) < 0)
		return sql_explain(-errno, "remove", path, err);
	unlink(journal);
	return 0;
}
