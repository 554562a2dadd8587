/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A database connection that reads an untrusted file (guard.h):
 *   - no view, trigger or extension of the file runs
 *   - SQLite's limits are low
 *   - a statement stops if it runs far longer than the size of the file explains
 *   - the first bytes are checked before SQLite parses anything
 *   - SQLite touches no other file than this one and its journal
 */
#ifndef STORE_CONNECTION_H
#define STORE_CONNECTION_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "store/guard.h"
#include "store/table_rows.h"
#include "store/written.h"

/* How long a statement waits for a lock, usually that of a recorder's flush. */
enum { CONNECTION_BUSY_MS = 5000 };

struct connection {
	sqlite3 *db;
	struct guard *guard; /* what db may touch; owned */
	char *path;	     /* absolute, owned */
	uint64_t budget;     /* ticks of the SQLite machine that one statement may take */
	uint64_t used;	     /* ticks of the current statement */
	bool recording;	     /* a recorder held, or may have held, the file when it was opened */
	struct table_source source;
	struct written written; /* after connection_read_written */
	bool has_written;
};

/* The absolute path of @path; the caller frees it. The last part of @path need not exist, and a
 * symbolic link there is not followed. SQLite would take a path like ":memory:" or "file:x" for
 * something else. */
int connection_absolute(const char *path, char **ret_path, struct err *err);

/* Opens a profile and starts a read transaction that lasts until connection_close: everything is
 * seen as of now, and a recorder that flushes meanwhile has to wait. First rolls back an
 * interrupted write. Errors as store_open's. */
int connection_open(struct connection *connection, const char *path, struct err *err);
/* Lets SQLite read what the file has of tables and views, for callers that will ask it. Errors as
 * store_open's. */
int connection_read_schema(struct connection *connection, struct err *err);
/* Reads what the file says of its rows into connection->written, once. -EBADMSG, with the reason in
 * @why; @why is untouched if SQLite failed. */
int connection_read_written(struct connection *connection, struct err *why);
/* Call it after the file was changed by this connection: drops what was read of it. */
void connection_read_anew(struct connection *connection);
/* Frees what is only kept to read faster. */
void connection_rest(struct connection *connection);
/* Gives the next statement its full budget. */
void connection_refill(struct connection *connection);
/* True if the file may be written: permissions allow it, and no recorder, which would not notice
 * the change, is at work. */
bool connection_writable(const struct connection *connection);
void connection_close(struct connection *connection);
/* Explains why reading failed: @why of our checks or, if that is empty, SQLite's error @rc. Returns
 * @rc. */
int connection_explain(const struct connection *connection, int rc, const struct err *why,
		       struct err *err);

/* The current size of the file. 0 or a negative errno. */
int connection_size(const struct connection *connection, uint64_t *ret_bytes);
/* A copy of the file in memory that may be written, hardened in the same way, without a
 * transaction. The caller closes it. -ENOMEM or another negative errno. */
int connection_copy(const struct connection *connection, struct connection *ret_copy);

/* True if a recorder holds this file, or if that cannot be determined. Do not call it while this
 * process has the file open: closing a descriptor drops all locks of the process (fcntl(2)). */
bool connection_is_recording(const char *path);

/* Checks the first bytes of an open database. Returns 0 if it is a profile that this program reads;
 * else -EINVAL, -ENOTSUP or -EBADMSG with the reason in @err. */
int connection_check_header(sqlite3 *db, const char *path, struct err *err);

#endif
