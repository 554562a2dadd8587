/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel modules that are loaded and unloaded while we record, from the kernel's uevents
 * "add@/module/NAME" and "remove@/module/NAME" on a netlink socket (Documentation/ABI/testing/
 * sysfs-uevent; netlink(7), NETLINK_KOBJECT_UEVENT). The kernel announces a removal before it frees
 * the memory.
 */
#ifndef PROC_MODULE_WATCH_H
#define PROC_MODULE_WATCH_H

#include <stddef.h>

struct module_watch;

struct module_changes {
	unsigned added, removed; /* how many */
};

/* Negative errno if the socket is not available; the caller then compares /proc/modules. */
int module_watch_new(struct module_watch **ret_watch);
void module_watch_free(struct module_watch *watch);

/* Readable when there is something to read. */
int module_watch_fd(const struct module_watch *watch);
/* The changes announced since the last call, without their order. */
struct module_changes module_watch_read(struct module_watch *watch);

/* For tests: the change that one message announces, if it is about a module. */
struct module_changes module_watch_parse(const char *message, size_t size);

#endif
