/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "store/schema.h"
#include "store/sql.h"

enum {
	TICK_OPS = 1000, /* operations of the SQLite machine between two calls of on_tick */
	/* A row has some ten bytes, and reading it takes some ten operations. */
	OPS_PER_BYTE = 8,
	OPS_ALWAYS = 50 * 1000 * 1000,

	/* sqlite3 fileformat2, section 1.3 */
	HEADER_BYTES = 100,
	HEADER_WRITE_VERSION = 18, /* 1: rollback journal; then the read version */
	HEADER_PAGES = 28,
	HEADER_USER_VERSION = 60,
	HEADER_APPLICATION_ID = 68,
};

int connection_absolute(const char *path, char **ret_path, struct err *err)
{
	_cleanup_free_ char *copy = xstrdup(path);
	_cleanup_free_ char *folder = realpath(dirname(copy), NULL);
	const char *name = file_base(path);

	if (!folder)
		return sql_explain(-errno, "open", path, err);
	if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return err_set(err, -EISDIR, "cannot open %s: it is a folder, not a profile", path);
	*ret_path = xasprintf("%s/%s", strcmp(folder, "/") == 0 ? "" : folder, name);
	return 0;
}

/* The header is read through SQLite's own descriptor: closing another one on the same file would
 * drop the locks this process has on it (fcntl(2)). */
static int read_header(sqlite3 *db, uint8_t header[HEADER_BYTES], uint64_t *ret_size)
{
	sqlite3_file *file = NULL;
	sqlite3_int64 size = 0;
	int code = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);

	if (code == SQLITE_OK)
		code = file->pMethods->xFileSize(file, &size);
	if (code == SQLITE_OK)
		code = file->pMethods->xRead(file, header, HEADER_BYTES, 0);
	*ret_size = (uint64_t)size;
	return code == SQLITE_IOERR_SHORT_READ ? 0 : sql_errno(db, code);
}

static uint32_t big_endian_u32(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

static uint64_t page_bytes(const uint8_t *header)
{
	uint64_t bytes = (uint64_t)header[16] << 8 | header[17];

	return bytes == 1 ? 65536 : bytes;
}

static bool has_journal(const char *path)
{
	_cleanup_free_ char *journal = xasprintf("%s-journal", path);

	return access(journal, F_OK) == 0;
}

static int check_version(const uint8_t *header, const char *path, struct err *err)
{
	uint32_t version = big_endian_u32(header + HEADER_USER_VERSION);

	if (version > SCHEMA_VERSION)
		return err_set(err, -ENOTSUP,
			       "%s has profile version %u, but this prospect reads versions up to "
			       "%u: use the prospect that made it or a newer one",
			       path, version, SCHEMA_VERSION);
	if (!version || header[HEADER_WRITE_VERSION] != 1 || header[HEADER_WRITE_VERSION + 1] != 1)
		return err_set(err, -EBADMSG, "%s is damaged: corrupt file header" SQL_RECOVER,
			       path, path);
	return 0;
}

/* A page that the disk lost reads as zeroes, so this may have been a profile. */
static int explain_first(const uint8_t *header, uint64_t size, const char *path, struct err *err)
{
	static const uint8_t nothing[16];

	if (size <= HEADER_BYTES || memcmp(header, nothing, sizeof(nothing)) != 0)
		return err_set(err, -EINVAL, "%s is not a prospect profile", path);
	return err_set(err, -EINVAL,
		       "%s is not a prospect profile, or its first page is lost" SQL_RECOVER, path,
		       path);
}

int connection_check_header(sqlite3 *db, const char *path, struct err *err)
{
	uint8_t header[HEADER_BYTES] = { 0 };
	uint64_t size, wanted;
	int rc = read_header(db, header, &size);

	if (rc)
		return sql_explain(rc, "read", path, err);
	if (!size)
		return err_set(err, -EINVAL, "%s is empty, not a profile", path);
	if (memcmp(header, "SQLite format 3", 16) != 0)
		return explain_first(header, size, path, err);
	if (size < HEADER_BYTES)
		return err_set(err, -EBADMSG, "%s is truncated to %llu bytes" SQL_RECOVER, path,
			       (unsigned long long)size, path);
	if (big_endian_u32(header + HEADER_APPLICATION_ID) != SCHEMA_APPLICATION_ID)
		return err_set(err, -EINVAL, "%s is an SQLite database, but not a prospect profile",
			       path);
	rc = check_version(header, path, err);
	if (rc)
		return rc;
	wanted = big_endian_u32(header + HEADER_PAGES) * page_bytes(header);
	if (size < wanted && !has_journal(path))
		return err_set(err, -EBADMSG, "%s is truncated to %llu of %llu bytes" SQL_RECOVER,
			       path, (unsigned long long)size, (unsigned long long)wanted, path);
	return 0;
}

bool connection_is_recording(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	return fd < 0 || flock(fd, LOCK_SH | LOCK_NB) < 0;
}

static int check_regular(const char *path, struct err *err)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return sql_explain(-errno, "open", path, err);
	if (S_ISDIR(status.st_mode))
		return err_set(err, -EISDIR, "cannot open %s: it is a folder, not a profile", path);
	if (!S_ISREG(status.st_mode))
		return err_set(err, -EINVAL, "%s is not a profile: it is not a regular file", path);
	return 0;
}

static int on_tick(void *context)
{
	struct connection *connection = context;

	return ++connection->used > connection->budget;
}

void connection_refill(struct connection *connection)
{
	connection->used = 0;
}

static void harden(sqlite3 *db)
{
	static const struct {
		int what, value;
	} switches[] = {
		{ SQLITE_DBCONFIG_DEFENSIVE, 1 },
		{ SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
		{ SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
		{ SQLITE_DBCONFIG_ENABLE_VIEW, 0 },
		{ SQLITE_DBCONFIG_DQS_DDL, 0 },
		{ SQLITE_DBCONFIG_DQS_DML, 0 },
		{ SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 },
	};

	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++)
		sqlite3_db_config(db, switches[i].what, switches[i].value, NULL);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, SCHEMA_MAX_ROW_BYTES);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_busy_timeout(db, CONNECTION_BUSY_MS);
}

/* Stops statements that run longer than the size of the file explains. */
static void limit_time(struct connection *connection, uint64_t size)
{
	connection->budget = (size * OPS_PER_BYTE + OPS_ALWAYS) / TICK_OPS;
	sqlite3_progress_handler(connection->db, TICK_OPS, on_tick, connection);
}

/* Explains why SQLite could not start to read. */
static int explain_begin(int rc, const char *path, struct err *err)
{
	if (rc == -EBADMSG || rc == -EINVAL)
		return err_set(err, -EBADMSG, "%s is damaged: SQLite cannot read it" SQL_RECOVER,
			       path, path);
	if (rc != -EBUSY && has_journal(path))
		return err_set(err, rc,
			       "cannot open %s: its recording was killed during a write, and "
			       "rolling that back needs write permission for the file and its "
			       "folder: open it once as its owner",
			       path);
	return sql_explain(rc, "open", path, err);
}

/* The first read: SQLite rolls back what a killed recorder left. It needs no schema, which takes long
 * to parse. */
static int begin(struct connection *connection, struct err *err)
{
	int rc = sql_exec(connection->db, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;"
					  "BEGIN; PRAGMA user_version");

	if (rc)
		return explain_begin(rc, connection->path, err);
	return connection_check_header(connection->db, connection->path, err);
}

static int open_database(struct connection *connection, struct err *err)
{
	/* Read and write, to be able to roll back an interrupted write. SQLite falls back to
	 * reading if it may not write. */
	int code =
		sqlite3_open_v2(connection->path, &connection->db,
				SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX,
				guard_vfs(connection->guard));
	uint64_t size;
	uint8_t header[HEADER_BYTES];
	int rc = sql_errno(connection->db, code);

	if (!rc)
		rc = read_header(connection->db, header, &size);
	if (rc)
		return sql_explain(rc, "open", connection->path, err);
	harden(connection->db);
	limit_time(connection, size);
	return connection_check_header(connection->db, connection->path, err);
}

int connection_open(struct connection *connection, const char *path, struct err *err)
{
	int rc;

	*connection = (struct connection){ .path = realpath(path, NULL) };
	if (!connection->path)
		return sql_explain(-errno, "open", path, err);
	connection->guard = guard_new(connection->path);
	rc = check_regular(connection->path, err);
	connection->recording = !rc && connection_is_recording(connection->path);
	if (!rc)
		rc = guard_check_journal(connection->path, err);
	if (!rc)
		rc = open_database(connection, err);
	if (!rc)
		rc = begin(connection, err);
	if (rc)
		connection_close(connection);
	else
		connection_read_anew(connection);
	return rc;
}

int connection_read_schema(struct connection *connection, struct err *err)
{
	int rc = sql_exec(connection->db, "SELECT 1 FROM sqlite_schema LIMIT 1");

	return rc ? explain_begin(rc, connection->path, err) : 0;
}

int connection_read_written(struct connection *connection, struct err *why)
{
	int rc;

	if (connection->has_written)
		return 0;
	rc = written_read(&connection->source, &connection->written, why);
	if (rc)
		written_done(&connection->written);
	connection->has_written = !rc;
	return rc;
}

static void forget(struct connection *connection)
{
	pages_close(steal_ptr(connection->source.pages));
	written_done(&connection->written);
	connection->has_written = false;
}

void connection_read_anew(struct connection *connection)
{
	forget(connection);
	connection->source = (struct table_source){ connection->db, pages_open(connection->db) };
}

void connection_rest(struct connection *connection)
{
	pages_forget(connection->source.pages);
	written_done(&connection->written);
	connection->has_written = false;
}

bool connection_writable(const struct connection *connection)
{
	return !connection->recording && sqlite3_db_readonly(connection->db, "main") == 0;
}

void connection_close(struct connection *connection)
{
	forget(connection);
	sqlite3_close(connection->db);
	guard_free(connection->guard);
	free(connection->path);
	*connection = (struct connection){ 0 };
}

int connection_size(const struct connection *connection, uint64_t *ret_bytes)
{
	uint8_t header[HEADER_BYTES];

	return read_header(connection->db, header, ret_bytes);
}

/* Takes ownership of the bytes, which SQLite allocated. */
static int open_bytes(struct connection *connection, unsigned char *bytes, sqlite3_int64 size)
{
	int code = sqlite3_open_v2(":memory:", &connection->db,
				   SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY |
					   SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX,
				   NULL);
	sqlite3_int64 most = INT64_MAX;

	if (code != SQLITE_OK) {
		sqlite3_free(bytes);
		return sql_errno(connection->db, code);
	}
	code = sqlite3_deserialize(connection->db, "main", bytes, size, size,
				   SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
	if (code == SQLITE_OK)
		code = sqlite3_file_control(connection->db, "main", SQLITE_FCNTL_SIZE_LIMIT, &most);
	return sql_errno(connection->db, code);
}

int connection_copy(const struct connection *connection, struct connection *ret_copy)
{
	sqlite3_int64 size = 0;
	unsigned char *bytes = sqlite3_serialize(connection->db, "main", &size, 0);
	int rc;

	*ret_copy = (struct connection){ 0 };
	if (!bytes)
		return -ENOMEM;
	rc = open_bytes(ret_copy, bytes, size);
	if (!rc) {
		harden(ret_copy->db);
		limit_time(ret_copy, (uint64_t)size);
		rc = sql_exec(ret_copy->db, "PRAGMA temp_store = MEMORY");
	}
	if (rc)
		connection_close(ret_copy);
	return rc;
}

int connection_explain(const struct connection *connection, int rc, const struct err *why,
		       struct err *err)
{
	if (why->text[0])
		return err_set(err, rc, "%s is damaged: %s" SQL_RECOVER, connection->path,
			       why->text, connection->path);
	return sql_explain(rc, "read", connection->path, err);
}
