/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits what SQLite touches while it reads an untrusted file: that file and its journal. A journal
 * can name any other file (a super-journal, sqlite3 fileformat2 section 3), which SQLite deletes
 * when it rolls back. SQLite would also apply and delete a write-ahead log beside the file. No
 * recorder makes either.
 */
#ifndef STORE_GUARD_H
#define STORE_GUARD_H

#include "base/err.h"

struct guard;

/* Registers a file system with SQLite that opens, sees and removes nothing but @path (absolute,
 * without symbolic links) and its journal. SQLite may still make temporary files without a name.
 * Never NULL. */
struct guard *guard_new(const char *path);
/* Call it after every connection that uses the guard was closed; NULL is fine. */
void guard_free(struct guard *guard);
/* For the last parameter of sqlite3_open_v2(). Lives as long as the guard. */
const char *guard_vfs(const struct guard *guard);

/* Checks the journal of @path before SQLite rolls anything back with it. Returns 0 if there is
 * none, or if a recorder may have left it. -EPERM: it belongs neither to the profile's owner nor to
 * this user, or is no regular file. -EBADMSG: it names a super-journal. Another negative errno: it
 * cannot be examined. */
int guard_check_journal(const char *path, struct err *err);

#endif
