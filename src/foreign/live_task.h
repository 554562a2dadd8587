/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The task by which /proc shows the memory and the files of a process. Once the main thread of a
 * process has ended (pthread_exit in main), /proc/PID has empty maps and no exe, root, mem or
 * namespaces, although other threads go on. /proc/TID of one of them has all of it.
 */
#ifndef FOREIGN_LIVE_TASK_H
#define FOREIGN_LIVE_TASK_H

#include <stdint.h>

/* The number to read /proc by: @pid itself if its main thread lives, or if nothing of the process
 * can be seen; else that of another thread. To be asked for anew each time, because threads end. */
int32_t live_task(int32_t pid);
/* The root of a process that sees other files than we do, as in a chroot or a mount namespace of its
 * own: a path through /proc, which holds as long as the process lives. The caller frees it. NULL: it
 * sees what we see, or has ended. */
char *live_task_root(int32_t pid);

#endif
