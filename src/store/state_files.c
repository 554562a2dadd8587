/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/state_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "model/profile.h"
#include "store/store.h"

#define LAST "last.prof"
#define LOCK ".lock"

/* By age. */
static const char *const kept[STATE_KEPT] = {
	LAST,	       "previous.prof", "last-2.prof", "last-3.prof", "last-4.prof",
	"last-5.prof", "last-6.prof",	"last-7.prof", "last-8.prof", "last-9.prof",
};

struct folder {
	char path[STATE_PATH_MAX]; /* without a slash at its end; "": none */
	size_t home_length;	   /* length of the home folder in it; 0: not in it */
};

static void find_folder(const struct owner *owner, struct folder *ret_folder)
{
	const char *state_home = owner->other ? NULL : secure_getenv("XDG_STATE_HOME");
	struct folder folder = { "", 0 };

	if (state_home && state_home[0] == '/' && owner_keeps_in(state_home)) {
		snprintf(folder.path, sizeof(folder.path), "%s/prospect", state_home);
	} else if (owner->home[0]) {
		snprintf(folder.path, sizeof(folder.path), "%s/.local/state/prospect", owner->home);
		folder.home_length = strlen(owner->home);
	}
	*ret_folder = folder;
}

static int make_folder(const char *path)
{
	return mkdir(path, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

/* As mkdir -p, each new folder for the owner alone. Does not make a missing home folder:
 * -ENOENT. */
static int make_folders(struct folder *folder)
{
	char *slash = strchr(folder->path + (folder->home_length ? folder->home_length : 1), '/');
	int rc = 0;

	if (folder->home_length) {
		*slash = '\0';
		rc = faccessat(AT_FDCWD, folder->path, F_OK, AT_EACCESS) < 0 ? -errno : 0;
		*slash = '/';
		slash = strchr(slash + 1, '/');
	}
	for (; slash && rc == 0; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		rc = make_folder(folder->path);
		*slash = '/';
	}
	return rc < 0 ? rc : make_folder(folder->path);
}

static int join(char *ret_path, size_t size, const char *folder, const char *name, struct err *err)
{
	if ((size_t)snprintf(ret_path, size, "%s/%s", folder, name) >= size)
		return err_set(err, -ENAMETOOLONG, "%s: file name too long", folder);
	return 0;
}

/* Makes commands that rename files here take turns. Closing the descriptor releases the lock. */
static int lock_folder(int folder)
{
	int fd = openat(folder, LOCK, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd >= 0)
		flock(fd, LOCK_EX);
	return fd;
}

/* The names that can be used, by age. Something that is no file is left alone, and so is a file
 * that is still being recorded, which someone may have named like this with -o. */
struct slots {
	const char *names[STATE_KEPT];
	size_t count;
	size_t free; /* the first that has no file; @count: none */
};

static void find_slots(int folder, const char *folder_name, struct slots *slots)
{
	char path[STATE_PATH_MAX];
	struct stat st;

	*slots = (struct slots){ .free = SIZE_MAX };
	for (size_t i = 0; i < STATE_KEPT; i++) {
		bool there = fstatat(folder, kept[i], &st, AT_SYMLINK_NOFOLLOW) == 0;

		if (there && (S_ISDIR(st.st_mode) ||
			      join(path, sizeof(path), folder_name, kept[i], NULL) < 0 ||
			      store_is_recording(path)))
			continue;
		if (!there && slots->free == SIZE_MAX)
			slots->free = slots->count;
		slots->names[slots->count++] = kept[i];
	}
	if (slots->free == SIZE_MAX)
		slots->free = slots->count;
}

/* Makes room in the first slot: files move up to the first free one. If there is none, the oldest
 * file goes. */
static int move_on(int folder, const char *folder_name, struct slots *slots)
{
	char path[STATE_PATH_MAX];
	int rc = 0;

	if (slots->free == slots->count) {
		slots->free--;
		rc = join(path, sizeof(path), folder_name, slots->names[slots->free], NULL);
		if (rc == 0)
			rc = store_remove(path, NULL);
	}
	for (size_t i = slots->free; rc == 0 && i > 0; i--) {
		if (renameat(folder, slots->names[i - 1], folder, slots->names[i]) < 0)
			rc = -errno;
	}
	return rc;
}

static int rotate(int folder, const char *folder_name, const char *recording)
{
	struct slots slots;
	int rc;

	find_slots(folder, folder_name, &slots);
	if (!slots.count || strcmp(slots.names[0], LAST) != 0)
		return -EBUSY;
	rc = move_on(folder, folder_name, &slots);
	if (rc == 0 && renameat(folder, recording, folder, LAST) < 0)
		rc = -errno;
	return rc;
}

/* True for "recording-PID.prof". */
static bool is_recording_name(const char *name)
{
	int pid, end = 0;

	return sscanf(name, "recording-%d.prof%n", &pid, &end) == 1 && end && !name[end] && pid > 0;
}

/* True if the recording neither ended nor took a sample. */
static bool has_nothing(struct store_reader *reader)
{
	struct profile *run;
	bool ended;

	if (store_last_second(reader) || store_load_run(reader, &run, NULL) < 0)
		return false;
	ended = run->run.end_ns != 0;
	profile_free(run);
	return !ended;
}

/* Opens the file so that SQLite rolls back a half-written flush; only then may the file move.
 * Returns 0 or why the file cannot be opened now; -ENODATA: it has nothing to show. */
static int try_to_open(const char *path)
{
	struct store_reader *reader;
	int rc = store_open(path, &reader, NULL);

	if (rc < 0)
		return rc;
	rc = has_nothing(reader) ? -ENODATA : 0;
	store_close(reader);
	return rc;
}

/* Makes a readable file last.prof. Removes one that has nothing to show or is certainly no profile:
 * its recorder was killed before it wrote a sample. Leaves one that cannot be opened now (newer
 * version, no permission, no memory ...) for another time. */
static void adopt(int folder, const char *folder_name, const char *name)
{
	char path[STATE_PATH_MAX];
	int rc;

	if (join(path, sizeof(path), folder_name, name, NULL) < 0 || store_is_recording(path))
		return;
	rc = try_to_open(path);
	/* Ask again: a new recorder locks its file before the file is a profile. */
	if (rc == 0 && !store_is_recording(path))
		rotate(folder, folder_name, name);
	else if (rc == -ENODATA || (rc == -EINVAL && store_is_profile(path) == 0))
		store_remove(path, NULL);
}

/* Adopts recordings that no process locks: their recorders were killed. The PID in the name proves
 * nothing: it may be of another namespace, or in use again. */
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
		if (is_recording_name(entry->d_name))
			adopt(folder, folder_name, entry->d_name);
	}
}

static int explain_none(unsigned age, const char *path, struct err *err)
{
	if (age > 0)
		return err_set(err, -ENOENT,
			       "there is no profile @%u (%s does not exist): 'prospect list' shows "
			       "those that are kept",
			       age + 1, path);
	return err_set(err, -ENOENT,
		       "no profile yet (%s does not exist): run 'prospect COMMAND' first, or give "
		       "a file",
		       path);
}

int state_profile(unsigned age, char *ret_path, size_t size, struct err *err)
{
	struct folder folder;
	struct owner owner;
	_cleanup_close_ int fd = -1;
	_cleanup_close_ int lock = -1;
	int rc;

	owner_find(&owner);
	find_folder(&owner, &folder);
	owner_begin(&owner);
	fd = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		lock = lock_folder(fd);
		adopt_orphans(fd, folder.path);
	}
	rc = join(ret_path, size, folder.path, kept[age], err);
	if (rc == 0 && (fd < 0 || faccessat(fd, kept[age], F_OK, 0) < 0))
		rc = explain_none(age, ret_path, err);
	owner_end(&owner);
	return rc;
}

int state_last_profile(char *ret_path, size_t size, struct err *err)
{
	return state_profile(0, ret_path, size, err);
}

int state_previous_profile(char *ret_path, size_t size, struct err *err)
{
	return state_profile(1, ret_path, size, err);
}

bool state_is_age(const char *word, unsigned *ret_age)
{
	char number[8];

	for (unsigned age = 0; age < STATE_KEPT; age++) {
		snprintf(number, sizeof(number), "@%u", age + 1);
		if (strcmp(word, number) != 0)
			continue;
		*ret_age = age;
		return access(word, F_OK) < 0;
	}
	return false;
}

int state_find(const char **word, char *path, size_t size, struct err *err)
{
	unsigned age;
	int rc;

	if (!state_is_age(*word, &age))
		return 0;
	rc = state_profile(age, path, size, err);
	*word = path;
	return rc;
}

int state_path(const struct owner *owner, const char *name, char *ret_path, size_t size,
	       struct err *err)
{
	struct folder folder;

	find_folder(owner, &folder);
	if (!folder.path[0])
		return err_set(err, -ENOENT, "no home folder to keep profiles in");
	return join(ret_path, size, folder.path, name, err);
}

int state_make_folder(const struct owner *owner, struct err *err)
{
	struct folder folder;
	int rc;

	find_folder(owner, &folder);
	if (!folder.path[0])
		return err_set(err, -ENOENT, "no home folder to keep profiles in");
	owner_begin(owner);
	rc = make_folders(&folder);
	if (rc == 0 && faccessat(AT_FDCWD, folder.path, W_OK, AT_EACCESS) < 0)
		rc = -errno;
	owner_end(owner);
	if (rc == -ENOENT && folder.home_length)
		return err_set(err, rc,
			       "cannot keep profiles in %s: the home folder %.*s does not exist",
			       folder.path, (int)folder.home_length, folder.path);
	if (rc < 0)
		err_set(err, rc, "cannot keep profiles in %s: %s", folder.path, strerror(-rc));
	return rc;
}

int state_begin(const struct owner *owner, char *ret_path, size_t size, struct err *err)
{
	char name[64];
	int rc = state_make_folder(owner, err);
	bool there = true;

	for (int number = (int)getpid(); rc == 0 && there; number++) {
		snprintf(name, sizeof(name), "recording-%d.prof", number);
		rc = state_path(owner, name, ret_path, size, err);
		owner_begin(owner);
		there = faccessat(AT_FDCWD, ret_path, F_OK, AT_EACCESS) == 0;
		owner_end(owner);
	}
	return rc;
}

int state_commit(const struct owner *owner, struct store_writer *writer, char *path, size_t size,
		 struct err *err)
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
		store_writer_free(steal_ptr(writer));
		rc = rotate(fd, folder, name);
	}
	store_writer_free(writer);
	owner_end(owner);
	if (rc < 0)
		return err_set(err, rc, "cannot keep the profile as %s/" LAST ": %s", folder,
			       strerror(-rc));
	return join(path, size, folder, LAST, err);
}
