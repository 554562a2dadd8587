/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proc/exec_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "foreign/mounts.h"

enum { EVENTS_BYTES = 16384 };

struct exec_watch {
	int fd;
	struct fanotify_event_metadata
		events[EVENTS_BYTES / sizeof(struct fanotify_event_metadata)];
};

/* File systems that hold no programs. */
static const char *const left_out[] = {
	"binfmt_misc", "bpf",	 "cgroup", "cgroup2", "configfs", "debugfs",	"devpts",
	"efivarfs",    "mqueue", "proc",   "pstore",  "sysfs",	  "securityfs", "tracefs",
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

struct marking {
	int fd;
	int rc; /* 0: something is marked */
};

static void mark_mount(void *context, const struct mount *mount)
{
	struct marking *marking = context;

	if (!is_left_out(mount->type) && mark(marking->fd, mount->point) == 0)
		marking->rc = 0;
}

/* Marks every local mount, and the root, which is not a mount inside a chroot. Each event makes the
 * kernel open the file for us, which would block us on a file system that does not answer. 0 if
 * anything was marked, else -errno. */
static int mark_mounts(int fd)
{
	_cleanup_(mounts_freep) struct mounts *mounts = mounts_new();
	struct marking marking = { .fd = fd };
	const struct mount *mount = mounts ? mounts_obstacle(mounts, "/") : NULL;

	marking.rc = mount && *mount->point ? -EOPNOTSUPP : mark(fd, "/");
	if (mounts)
		mounts_each_local(mounts, mark_mount, &marking);
	return marking.rc;
}

int exec_watch_new(struct exec_watch **ret_watch, struct err *err)
{
	/* O_NONBLOCK for the files of events: opening must never wait. */
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
		/* For example, out of descriptors: this event is lost, the next drain continues
		 * after it. */
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

int exec_watch_fd(const struct exec_watch *watch)
{
	return watch->fd;
}

void exec_watch_free(struct exec_watch *watch)
{
	if (!watch)
		return;
	close(watch->fd);
	free(watch);
}
