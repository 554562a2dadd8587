/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proc/module_watch.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

enum { KERNEL_GROUP = 1, MAX_MESSAGE_BYTES = 8192 };

struct module_watch {
	int fd;
};

int module_watch_new(struct module_watch **ret_watch)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP };
	_cleanup_close_ int fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	*ret_watch = xcalloc(1, sizeof(**ret_watch));
	(*ret_watch)->fd = steal_fd(fd);
	return 0;
}

void module_watch_free(struct module_watch *watch)
{
	if (!watch)
		return;
	close(watch->fd);
	free(watch);
}

int module_watch_fd(const struct module_watch *watch)
{
	return watch->fd;
}

static bool starts_with(const char *message, size_t size, const char *prefix)
{
	size_t length = strlen(prefix);

	return size > length && memcmp(message, prefix, length) == 0;
}

struct module_changes module_watch_parse(const char *message, size_t size)
{
	return (struct module_changes){
		.added = starts_with(message, size, "add@/module/"),
		.removed = starts_with(message, size, "remove@/module/"),
	};
}

struct module_changes module_watch_read(struct module_watch *watch)
{
	struct module_changes changes = { 0, 0 };
	char message[MAX_MESSAGE_BYTES];

	for (;;) {
		ssize_t got = recv(watch->fd, message, sizeof(message), 0);
		struct module_changes one;

		if (got < 0 && errno == ENOBUFS) { /* messages were dropped: assume the worst */
			changes.added += 2, changes.removed += 2;
			continue;
		}
		if (got <= 0)
			return changes;
		one = module_watch_parse(message, (size_t)got);
		changes.added += one.added;
		changes.removed += one.removed;
	}
}
