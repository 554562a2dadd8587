/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is a profile the very file that a recording on this machine made? The recording notes the inode
 * of the file and, in ns, when that inode was born (statx(2)). A copy, or a profile from elsewhere,
 * has another inode that was born at another time, which whoever made it cannot choose.
 */
#ifndef STORE_ORIGIN_H
#define STORE_ORIGIN_H

#include <stdbool.h>

#include "model/profile.h"

/* Notes them of an open file. */
void origin_note(struct run_facts *run, int fd);

/* The descriptor, borrowed, among those this process has open (SQLite keeps its own to itself) that
 * is of the file that was noted; -1: there is none. */
int origin_find(const struct run_facts *run);

/* Is an open file one that this process has open by another descriptor as well? */
bool origin_is_open(int fd);

#endif
