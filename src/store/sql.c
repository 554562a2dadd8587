/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/sql.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Asks the file and the connection: the file knows the errno of its last failed write, also after a
 * failed commit, when the connection does not; the connection also knows about the journal. */
static int system_errno(sqlite3 *db)
{
	int number = 0;

	if (sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &number) != SQLITE_OK ||
	    !number)
		number = sqlite3_system_errno(db);
	return number ? -number : -EIO;
}

int sql_errno(sqlite3 *db, int code)
{
	switch (code & 0xff) {
	case SQLITE_OK:
	case SQLITE_DONE:
	case SQLITE_ROW:
		return 0;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		return system_errno(db);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_READONLY:
		return -EROFS;
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return -EACCES;
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_NOTADB:
		return -EINVAL;
	default: /* CORRUPT, an unexpected schema, limits exceeded ... */
		return -EBADMSG;
	}
}

int sql_exec(sqlite3 *db, const char *text)
{
	return sql_errno(db, sqlite3_exec(db, text, NULL, NULL, NULL));
}

int sql_prepare(sqlite3 *db, const char *text, sqlite3_stmt **ret_stmt)
{
	return sql_errno(db, sqlite3_prepare_v2(db, text, -1, ret_stmt, NULL));
}

int sql_step(sqlite3_stmt *stmt)
{
	int code = sqlite3_step(stmt);

	return code == SQLITE_ROW ? 1 : sql_errno(sqlite3_db_handle(stmt), code);
}

int sql_run(sqlite3_stmt *stmt)
{
	int rc = sql_step(stmt);

	sqlite3_reset(stmt);
	return rc < 0 ? rc : 0;
}

int sql_number(sqlite3 *db, const char *text, uint64_t *ret_number)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = sql_prepare(db, text, &stmt);

	if (!rc)
		rc = sql_step(stmt);
	return rc > 0 ? sql_column_u64(stmt, 0, ret_number) : rc;
}

void sql_bind_u64(sqlite3_stmt *stmt, int at, uint64_t value)
{
	sqlite3_bind_int64(stmt, at, (sqlite3_int64)value);
}

void sql_bind_numbers(sqlite3_stmt *stmt, const uint64_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sql_bind_u64(stmt, (int)i + 1, values[i]);
}

void sql_bind_text(sqlite3_stmt *stmt, int at, const char *text)
{
	sqlite3_bind_text(stmt, at, text ? text : "", -1, SQLITE_STATIC);
}

bool sql_column_u64(sqlite3_stmt *stmt, int at, uint64_t *ret_value)
{
	if (sqlite3_column_type(stmt, at) != SQLITE_INTEGER)
		return false;
	*ret_value = (uint64_t)sqlite3_column_int64(stmt, at);
	return true;
}

bool sql_column_at_most(sqlite3_stmt *stmt, int at, uint64_t most, uint64_t *ret_value)
{
	return sql_column_u64(stmt, at, ret_value) && *ret_value <= most;
}

bool sql_column_double(sqlite3_stmt *stmt, int at, double *ret_value)
{
	int type = sqlite3_column_type(stmt, at);

	if (type != SQLITE_FLOAT && type != SQLITE_INTEGER)
		return false;
	*ret_value = sqlite3_column_double(stmt, at);
	return isfinite(*ret_value);
}

bool sql_column_text(sqlite3_stmt *stmt, int at, const char **ret_text)
{
	if (sqlite3_column_type(stmt, at) != SQLITE_TEXT)
		return false;
	*ret_text = (const char *)sqlite3_column_text(stmt, at);
	return *ret_text != NULL;
}

static const char *advice(int number)
{
	static const struct {
		int number;
		const char *text;
	} rows[] = {
		{ ENOSPC, ": free some space, or choose a file on another disk" },
		{ EDQUOT, ": free some of your quota, or choose a file on another disk" },
		{ EFBIG, ": raise the file size limit (ulimit -f)" },
		{ EACCES, ": run as the file's owner, or choose another file" },
		{ EROFS, ": choose a file on a writable file system" },
		{ EBUSY, ": another process has locked it; try again later" },
		{ EIO, ": the disk may be failing; copy what you need to another one" },
		{ ELOOP, ": symbolic links are not followed here; give the file itself" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].number == number)
			return rows[i].text;
	}
	return "";
}

int sql_explain(int rc, const char *verb, const char *path, struct err *err)
{
	if (rc == -EBADMSG)
		return err_set(err, rc, "cannot %s %s: the file is damaged" SQL_RECOVER, verb, path,
			       path);
	return err_set(err, rc, "cannot %s %s: %s%s", verb, path, strerror(-rc), advice(-rc));
}
