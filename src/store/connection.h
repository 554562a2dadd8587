/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A database connection for reading a file that nobody vouches for: no view, trigger or extension
 * of the file runs, limits are low, a statement that runs far longer than the size of the file can
 * explain is stopped, the first bytes are checked before SQLite parses anything, and no other file
 * than this one and its journal is touched (guard.h).
 */
#ifndef STORE_CONNECTION_H
#define STORE_CONNECTION_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "store/guard.h"

/* How long a statement waits for a lock: that of a recorder's flush, usually. */
enum { CONNECTION_BUSY_MS = 5000 };

struct connection {
	sqlite3 *db;
	struct guard *guard; /* what db may touch; owned */
	char *path;	     /* absolute, owned */
	uint64_t budget;     /* ticks of the SQLite machine one statement may take */
	uint64_t used;	     /* by the current one */
	bool recording; /* somebody was, or may have been, writing the file when it was opened */
};

/* The absolute path of @path, whose last part need not exist and is not followed when it is a
 * symbolic link. Without it a path like ":memory:" or "file:x" would mean something to SQLite. The
 * caller frees it. */
int connection_absolute(const char *path, char **ret_path, struct err *err);

/* Opens a profile and starts a read transaction, which lasts until connection_close: everything is
 * seen as of now, and a recorder that flushes meanwhile has to wait. An interrupted write is undone
 * first. Errors as store_open's. */
int connection_open(struct connection *connection, const char *path, struct err *err);
/* Gives the next statement its full budget. */
void connection_refill(struct connection *connection);
/* May the file be changed: is it permitted, and is no recorder at work that would not know? */
bool connection_writable(const struct connection *connection);
void connection_close(struct connection *connection);

/* How large the file is, as of now. 0 or a negative errno. */
int connection_size(const struct connection *connection, uint64_t *ret_bytes);
/* A copy of it in memory, which may be written to: as hardened, and without a transaction. The
 * caller closes it. -ENOMEM or another negative errno. */
int connection_copy(const struct connection *connection, struct connection *ret_copy);

/* Is a recorder at work on this file, or can that not be told? Do not call it while this process
 * has the file open: closing a descriptor drops all locks of a process (fcntl(2)). */
bool connection_is_recording(const char *path);

/* The first bytes of an open database: 0 when they are a profile's that this program reads, else
 * -EINVAL, -ENOTSUP or -EBADMSG and the sentence. */
int connection_check_header(sqlite3 *db, const char *path, struct err *err);

#endif
