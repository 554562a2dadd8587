/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/sql/query.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "store/connection.h"
#include "store/layers.h"
#include "store/schema.h"
#include "store/sql.h"
#include "store/sql/query_names.h"

enum {
	TICK_OPS = 20000, /* of the SQLite machine, between looks at the clock: about 1 ms */
	CACHE_KIB = 32 << 10,
};

struct query {
	struct query_setup setup;
	struct connection connection;
	struct layers layers;
	struct sample_table_facts facts;
	struct query_names *names;
	struct sum_tables *sums;
	sqlite3_stmt *stmt;
	uint64_t deadline_ns; /* of the statement; 0: none */
	int stopped;	      /* why it ended early: -ETIME, -EINTR; else 0 */
};

DEFINE_CLEANUP(struct query *, query_close);

void query_close(struct query *query)
{
	if (!query)
		return;
	sqlite3_finalize(query->stmt);
	query_names_free(query->names);
	connection_close(&query->connection);
	sum_tables_free(query->sums);
	sqlite3_hard_heap_limit64(0);
	free(query);
}

static int on_tick(void *context)
{
	struct query *query = context;
	const struct query_setup *setup = &query->setup;

	if (setup->stop && setup->stop(setup->stop_context))
		query->stopped = -EINTR;
	else if (query->deadline_ns && clock_ns() > query->deadline_ns)
		query->stopped = -ETIME;
	return query->stopped != 0;
}

/* ---- what statements may do ---- */

/* Pragmas that only report, whatever their argument. */
static const char *const pragmas[] = {
	"table_info",  "table_xinfo",	"table_list",	   "index_list",
	"index_info",  "index_xinfo",	"function_list",   "module_list",
	"pragma_list", "database_list", "compile_options", "collation_list",
};

/* Functions that reach beyond the database, or turn a number into an address. */
static const char *const functions[] = {
	"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit",
};

static const char *const schemas[] = { "sqlite_master", "sqlite_temp_master" };

static bool is_among(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; name && i < count; i++) {
		if (strcasecmp(names[i], name) == 0)
			return true;
	}
	return false;
}

static int allow(bool allowed)
{
	return allowed ? SQLITE_OK : SQLITE_DENY;
}

/* Only statements that read are prepared; all others fail with SQLITE_AUTH. */
static int authorize(void *context, int action, const char *first, const char *second,
		     const char *database, const char *view)
{
	(void)context;
	(void)database;
	(void)view;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_UPDATE:
		/* SQLite asks this while it connects a virtual table. A user's statement that
		 * updates these tables still fails: the schema cannot be modified. */
		return allow(is_among(schemas, sizeof(schemas) / sizeof(schemas[0]), first));
	case SQLITE_FUNCTION:
		return allow(
			!is_among(functions, sizeof(functions) / sizeof(functions[0]), second));
	case SQLITE_PRAGMA:
		return allow(is_among(pragmas, sizeof(pragmas) / sizeof(pragmas[0]), first));
	default:
		return SQLITE_DENY;
	}
}

/* ---- opening ---- */

/* Views use them; older files do not have them. */
static int complete_tables(struct query *query)
{
	static const char *const newer[] = { "executable", "mark" };
	sqlite3 *db = query->connection.db;
	int rc = 1;

	for (size_t i = 0; rc >= 0 && i < sizeof(newer) / sizeof(newer[0]); i++) {
		rc = schema_has(db, newer[i]);
		if (!rc)
			rc = schema_create_temp(db, newer[i]);
	}
	return rc < 0 ? rc : 0;
}

/* If layer 2 is behind and cannot be written, makes TEMP tables with all totals. */
static int complete_sums(struct query *query, struct err *why)
{
	_cleanup_(layers_done) struct sums sums = { 0 };
	sqlite3 *db = query->connection.db;
	bool all;
	int rc = layers_missing(&query->layers, &query->connection, &sums, &all, why);

	if (!rc)
		rc = schema_create_temp(db, "total");
	if (!rc)
		rc = schema_create_temp(db, "second");
	if (!rc && !all)
		rc = sql_exec(db, "INSERT INTO temp.total SELECT stack, task, event, mode, "
				  "context, samples, weight, weight_squared FROM main.total;"
				  "INSERT INTO temp.second SELECT second, cpu, event, mode, "
				  "samples, weight FROM main.second");
	return rc ? rc : layers_write_sums(&sums, db);
}

static int prepare_layers(struct query *query, struct err *why)
{
	int rc = layers_read(&query->layers, &query->connection.source, why);

	if (!rc && layers_behind(&query->layers))
		rc = layers_repair(&query->layers, &query->connection, why);
	query->sums = sum_tables_new(layers_behind(&query->layers));
	if (!rc && layers_behind(&query->layers))
		rc = complete_sums(query, why);
	return rc;
}

/* Registers everything that a statement may name. */
static int prepare_names(struct query *query)
{
	static const char *keep[] = { "json_each", "json_tree", NULL };
	const struct query_setup *setup = &query->setup;
	sqlite3 *db = query->connection.db;

	/* Virtual tables of the file would run SQLite code that is not needed here. */
	sqlite3_drop_modules(db, keep);
	query->names = query_names_new(db, setup->demangle, setup->demangle_context);
	return query_names_register(query->names, &query->facts, query->sums);
}

static int prepare_all(struct query *query, struct err *why)
{
	sqlite3 *db = query->connection.db;
	int rc = schema_check(db, why);

	if (!rc)
		rc = complete_tables(query);
	if (!rc)
		rc = prepare_layers(query, why);
	if (!rc)
		rc = sql_number(db, "SELECT value FROM main.header WHERE name = 'start_ns'",
				&query->facts.start_ns);
	if (rc >= 0)
		rc = sql_number(db, "SELECT count(*) FROM main.block", &query->facts.blocks);
	query->facts.samples = query->layers.blocks.samples;
	return rc < 0 ? rc : prepare_names(query);
}

/* Limits what users' statements may do, and their time; our own statements ran before. */
static void restrict_statements(struct query *query)
{
	sqlite3 *db = query->connection.db;

	if (query->setup.max_bytes)
		sqlite3_hard_heap_limit64((sqlite3_int64)query->setup.max_bytes);
	sqlite3_progress_handler(db, TICK_OPS, on_tick, query);
	sqlite3_set_authorizer(db, authorize, NULL);
}

int query_open(const char *path, const struct query_setup *setup, struct query **ret_query,
	       struct err *err)
{
	_cleanup_(query_closep) struct query *query = xcalloc(1, sizeof(*query));
	struct err why = { "" };
	char text[64];
	int rc;

	query->setup = *setup;
	rc = connection_open(&query->connection, path, err);
	if (!rc)
		rc = connection_read_schema(&query->connection, err);
	if (rc)
		return rc;
	snprintf(text, sizeof(text), "PRAGMA cache_size = -%d", CACHE_KIB);
	rc = sql_exec(query->connection.db, text);
	if (!rc)
		rc = prepare_all(query, &why);
	if (rc)
		return connection_explain(&query->connection, rc, &why, err);
	restrict_statements(query);
	*ret_query = steal_ptr(query);
	return 0;
}

/* ---- a statement ---- */

/* Appends line and column of the byte @offset of @sql. */
static void add_position(struct buf *buf, const char *sql, size_t offset)
{
	size_t line = 1, column = 1;

	for (size_t i = 0; i < offset && sql[i]; i++) {
		bool is_first = ((unsigned char)sql[i] & 0xc0) != 0x80; /* of a UTF-8 character */

		column = sql[i] == '\n' ? 1 : column + is_first;
		line += sql[i] == '\n';
	}
	buf_printf(buf, "line %zu, column %zu: ", line, column);
}

static const char *hint(const char *message)
{
	if (strncmp(message, "no such table", 13) == 0 ||
	    strncmp(message, "no such column", 14) == 0)
		return "; 'prospect query' alone lists tables and columns";
	if (strncmp(message, "access to view", 14) == 0)
		return ": views stored in the file are not run";
	return "";
}

/* Explains why the statement that begins at @from in @sql cannot be prepared. */
static int explain_sql(sqlite3 *db, const char *sql, size_t from, int code, struct err *err)
{
	_cleanup_(buf_done) struct buf at = { 0 };
	const char *message = sqlite3_errmsg(db);
	int offset = sqlite3_error_offset(db);

	if ((code & 0xff) == SQLITE_AUTH && strcmp(message, "not authorized") == 0)
		return err_set(err, -EPERM, "only SELECT is allowed: profiles are read-only");
	if ((code & 0xff) == SQLITE_NOMEM)
		return err_set(err, -ENOMEM, "the statement exceeds its memory limit");
	if ((code & 0xff) == SQLITE_CORRUPT)
		return err_set(err, -EBADMSG,
			       "the profile is damaged: %s; 'prospect recover FILE' saves what "
			       "can be read",
			       message);
	if (offset >= 0)
		add_position(&at, sql, from + (size_t)offset);
	return err_set(err, -EINVAL, "%s%s%s", buf_text(&at), message, hint(message));
}

/* Only blanks, comments and semicolons may follow a statement. */
static int check_tail(sqlite3 *db, const char *sql, const char *tail, struct err *err)
{
	_cleanup_(buf_done) struct buf at = { 0 };

	while (*tail) {
		_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
		const char *next = tail;
		int code = sqlite3_prepare_v2(db, tail, -1, &stmt, &next);

		if (code != SQLITE_OK || stmt) {
			tail += strspn(tail, " \t\r\n;");
			add_position(&at, sql, (size_t)(tail - sql));
			return err_set(
				err, -EINVAL,
				"%sa second statement begins here: give one statement at a time",
				buf_text(&at));
		}
		if (next <= tail)
			break;
		tail = next;
	}
	return 0;
}

/* Skips empty statements before the first one. */
static int prepare_first(struct query *query, const char *sql, const char **ret_tail,
			 struct err *err)
{
	sqlite3 *db = query->connection.db;
	const char *at = sql;

	while (!query->stmt && *at) {
		const char *tail = at;
		int code = sqlite3_prepare_v2(db, at, -1, &query->stmt, &tail);

		if (code != SQLITE_OK)
			return explain_sql(db, sql, (size_t)(at - sql), code, err);
		if (tail <= at)
			break;
		at = tail;
	}
	*ret_tail = at;
	return query->stmt ? 0 : err_set(err, -EINVAL, "no SQL statement given");
}

int query_prepare(struct query *query, const char *sql, struct err *err)
{
	sqlite3 *db = query->connection.db;
	const char *tail = sql;
	int rc;

	sqlite3_finalize(query->stmt);
	query->stmt = NULL;
	query->stopped = 0;
	query->deadline_ns = 0;
	rc = prepare_first(query, sql, &tail, err);
	if (!rc)
		rc = check_tail(db, sql, tail, err);
	if (!rc && (!sqlite3_stmt_readonly(query->stmt) || !sqlite3_column_count(query->stmt)))
		rc = err_set(err, -EPERM, "only SELECT is allowed: profiles are read-only");
	if (query->setup.max_seconds > 0)
		query->deadline_ns = clock_ns() + (uint64_t)(query->setup.max_seconds * 1e9);
	return rc;
}

size_t query_column_count(const struct query *query)
{
	return (size_t)sqlite3_column_count(query->stmt);
}

const char *query_column_name(const struct query *query, size_t column)
{
	const char *name = sqlite3_column_name(query->stmt, (int)column);

	return name ? name : "";
}

static int explain_step(const struct query *query, int code, struct err *err)
{
	switch (query->stopped ? SQLITE_INTERRUPT : code & 0xff) {
	case SQLITE_INTERRUPT:
		if (query->stopped == -ETIME)
			return err_set(err, -ETIME, "the statement exceeded the time limit of %g s",
				       query->setup.max_seconds);
		return err_set(err, -EINTR, "interrupted");
	case SQLITE_NOMEM:
		return err_set(err, -ENOMEM, "the statement exceeded the memory limit of %llu MB",
			       (unsigned long long)(query->setup.max_bytes >> 20));
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return err_set(err, -EBADMSG, "%s is damaged: %s" SQL_RECOVER,
			       query->connection.path, sqlite3_errmsg(query->connection.db),
			       query->connection.path);
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
	case SQLITE_FULL:
	case SQLITE_BUSY:
		return sql_explain(sql_errno(query->connection.db, code), "read",
				   query->connection.path, err);
	default:
		return err_set(err, -EINVAL, "%s", sqlite3_errmsg(query->connection.db));
	}
}

int query_step(struct query *query, struct err *err)
{
	int code = sqlite3_step(query->stmt);

	if (code == SQLITE_ROW || code == SQLITE_DONE)
		return code == SQLITE_ROW;
	return explain_step(query, code, err);
}

struct value query_value(const struct query *query, size_t column)
{
	sqlite3_stmt *stmt = query->stmt;
	int at = (int)column;

	switch (sqlite3_column_type(stmt, at)) {
	case SQLITE_INTEGER:
		return (struct value){ .type = VALUE_INTEGER,
				       .integer = sqlite3_column_int64(stmt, at) };
	case SQLITE_FLOAT:
		return (struct value){ .type = VALUE_REAL,
				       .real = sqlite3_column_double(stmt, at) };
	case SQLITE_TEXT:
		return (struct value){ .type = VALUE_TEXT,
				       .text = (const char *)sqlite3_column_text(stmt, at),
				       .size = (size_t)sqlite3_column_bytes(stmt, at) };
	case SQLITE_BLOB:
		return (struct value){ .type = VALUE_BYTES,
				       .bytes = sqlite3_column_blob(stmt, at),
				       .size = (size_t)sqlite3_column_bytes(stmt, at) };
	default:
		return (struct value){ .type = VALUE_NULL };
	}
}
