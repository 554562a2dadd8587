/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles as files: recognised, and removed together with the journal beside them. */
#include <errno.h>
#include <stdlib.h>
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

int store_remove(const char *path, struct err *err)
{
	_cleanup_free_ char *journal = xasprintf("%s-journal", path);

	if (access(path, R_OK) == 0 && connection_is_recording(path))
		return err_set(err, -EBUSY,
			       "%s is being recorded: stop that recording, or name another file",
			       path);
	if (unlink(path) < 0)
		return sql_explain(-errno, "remove", path, err);
	unlink(journal);
	return 0;
}
