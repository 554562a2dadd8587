/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distinguishes the file that a recording on this machine wrote from copies of it. The recording
 * notes the inode of the file and the inode's birth time in ns (statx(2)). A copy, or a profile
 * from elsewhere, has another inode with another birth time, which its author cannot choose.
 */
#ifndef STORE_ORIGIN_H
#define STORE_ORIGIN_H

#include <stdbool.h>

#include "model/profile.h"

/* Notes inode and birth time of an open file; 0 if it is no regular file. */
void origin_note(struct run_facts *run, int fd);

/* A borrowed descriptor of the noted file, among those that this process has open (SQLite does not
 * give out its own); -1: none. */
int origin_find(const struct run_facts *run);

/* True if this process has the open file open by another descriptor as well. */
bool origin_is_open(int fd);

#endif
