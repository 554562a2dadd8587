/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What SQLite may touch while it reads a file that nobody vouches for: that file and the journal
 * beside it. A journal may name any other file (a super-journal, sqlite3 fileformat2 section 3),
 * which SQLite removes when it undoes the write, and a write-ahead log beside the file would be
 * applied and removed. No recorder makes either.
 */
#ifndef STORE_GUARD_H
#define STORE_GUARD_H

#include "base/err.h"

struct guard;

/* Registers a file system with SQLite that opens, sees and removes nothing but @path (absolute,
 * without symbolic links) and its journal; temporary files without a name are SQLite's own affair.
 * Never NULL. */
struct guard *guard_new(const char *path);
/* After every connection that uses it was closed; NULL is fine. */
void guard_free(struct guard *guard);
/* For the last parameter of sqlite3_open_v2(); lives as long as the guard. */
const char *guard_vfs(const struct guard *guard);

/* The journal beside @path before anything is undone with it: 0 when there is none, or a recorder
 * may have left it. -EPERM: it belongs neither to the profile's owner nor to us, or is no regular
 * file; -EBADMSG: it names a super-journal. -errno when there is one that cannot be looked at. */
int guard_check_journal(const char *path, struct err *err);

#endif
