/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * File descriptors of programs at the moment of exec, from fanotify(7) FAN_OPEN_EXEC: the only way
 * to read a program that is deleted before we process its first mapping. Root only. Covers
 * executables and their interpreters (not dlopen), on every file system that could be marked.
 */
#ifndef PROC_EXEC_WATCH_H
#define PROC_EXEC_WATCH_H

#include "base/err.h"

struct exec_watch;

/* Marks the local file systems that are mounted now. -EPERM without CAP_SYS_ADMIN, -ENOSYS if the
 * kernel lacks fanotify. */
int exec_watch_new(struct exec_watch **ret_watch, struct err *err);
/* Calls @take for every file executed since the last drain; @take owns the descriptor. Returns the
 * number of files, or -errno (-EMFILE: no descriptor left; that event is lost). */
int exec_watch_drain(struct exec_watch *watch, void (*take)(void *context, int fd), void *context);
/* Readable when a file was executed since. */
int exec_watch_fd(const struct exec_watch *watch);
void exec_watch_free(struct exec_watch *watch);

#endif
