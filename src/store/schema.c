/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/schema.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "store/columns.h"
#include "store/sql.h"
#include "store/wordlist.h"

/* ---- checks ---- */

/* Columns that columns.c does not list. Columns: table, column. */
static const char *const other_columns[][2] = {
	{ "event", "id" },	{ "image", "id" },	 { "process", "id" },
	{ "task", "id" },	{ "symbol", "id" },	 { "frame", "id" },
	{ "stack", "id" },	{ "text", "id" },	 { "code", "id" },
	{ "text", "text" },	{ "word", "list" },	 { "word", "id" },
	{ "word", "name" },	{ "header", "name" },	 { "header", "value" },
	{ "layer", "id" },	{ "layer", "samples" },	 { "layer", "last_block" },
	{ "loss", "event" },	{ "loss", "reason" },	 { "loss", "count" },
	{ "loss", "weight" },	{ "block", "id" },	 { "block", "samples" },
	{ "block", "data" },	{ "total", "stack" },	 { "total", "task" },
	{ "total", "event" },	{ "total", "mode" },	 { "total", "context" },
	{ "total", "samples" }, { "total", "weight" },	 { "total", "weight_squared" },
	{ "second", "second" }, { "second", "cpu" },	 { "second", "event" },
	{ "second", "mode" },	{ "second", "samples" }, { "second", "weight" },
};

/* Checks for a stored column of a stored table; `hidden` marks computed columns. */
static int check_column(sqlite3_stmt *stmt, const char *table, const char *column, struct err *err)
{
	int rc;

	sql_bind_text(stmt, 1, table);
	sql_bind_text(stmt, 2, column);
	rc = sql_step(stmt);
	sqlite3_reset(stmt);
	if (!rc)
		return err_set(err, -EBADMSG, "missing column %s in table %s", column, table);
	return rc < 0 ? rc : 0;
}

int schema_has(sqlite3 *db, const char *table)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = sql_prepare(db, "SELECT 1 FROM sqlite_schema WHERE name = ?1", &stmt);

	if (rc)
		return rc;
	sql_bind_text(stmt, 1, table);
	return sql_step(stmt);
}

static int check_table(sqlite3 *db, sqlite3_stmt *stmt, const struct table *table, struct err *err)
{
	int rc = table->optional ? schema_has(db, table->name) : 1;

	if (rc <= 0)
		return rc;
	rc = 0;
	for (size_t i = 0; !rc && i < table->column_count; i++)
		rc = check_column(stmt, table->name, table->columns[i].name, err);
	return rc;
}

int schema_check(sqlite3 *db, struct err *err)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	size_t others = sizeof(other_columns) / sizeof(other_columns[0]);
	int rc = sql_prepare(db,
			     "SELECT 1 FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c "
			     "WHERE t.type = 'table' AND t.rootpage > 0 AND t.name = ?1 AND "
			     "c.name = ?2 AND c.hidden = 0",
			     &stmt);

	for (int i = 0; !rc && i < TABLE_COUNT; i++)
		rc = check_table(db, stmt, &columns_tables[i], err);
	for (size_t i = 0; !rc && i < others; i++)
		rc = check_column(stmt, other_columns[i][0], other_columns[i][1], err);
	return rc;
}

bool schema_is_known(const struct table_source *source)
{
	size_t others = sizeof(other_columns) / sizeof(other_columns[0]);

	if (!source->pages)
		return false;
	for (int i = 0; i < TABLE_COUNT; i++) {
		if (!pages_know(source->pages, columns_tables[i].name))
			return false;
	}
	for (size_t i = 0; i < others; i++) {
		if (!pages_know(source->pages, other_columns[i][0]))
			return false;
	}
	return true;
}

/* ---- views ---- */

enum views_place {
	VIEWS_FILE,
	VIEWS_QUERY,
};

/* Ends of lines that belong to one variant only. */
static const char *const marks[] = {
	[VIEWS_FILE] = " -- file",
	[VIEWS_QUERY] = " -- query",
};

static bool ends_with(const char *line, size_t length, const char *end)
{
	size_t size = strlen(end);

	return length >= size && memcmp(line + length - size, end, size) == 0;
}

/* Appends the line without its mark, unless it belongs to the other variant. */
static void add_line(struct buf *buf, const char *line, size_t length, enum views_place place)
{
	static const char create[] = "CREATE VIEW ";
	enum views_place other = place == VIEWS_FILE ? VIEWS_QUERY : VIEWS_FILE;

	if (ends_with(line, length, marks[other]))
		return;
	if (ends_with(line, length, marks[place]))
		length -= strlen(marks[place]);
	if (place == VIEWS_QUERY && strncmp(line, create, strlen(create)) == 0) {
		buf_add_str(buf, "CREATE TEMP VIEW ");
		line += strlen(create);
		length -= strlen(create);
	}
	buf_add(buf, line, length);
	buf_add_char(buf, '\n');
}

static int create_views(sqlite3 *db, enum views_place place)
{
	_cleanup_(buf_done) struct buf text = { 0 };
	const char *end;

	for (const char *line = views_sql; (end = strchr(line, '\n')); line = end + 1)
		add_line(&text, line, (size_t)(end - line), place);
	return sql_exec(db, buf_text(&text));
}

int schema_create_query_views(sqlite3 *db)
{
	return create_views(db, VIEWS_QUERY);
}

/* ---- tables ---- */

int schema_create(sqlite3 *db)
{
	_cleanup_(buf_done) struct buf text = { 0 };
	int rc;

	buf_printf(&text, "BEGIN; PRAGMA application_id = %d; PRAGMA user_version = %d;",
		   SCHEMA_APPLICATION_ID, SCHEMA_VERSION);
	rc = sql_exec(db, buf_text(&text));
	if (!rc)
		rc = sql_exec(db, schema_sql);
	if (!rc)
		rc = create_views(db, VIEWS_FILE);
	if (!rc)
		rc = wordlist_write(db);
	return rc ? rc : sql_exec(db, "COMMIT");
}

/* The statement that creates the table, from its name on; NULL: schema.sql has no such table. */
static const char *find_statement(const char *table, size_t *ret_size)
{
	_cleanup_(buf_done) struct buf head = { 0 };
	const char *start;

	buf_printf(&head, "CREATE TABLE %s(", table);
	start = strstr(schema_sql, buf_text(&head));
	if (!start)
		return NULL;
	start += strlen("CREATE TABLE ");
	*ret_size = (size_t)(strstr(start, ";\n") - start);
	return start;
}

/* SQLite keeps the text of a statement as it was. */
bool schema_has_table(const char *table, const char *sql, size_t size)
{
	static const char create[] = "CREATE TABLE ";
	size_t length = strlen(create), own;
	const char *statement = find_statement(table, &own);

	return statement && size == length + own && memcmp(sql, create, length) == 0 &&
	       memcmp(sql + length, statement, own) == 0;
}

int schema_create_temp(sqlite3 *db, const char *table)
{
	_cleanup_(buf_done) struct buf text = { 0 };
	size_t size;
	const char *statement = find_statement(table, &size);

	if (!statement)
		return -ENOENT;
	buf_add_str(&text, "CREATE TEMP TABLE ");
	buf_add(&text, statement, size);
	return sql_exec(db, buf_text(&text));
}
