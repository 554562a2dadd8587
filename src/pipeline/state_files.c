/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pipeline/state_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "store/store.h"

#define LAST	 "last.prof"
#define PREVIOUS "previous.prof"
#define LOCK	 ".lock"

/* "", or the state folder, without a slash at its end. */
static void folder_path(const struct owner *owner, char *ret_path, size_t size)
{
	const char *state_home = owner->other ? NULL : getenv("XDG_STATE_HOME");

	if (state_home && state_home[0] == '/')
		snprintf(ret_path, size, "%s/prospect", state_home);
	else if (owner->home[0])
		snprintf(ret_path, size, "%s/.local/state/prospect", owner->home);
	else
		snprintf(ret_path, size, "%s", "");
}

/* mkdir -p, each new folder for the owner alone. */
static int make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0700) < 0 && errno != EEXIST) {
			int rc = -errno;

			*slash = '/';
			return rc;
		}
		*slash = '/';
	}
	return mkdir(path, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

static int join(char *ret_path, size_t size, const char *folder, const char *name, struct err *err)
{
	if ((size_t)snprintf(ret_path, size, "%s/%s", folder, name) >= size)
		return err_set(err, -ENAMETOOLONG, "%s: the name is too long", folder);
	return 0;
}

/* Commands that rename files here take turns. The lock goes with the descriptor. */
static int lock_folder(int folder)
{
	int fd = openat(folder, LOCK, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd >= 0)
		flock(fd, LOCK_EX);
	return fd;
}

static int rotate(int folder, const char *recording)
{
	if (renameat(folder, LAST, folder, PREVIOUS) < 0 && errno != ENOENT)
		return -errno;
	return renameat(folder, recording, folder, LAST) < 0 ? -errno : 0;
}

/* The pid in "recording-PID.prof"; 0 for other names. */
static pid_t pid_of_recording(const char *name)
{
	int pid, end = 0;

	if (sscanf(name, "recording-%d.prof%n", &pid, &end) != 1 || end == 0 || name[end] ||
	    pid <= 0)
		return 0;
	return pid;
}

/* Opening lets SQLite roll a half-written flush back; only then may the file move. */
static bool is_whole(const char *folder, const char *name)
{
	char path[STATE_PATH_MAX];
	struct store_reader *reader;
	struct err err;

	if (join(path, sizeof(path), folder, name, NULL) < 0 || store_open(path, &reader, &err) < 0)
		return false;
	store_close(reader);
	return true;
}

static bool is_alive(pid_t pid)
{
	return kill(pid, 0) == 0 || errno == EPERM;
}

/* Recordings whose process was killed: the readable ones are kept as last.prof, others removed. */
static void adopt_orphans(int folder, const char *folder_name)
{
	int copy = dup(folder);
	_cleanup_closedir_ DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry;

	if (!dir) {
		if (copy >= 0)
			close(copy);
		return;
	}
	rewinddir(dir);
	while ((entry = readdir(dir))) {
		pid_t pid = pid_of_recording(entry->d_name);

		if (!pid || is_alive(pid))
			continue;
		if (!is_whole(folder_name, entry->d_name) || rotate(folder, entry->d_name) < 0)
			unlinkat(folder, entry->d_name, 0);
	}
}

static int find_kept(const char *name, char *ret_path, size_t size, struct err *err)
{
	char folder[STATE_PATH_MAX];
	struct owner owner;
	_cleanup_close_ int fd = -1;
	_cleanup_close_ int lock = -1;
	int rc;

	owner_find(&owner);
	folder_path(&owner, folder, sizeof(folder));
	owner_begin(&owner);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		lock = lock_folder(fd);
		adopt_orphans(fd, folder);
	}
	rc = join(ret_path, size, folder, name, err);
	if (rc == 0 && (fd < 0 || faccessat(fd, name, F_OK, 0) < 0))
		rc = err_set(
			err, -ENOENT,
			"no profile was made yet (%s/%s); run 'prospect COMMAND' first, or name a "
			"file",
			folder, name);
	owner_end(&owner);
	return rc;
}

int state_last_profile(char *ret_path, size_t size, struct err *err)
{
	return find_kept(LAST, ret_path, size, err);
}

int state_previous_profile(char *ret_path, size_t size, struct err *err)
{
	return find_kept(PREVIOUS, ret_path, size, err);
}

int state_path(const struct owner *owner, const char *name, char *ret_path, size_t size,
	       struct err *err)
{
	char folder[STATE_PATH_MAX];

	folder_path(owner, folder, sizeof(folder));
	if (!folder[0])
		return err_set(err, -ENOENT, "there is no home folder to keep profiles in");
	return join(ret_path, size, folder, name, err);
}

int state_make_folder(const struct owner *owner, struct err *err)
{
	char folder[STATE_PATH_MAX];
	int rc;

	folder_path(owner, folder, sizeof(folder));
	if (!folder[0])
		return err_set(err, -ENOENT, "there is no home folder to keep profiles in");
	owner_begin(owner);
	rc = make_folders(folder);
	if (rc == 0 && faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) < 0)
		rc = -errno;
	owner_end(owner);
	if (rc < 0)
		err_set(err, rc, "cannot keep profiles in %s: %s", folder, strerror(-rc));
	return rc;
}

int state_begin(const struct owner *owner, char *ret_path, size_t size, struct err *err)
{
	char name[64];
	int rc = state_make_folder(owner, err);

	snprintf(name, sizeof(name), "recording-%d.prof", (int)getpid());
	if (rc == 0)
		rc = state_path(owner, name, ret_path, size, err);
	if (rc < 0)
		return rc;
	owner_begin(owner);
	unlink(ret_path);
	owner_end(owner);
	return 0;
}

int state_commit(const struct owner *owner, char *path, size_t size, struct err *err)
{
	char folder[STATE_PATH_MAX];
	_cleanup_close_ int fd = -1;
	_cleanup_close_ int lock = -1;
	const char *name = strrchr(path, '/') + 1;
	int rc;

	snprintf(folder, sizeof(folder), "%.*s", (int)(name - path - 1), path);
	owner_begin(owner);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		rc = -errno;
	} else {
		lock = lock_folder(fd);
		adopt_orphans(fd, folder);
		rc = rotate(fd, name);
	}
	owner_end(owner);
	if (rc < 0)
		return err_set(err, rc, "cannot keep the profile as %s/" LAST ": %s", folder,
			       strerror(-rc));
	return join(path, size, folder, LAST, err);
}
