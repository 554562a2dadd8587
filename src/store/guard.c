/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "store/sql.h"

struct guard {
	sqlite3_vfs vfs; /* its pAppData is the guard */
	sqlite3_vfs *system;
	char *path;
	char *journal;
	char name[40];
};

static struct guard *guard_of(const sqlite3_vfs *vfs)
{
	return vfs->pAppData;
}

static bool is_allowed(const struct guard *guard, const char *name)
{
	return strcmp(name, guard->path) == 0 || strcmp(name, guard->journal) == 0;
}

static int guarded_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags,
			int *ret_flags)
{
	struct guard *guard = guard_of(vfs);

	file->pMethods = NULL;
	if (name && !is_allowed(guard, name))
		return SQLITE_PERM;
	return guard->system->xOpen(guard->system, name, file, flags, ret_flags);
}

static int guarded_delete(sqlite3_vfs *vfs, const char *name, int sync_folder)
{
	struct guard *guard = guard_of(vfs);

	if (strcmp(name, guard->journal) != 0)
		return SQLITE_PERM;
	return guard->system->xDelete(guard->system, name, sync_folder);
}

static int guarded_access(sqlite3_vfs *vfs, const char *name, int flags, int *ret_there)
{
	struct guard *guard = guard_of(vfs);

	*ret_there = 0;
	if (!is_allowed(guard, name))
		return SQLITE_OK;
	return guard->system->xAccess(guard->system, name, flags, ret_there);
}

static int guarded_full_path(sqlite3_vfs *vfs, const char *name, int size, char *ret_path)
{
	sqlite3_vfs *system = guard_of(vfs)->system;

	return system->xFullPathname(system, name, size, ret_path);
}

static int guarded_randomness(sqlite3_vfs *vfs, int size, char *ret_bytes)
{
	sqlite3_vfs *system = guard_of(vfs)->system;

	return system->xRandomness(system, size, ret_bytes);
}

static int guarded_sleep(sqlite3_vfs *vfs, int duration_us)
{
	sqlite3_vfs *system = guard_of(vfs)->system;

	return system->xSleep(system, duration_us);
}

static int guarded_time(sqlite3_vfs *vfs, double *ret_day)
{
	sqlite3_vfs *system = guard_of(vfs)->system;

	return system->xCurrentTime(system, ret_day);
}

static int guarded_last_error(sqlite3_vfs *vfs, int size, char *ret_text)
{
	sqlite3_vfs *system = guard_of(vfs)->system;

	return system->xGetLastError(system, size, ret_text);
}

struct guard *guard_new(const char *path)
{
	struct guard *guard = xcalloc(1, sizeof(*guard));

	guard->system = sqlite3_vfs_find(NULL);
	guard->path = xstrdup(path);
	guard->journal = xasprintf("%s-journal", path);
	snprintf(guard->name, sizeof(guard->name), "prospect-%p", (void *)guard);
	/* Without xDl*: extensions are not loaded. */
	guard->vfs = (sqlite3_vfs){ .iVersion = 1,
				    .szOsFile = guard->system->szOsFile,
				    .mxPathname = guard->system->mxPathname,
				    .zName = guard->name,
				    .pAppData = guard,
				    .xOpen = guarded_open,
				    .xDelete = guarded_delete,
				    .xAccess = guarded_access,
				    .xFullPathname = guarded_full_path,
				    .xRandomness = guarded_randomness,
				    .xSleep = guarded_sleep,
				    .xCurrentTime = guarded_time,
				    .xGetLastError = guarded_last_error };
	sqlite3_vfs_register(&guard->vfs, 0);
	return guard;
}

void guard_free(struct guard *guard)
{
	if (!guard)
		return;
	sqlite3_vfs_unregister(&guard->vfs);
	free(guard->path);
	free(guard->journal);
	free(guard);
}

const char *guard_vfs(const struct guard *guard)
{
	return guard->name;
}

static int check_owner(const char *path, const char *journal, const struct stat *status,
		       struct err *err)
{
	struct stat profile;

	if (stat(path, &profile) < 0)
		return sql_explain(-errno, "open", path, err);
	if (S_ISREG(status->st_mode) &&
	    (status->st_uid == profile.st_uid || status->st_uid == geteuid()))
		return 0;
	return err_set(err, -EPERM,
		       "cannot open %s: its journal %s belongs to another user: remove the "
		       "journal, or copy the profile elsewhere",
		       path, journal);
}

/* A journal that names a super-journal ends in these bytes (sqlite3 fileformat2, section 3). */
static int check_end(const char *path, const char *journal, struct err *err)
{
	static const uint8_t magic[] = { 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7 };
	_cleanup_close_ int fd = open(journal, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	uint8_t end[sizeof(magic)] = { 0 };
	struct stat status;

	/* If this process may not read the journal, neither may SQLite. */
	if (fd < 0 || fstat(fd, &status) < 0 || status.st_size < (off_t)sizeof(end))
		return 0;
	if (pread(fd, end, sizeof(end), status.st_size - (off_t)sizeof(end)) < 0 ||
	    memcmp(end, magic, sizeof(end)) != 0)
		return 0;
	return err_set(err, -EBADMSG,
		       "cannot open %s: its journal %s asks SQLite to delete another file, which "
		       "no recording does: remove the journal if you trust the profile",
		       path, journal);
}

int guard_check_journal(const char *path, struct err *err)
{
	_cleanup_free_ char *journal = xasprintf("%s-journal", path);
	struct stat status;
	int rc;

	if (lstat(journal, &status) < 0)
		return errno == ENOENT ? 0 : sql_explain(-errno, "open", journal, err);
	rc = check_owner(path, journal, &status, err);
	return rc ? rc : check_end(path, journal, err);
}
