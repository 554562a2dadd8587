/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "foreign/door.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/owner.h"
#include "base/xalloc.h"
#include "foreign/door_walk.h"
#include "foreign/foreign.h"
#include "foreign/live_task.h"
#include "foreign/map_query.h"

enum {
	MOST_GROUPS = 64, /* of a user; rights that only further groups give are missed */
	LINK_BYTES = 64,
	MOST_COPIED = 512 << 20, /* of a file that a reader process copies */
};

/* A user and a group that own nothing: the largest ids that setfsuid(2) accepts. */
#define OWNS_NOTHING ((uint32_t)-2)

/* ---- readers ---- */

void readers_add(struct readers *readers, uint32_t uid)
{
	for (uint32_t i = 0; i < readers->count; i++) {
		if (readers->uids[i] == uid)
			return;
	}
	if (readers->count == READERS_MOST)
		readers->anybody = true;
	else
		readers->uids[readers->count++] = uid;
}

void readers_add_owner(struct readers *readers, int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0) {
		readers->anybody = true;
		return;
	}
	readers_add(readers, st.st_uid);
	/* the mode of a link has no meaning */
	readers->anybody |= !S_ISLNK(st.st_mode) && (st.st_mode & S_IWOTH);
}

void readers_join(struct readers *readers, const struct readers *others)
{
	for (uint32_t i = 0; i < others->count; i++)
		readers_add(readers, others->uids[i]);
	readers->anybody |= others->anybody;
}

bool readers_equal(const struct readers *a, const struct readers *b)
{
	struct readers both = *a;

	readers_join(&both, b);
	return both.count == a->count && a->count == b->count && a->anybody == b->anybody;
}

/* ---- places ---- */

/* True for file systems that show the kernel and processes. A file name never needs to lead there,
 * but they have secrets (our own environment), and reading them may have side effects. */
static bool is_window(int fd)
{
	static const uint64_t magics[] = {
		PROC_SUPER_MAGIC, SYSFS_MAGIC,	    DEBUGFS_MAGIC,
		TRACEFS_MAGIC,	  SECURITYFS_MAGIC, CGROUP2_SUPER_MAGIC
	};
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return true;
	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++) {
		if ((uint64_t)fs.f_type == magics[i])
			return true;
	}
	return false;
}

/* Opens with the rights of the calling thread. A descriptor, or negative errno. */
static int open_here(int at, const char *name, bool sealed, struct door_way *way)
{
	_cleanup_close_ int place = door_walk(at, name, sealed, way);
	char again[LINK_BYTES];
	struct stat st;
	int fd;

	if (place < 0)
		return place;
	if (fstat(place, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || is_window(place))
		return -EINVAL;
	snprintf(again, sizeof(again), "/proc/self/fd/%d", place);
	fd = open(again, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

/* ---- opening as another user ---- */

struct visitor {
	uid_t uid;
	gid_t gid;
	gid_t groups[MOST_GROUPS];
	size_t group_count;
	int at;
	const char *name;
	struct door_way *way;
	int result; /* a descriptor, or negative errno; -ENOTSUP: we cannot become that user */
};

static void find_groups(struct visitor *visitor)
{
	const struct passwd *entry = visitor->uid == OWNS_NOTHING ? NULL : getpwuid(visitor->uid);
	int count = MOST_GROUPS;

	visitor->gid = OWNS_NOTHING;
	if (!entry)
		return;
	visitor->gid = entry->pw_gid;
	if (getgrouplist(entry->pw_name, entry->pw_gid, visitor->groups, &count) < 0)
		count = MOST_GROUPS;
	visitor->group_count = (size_t)count;
}

/* Makes the calling thread that user, permanently. setfsuid drops the capabilities that override
 * permissions only when it leaves root, and not with SECBIT_NO_SETUID_FIXUP, so we give up all of
 * them (capabilities(7)). The C library's setgroups changes all threads, the system call only this
 * one. */
static bool become(const struct visitor *visitor)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_setgroups, visitor->group_count, visitor->groups) < 0)
		return false;
	setfsgid(visitor->gid);
	setfsuid(visitor->uid);
	if (syscall(SYS_capset, &head, none) < 0)
		return false;
	/* neither reports failure, but each returns the previous id */
	return (gid_t)setfsgid((gid_t)-1) == visitor->gid &&
	       (uid_t)setfsuid((uid_t)-1) == visitor->uid;
}

static void *visit(void *context)
{
	struct visitor *visitor = context;

	visitor->result = -ENOTSUP;
	if (become(visitor))
		visitor->result = open_here(visitor->at, visitor->name, false, visitor->way);
	return NULL;
}

static int open_as(uid_t uid, int at, const char *name, struct door_way *way)
{
	struct visitor visitor = {
		.uid = uid, .at = at, .name = name, .way = way, .result = -ENOTSUP
	};
	sigset_t all, before;
	pthread_t thread;

	find_groups(&visitor);
	/* other threads handle signals */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&thread, NULL, visit, &visitor) == 0)
		pthread_join(thread, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return visitor.result;
}

/* ---- files that every user may read ---- */

static bool may_search(const char *folder)
{
	struct stat st;

	return stat(folder, &st) == 0 && (st.st_mode & S_IXOTH);
}

/* Judges by the modes of the file and of the folders above it, when we cannot become another user
 * to let the kernel decide. */
static bool everybody_may_read(int fd)
{
	char link[LINK_BYTES], path[4096];
	struct stat st;
	ssize_t size;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	size = readlink(link, path, sizeof(path));
	if (size <= 0 || (size_t)size == sizeof(path) || path[0] != '/' || fstat(fd, &st) < 0 ||
	    !(st.st_mode & S_IROTH))
		return false;
	path[size] = '\0';
	for (char *slash = strrchr(path, '/'); slash > path; slash = strrchr(path, '/')) {
		*slash = '\0';
		if (!may_search(path))
			return false;
	}
	return may_search("/");
}

static int open_if_public(int at, const char *name, struct door_way *way)
{
	_cleanup_close_ int fd = open_here(at, name, false, way);

	if (fd < 0)
		return fd;
	return everybody_may_read(fd) ? steal_fd(fd) : -EACCES;
}

/* ---- opening for all readers ---- */

static int explain(int rc, const uint32_t *uid, struct err *err)
{
	const struct passwd *entry;

	switch (rc) {
	case -EACCES:
	case -EPERM:
		if (!uid)
			return err_set(err, -EACCES, "no permission to open the file");
		if (*uid == OWNS_NOTHING)
			return err_set(err, -EACCES, "not world-readable");
		entry = getpwuid(*uid);
		if (entry)
			return err_set(err, -EACCES, "user %s has no read permission",
				       entry->pw_name);
		return err_set(err, -EACCES, "user %u has no read permission", *uid);
	case -EINVAL:
		return err_set(err, rc, "not a regular file");
	case -ELOOP:
		return err_set(err, rc, "a symbolic link in its path is not followed");
	case -ESTALE:
		return err_set(err, rc, "its path keeps changing");
	default:
		return err_set(err, rc, "%s", strerror(-rc));
	}
}

static bool is_same(int a, int b)
{
	struct stat of_a, of_b;

	return fstat(a, &of_a) == 0 && fstat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
	       of_a.st_ino == of_b.st_ino;
}

/* Opens the file as one more of the readers. *fd: what the earlier ones opened; -1: none yet. */
static int admit(uint32_t uid, int at, const char *name, struct door_way *way, int *fd)
{
	_cleanup_close_ int opened = open_as(uid, at, name, way);

	if (opened == -ENOTSUP)
		opened = open_if_public(at, name, way);
	if (opened < 0)
		return opened;
	if (*fd >= 0)
		return is_same(*fd, opened) ? 0 : -ESTALE;
	*fd = steal_fd(opened);
	return 0;
}

static bool is_other(uint32_t uid)
{
	return uid != 0 && uid != geteuid();
}

static bool has_others(const struct readers *readers)
{
	for (uint32_t i = 0; i < readers->count; i++) {
		if (is_other(readers->uids[i]))
			return true;
	}
	return false;
}

/* The next user that must be allowed to read. Others may be added meanwhile. */
static bool next_reader(const struct readers *readers, uint32_t *admitted, bool *anybody,
			uint32_t *ret_uid)
{
	*ret_uid = OWNS_NOTHING;
	if (readers->anybody && !*anybody)
		return *anybody = true;
	while (*admitted < readers->count) {
		*ret_uid = readers->uids[(*admitted)++];
		if (is_other(*ret_uid))
			return true;
	}
	return false;
}

/* The owners of symbolic links on the way chose the file, too, so they become readers. */
static int open_for_all(const struct readers *readers, int at, const char *name,
			struct door_way *way, struct err *err)
{
	_cleanup_close_ int fd = -1;
	struct readers all = *readers;
	uint32_t uid, admitted = 0;
	bool anybody = false;
	int rc;

	way->heeds_links = true;
	if (!all.anybody && !has_others(&all)) {
		fd = open_here(at, name, false, way);
		if (fd < 0)
			return explain(fd, NULL, err);
	}
	for (readers_join(&all, &way->link_owners); next_reader(&all, &admitted, &anybody, &uid);
	     readers_join(&all, &way->link_owners)) {
		rc = admit(uid, at, name, way, &fd);
		if (rc < 0)
			return explain(rc, &uid, err);
	}
	return steal_fd(fd);
}

/* A user may name a root through magic links, which a walk along mounts does not follow. */
static int open_root(const char *path, struct door_way *way)
{
	_cleanup_close_ int place = -1;
	struct stat st;

	if (!way->mounts) {
		place = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		return place < 0 ? -errno : steal_fd(place);
	}
	place = door_walk(AT_FDCWD, path, false, way);
	if (place < 0)
		return place == -ELOOP ? -EREMOTE : place;
	if (fstat(place, &st) < 0)
		return -errno;
	return S_ISDIR(st.st_mode) ? steal_fd(place) : -ENOTDIR;
}

/* -EREMOTE: a mount on the way may not answer. */
static int open_near(const struct readers *readers, const struct door_root *root, const char *name,
		     struct door_way *way, struct err *err)
{
	_cleanup_close_ int folder = -1;
	int fd;

	if (!root || !root->path)
		return open_for_all(readers, AT_FDCWD, name, way, err);
	folder = open_root(root->path, way);
	if (folder < 0)
		return explain(folder, NULL, err);
	name += strspn(name, "/");
	if (!root->sealed)
		return open_for_all(readers, folder, name, way, err);
	fd = open_here(folder, name, true, way);
	return fd < 0 ? explain(fd, NULL, err) : fd;
}

static void set_file(struct door_file *file, bool copy, const struct stat *st)
{
	*file = (struct door_file){ .copy = copy,
				    .device = st->st_dev,
				    .inode = st->st_ino,
				    .ctime_ns = (int64_t)st->st_ctim.tv_sec * (int64_t)NS_PER_S +
						st->st_ctim.tv_nsec,
				    .unlinked = st->st_nlink == 0 };
}

static int open_far(struct foreign *foreign, const struct foreign_question *question,
		    struct door_file *ret_file, struct err *err)
{
	struct foreign_answer answer;
	int rc = foreign_ask(foreign, question, &answer, err);

	if (rc < 0)
		return rc;
	set_file(ret_file, answer.copy, &answer.st);
	ret_file->name = answer.name;
	return answer.fd;
}

/* A relative name starts at our working folder; the reader process has another. */
static char *absolute(const struct door_root *root, const char *name)
{
	_cleanup_free_ char *folder = NULL;

	if (*name == '/' || (root && root->path))
		return xstrdup(name);
	folder = getcwd(NULL, 0);
	return folder ? xasprintf("%s/%s", folder, name) : NULL;
}

static int ask_far(const struct readers *readers, const struct door_root *root, const char *name,
		   uint64_t device, struct door_file *ret_file, struct err *err)
{
	_cleanup_free_ char *whole = absolute(root, name);
	_cleanup_free_ char *folder = root && root->path ? absolute(NULL, root->path) : NULL;
	const struct door_root below = { .path = folder, .sealed = root && root->sealed };
	const struct foreign_question question = { .kind = WIRE_OPEN,
						   .readers = readers,
						   .root = folder ? &below : NULL,
						   .name = whole,
						   .limit = MOST_COPIED,
						   .place = device };

	if (!whole || (root && root->path && !folder))
		return err_set(err, -ENOENT, "the working folder no longer exists");
	return open_far(readers->foreign, &question, ret_file, err);
}

static int told(int fd, struct door_file *ret_file, struct err *err)
{
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0) {
		close(fd);
		return err_set(err, -EIO, "cannot stat the file");
	}
	set_file(ret_file, false, &st);
	return fd;
}

int door_open_file(const struct readers *readers, const struct door_root *root, const char *name,
		   struct door_file *ret_file, struct err *err)
{
	static const struct readers ourselves = { 0 };
	struct door_way way = { 0 };
	int fd;

	readers = readers ? readers : &ourselves;
	if (readers->foreign)
		way.mounts = foreign_mounts(readers->foreign);
	fd = open_near(readers, root, name, &way, err);
	if (fd == -EREMOTE && way.mounts)
		return ask_far(readers, root, name, way.device, ret_file, err);
	return told(fd, ret_file, err);
}

int door_open(const struct readers *readers, const struct door_root *root, const char *name,
	      struct err *err)
{
	struct door_file file;

	return door_open_file(readers, root, name, &file, err);
}

/* ---- through /proc ---- */

static int open_magic_here(const char *path)
{
	struct stat st;
	int fd;

	if (stat(path, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

int door_open_magic(struct foreign *foreign, const char *path, int32_t pid, uint64_t device,
		    struct door_file *ret_file)
{
	const struct foreign_question question = { .kind = WIRE_FOLLOW,
						   .name = path,
						   .limit = MOST_COPIED,
						   .place = device ? device
								   : foreign_files_place(pid) };

	if (!foreign)
		return told(open_magic_here(path), ret_file, NULL);
	return open_far(foreign, &question, ret_file, NULL);
}

int door_open_folder(struct foreign *foreign, const char *path)
{
	struct door_way way = { .mounts = foreign ? foreign_mounts(foreign) : NULL };

	return open_root(path, &way);
}

/* -EREMOTE unless all mounts on the way, as the process sees them, are local. A device's mounts
 * here decide whether it is local. */
static int keep_near(struct foreign *foreign, int32_t pid, const char *path)
{
	_cleanup_(mounts_freep) struct mounts *mounts = mounts_of(pid, foreign_mounts(foreign));

	return mounts && !mounts_obstacle(mounts, path) ? 0 : -EREMOTE;
}

int door_open_folder_of(struct foreign *foreign, int32_t pid, const char *path, const char *name)
{
	_cleanup_free_ char *root_path = xasprintf("/proc/%d/root", live_task(pid));
	_cleanup_free_ char *whole = xasprintf("%s/%s", strcmp(path, "/") == 0 ? "" : path, name);
	struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	_cleanup_close_ int root = -1;
	long folder;
	int rc = foreign ? keep_near(foreign, pid, whole) : 0;

	if (rc < 0)
		return rc;
	root = open(root_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0) /* the process has ended: use our root */
		return door_open_folder(foreign, path);
	if (foreign) /* a link could lead anywhere */
		how.resolve |= RESOLVE_NO_SYMLINKS;
	folder = syscall(SYS_openat2, root, path, &how, sizeof(how));
	if (folder < 0 && errno == ENOSYS)
		folder = openat(root, path + strspn(path, "/"),
				O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return folder < 0 ? -errno : (int)folder;
}

/* @root may be NULL. */
static int stat_far(struct foreign *foreign, const struct door_root *root, const char *path,
		    uint64_t place, struct stat *ret_stat)
{
	const struct foreign_question question = {
		.kind = WIRE_STAT, .root = root, .name = path, .place = place
	};
	struct foreign_answer answer;
	int rc = foreign_ask(foreign, &question, &answer, NULL);

	if (rc == 0)
		*ret_stat = answer.st;
	return rc;
}

int door_stat(struct foreign *foreign, const char *path, struct stat *ret_stat)
{
	struct door_way way = { .mounts = foreign ? foreign_mounts(foreign) : NULL };
	_cleanup_close_ int place = -1;
	_cleanup_free_ char *whole = absolute(NULL, path);

	if (!foreign)
		return stat(path, ret_stat) < 0 ? -errno : 0;
	place = door_walk(AT_FDCWD, path, false, &way);
	if (place >= 0)
		return fstat(place, ret_stat) < 0 ? -errno : 0;
	/* the walk does not follow the magic links of /proc */
	if ((place != -EREMOTE && place != -ELOOP) || !whole)
		return place;
	return stat_far(foreign, NULL, whole, way.device, ret_stat);
}

int door_stat_magic(struct foreign *foreign, const char *path, int32_t pid, struct stat *ret_stat)
{
	if (!foreign)
		return stat(path, ret_stat) < 0 ? -errno : 0;
	return stat_far(foreign, NULL, path, foreign_files_place(pid), ret_stat);
}

int door_stat_below(const char *root, const char *path, struct stat *ret_stat)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	_cleanup_close_ int folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	_cleanup_close_ int place =
		folder < 0 ? -1 : (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));

	return place < 0 || fstat(place, ret_stat) < 0 ? -errno : 0;
}

int door_stat_of(struct foreign *foreign, int32_t pid, const char *path, struct stat *ret_stat)
{
	_cleanup_free_ char *root = xasprintf("/proc/%d/root", live_task(pid));

	if (!foreign)
		return door_stat_below(root, path, ret_stat);
	return stat_far(foreign, &(struct door_root){ .path = root }, path,
			foreign_files_place(pid), ret_stat);
}

static int read_all(int fd, uint64_t size, struct buf *buf)
{
	char chunk[16384];
	uint64_t done = 0;

	while (done < size) {
		ssize_t got = pread(fd, chunk, sizeof(chunk), (off_t)done);

		if (got <= 0)
			return -EIO;
		buf_add(buf, chunk, (size_t)got);
		done += (uint64_t)got;
	}
	return 0;
}

int door_read_proc(struct foreign *foreign, int32_t pid, const char *name, size_t limit,
		   struct buf *buf)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/%s", live_task(pid), name);
	_cleanup_close_ int fd = -1;
	struct foreign_answer answer;
	int rc;

	if (!foreign)
		return file_read(path, limit, buf);
	rc = foreign_ask(foreign,
			 &(struct foreign_question){ .kind = WIRE_READ,
						     .name = path,
						     .limit = limit,
						     .place = foreign_process_place(pid) },
			 &answer, NULL);
	if (rc < 0)
		return rc;
	fd = answer.fd;
	return read_all(fd, (uint64_t)answer.st.st_size, buf);
}

int door_ask_mapping(struct foreign *foreign, int32_t pid, uint64_t address,
		     struct map_query *ret_query)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/maps", live_task(pid));
	const struct foreign_question question = { .kind = WIRE_MAPPING,
						   .name = path,
						   .offset = address,
						   .limit = sizeof(*ret_query),
						   .place = foreign_process_place(pid) };
	_cleanup_close_ int fd = -1;
	struct foreign_answer answer;
	int rc;

	if (!foreign)
		return map_query(path, address, ret_query);
	rc = foreign_ask(foreign, &question, &answer, NULL);
	if (rc < 0)
		return rc;
	fd = answer.fd;
	if (pread(fd, ret_query, sizeof(*ret_query), 0) != sizeof(*ret_query) ||
	    ret_query->build_id_size > MAP_QUERY_BUILD_ID)
		return -EPROTO;
	return 0;
}

static ssize_t read_memory_here(const char *path, uint64_t address, void *bytes, size_t size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : pread(fd, bytes, size, (off_t)address);

	return got < 0 ? -errno : got;
}

ssize_t door_read_memory(struct foreign *foreign, int32_t pid, uint64_t address, void *bytes,
			 size_t size)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/mem", live_task(pid));
	const struct foreign_question question = { .kind = WIRE_PART,
						   .name = path,
						   .offset = address,
						   .limit = size,
						   .place = foreign_process_place(pid) };
	_cleanup_close_ int fd = -1;
	struct foreign_answer answer;
	ssize_t got;
	int rc;

	if (!foreign)
		return read_memory_here(path, address, bytes, size);
	rc = foreign_ask(foreign, &question, &answer, NULL);
	if (rc == -EACCES || rc == -EPERM)
		return read_memory_here(path, address, bytes, size);
	if (rc < 0)
		return rc;
	fd = answer.fd;
	got = pread(fd, bytes, size, 0);
	return got < 0 ? -errno : got;
}

/* Checks a file that root opened because the user may not search its folders: it must be a regular
 * file, which the user owns and may read. */
static int check_owned(int fd, uid_t user, struct err *err)
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

int door_open_typed(const char *path, struct err *err)
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
	rc = check_owned(fd, owner.uid, err);
	if (rc < 0)
		close(fd);
	return rc < 0 ? rc : fd;
}
