/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel modules that come and go while we record: the kernel's own announcements, uevents
 * "add@/module/NAME" and "remove@/module/NAME" on a netlink socket (Documentation/ABI/testing/
 * sysfs-uevent; netlink(7), NETLINK_KOBJECT_UEVENT). A removal is announced before the memory is
 * freed.
 */
#ifndef PROC_MODULE_WATCH_H
#define PROC_MODULE_WATCH_H

#include <stddef.h>

struct module_watch;

struct module_changes {
	unsigned added, removed; /* how many */
};

/* Negative errno where the socket is not to be had; the caller then compares /proc/modules. */
int module_watch_new(struct module_watch **ret_watch);
void module_watch_free(struct module_watch *watch);

/* Readable when there is something to read. */
int module_watch_fd(const struct module_watch *watch);
/* What was announced since the last call; in which order is not told. */
struct module_changes module_watch_read(struct module_watch *watch);

/* One message, for tests: is it about a module, and what. */
struct module_changes module_watch_parse(const char *message, size_t size);

#endif
