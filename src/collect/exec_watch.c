/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/exec_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

enum { EVENTS_BYTES = 16384 };

struct exec_watch {
	int fd;
	struct fanotify_event_metadata
		events[EVENTS_BYTES / sizeof(struct fanotify_event_metadata)];
};

/* File systems that hold no programs, or whose mere look-up may hang or start something. */
static const char *const left_out[] = {
	"autofs",  "binfmt_misc", "bpf",     "ceph",	   "cgroup",	 "cgroup2", "cifs",
	"debugfs", "devpts",	  "mqueue",  "nfs",	   "nfs4",	 "proc",    "pstore",
	"sysfs",   "configfs",	  "tracefs", "securityfs", "fuse.sshfs", "smb3",    "efivarfs",
};

static bool is_left_out(const char *type)
{
	for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
		if (strcmp(type, left_out[i]) == 0)
			return true;
	return false;
}

static int mark(int fd, const char *path)
{
	return fanotify_mark(fd, FAN_MARK_ADD | FAN_MARK_FILESYSTEM, FAN_OPEN_EXEC, AT_FDCWD,
			     path) < 0
		       ? -errno
		       : 0;
}

/* Marks what can be marked: every mount, and our root, which in a chroot is none. 0, or -errno when
 * nothing could be. */
static int mark_mounts(int fd)
{
	_cleanup_fclose_ FILE *mounts = setmntent("/proc/self/mounts", "re");
	int rc = mark(fd, "/");
	struct mntent *mount;

	while (mounts && (mount = getmntent(mounts)) != NULL) {
		if (!is_left_out(mount->mnt_type) && mark(fd, mount->mnt_dir) == 0)
			rc = 0;
	}
	return rc;
}

int exec_watch_new(struct exec_watch **ret_watch, struct err *err)
{
	/* O_NONBLOCK on the events' files: opening must not wait for anything. */
	_cleanup_close_ int fd =
		fanotify_init(FAN_CLASS_NOTIF | FAN_NONBLOCK | FAN_UNLIMITED_QUEUE | FAN_CLOEXEC,
			      O_RDONLY | O_LARGEFILE | O_CLOEXEC | O_NOATIME | O_NONBLOCK);
	struct exec_watch *watch;
	int rc;

	if (fd < 0)
		return err_set(err, -errno, "cannot watch executed files (fanotify): %s",
			       strerror(errno));
	rc = mark_mounts(fd);
	if (rc < 0)
		return err_set(err, rc, "cannot watch any file system for executed files: %s",
			       strerror(-rc));
	watch = xcalloc(1, sizeof(*watch));
	watch->fd = steal_fd(fd);
	*ret_watch = watch;
	return 0;
}

static int take_events(const struct exec_watch *watch, ssize_t size,
		       void (*take)(void *context, int fd), void *context)
{
	const struct fanotify_event_metadata *event = watch->events;
	int taken = 0;

	for (; FAN_EVENT_OK(event, size); event = FAN_EVENT_NEXT(event, size)) {
		if (event->vers != FANOTIFY_METADATA_VERSION)
			return -EPROTO;
		if (event->fd < 0) /* the queue overflowed */
			continue;
		take(context, event->fd);
		taken++;
	}
	return taken;
}

int exec_watch_drain(struct exec_watch *watch, void (*take)(void *context, int fd), void *context)
{
	int total = 0;

	for (;;) {
		ssize_t size = read(watch->fd, watch->events, sizeof(watch->events));
		int taken;

		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0 && errno == EAGAIN)
			return total;
		/* E.g. no descriptor left: the event is gone, the next drain goes on behind it. */
		if (size < 0)
			return total ? total : -errno;
		if (size == 0)
			return total;
		taken = take_events(watch, size, take, context);
		if (taken < 0)
			return taken;
		total += taken;
	}
}

void exec_watch_free(struct exec_watch *watch)
{
	if (!watch)
		return;
	close(watch->fd);
	free(watch);
}
