/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists the views, by asking an empty database that has only them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/xalloc.h"
#include "store/schema.h"
#include "store/sql.h"
#include "store/sql/query.h"
#include "store/sql/query_names.h"

struct columns {
	VEC(char *) names;
};

static void columns_done(struct columns *columns)
{
	for (size_t i = 0; i < columns->names.count; i++)
		free(columns->names.items[i]);
	vec_free(&columns->names);
}

static int read_columns(sqlite3 *db, const char *view, struct columns *columns)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	const char *name;
	int rc = sql_prepare(db, "SELECT name FROM pragma_table_info(?1)", &stmt);

	if (!rc)
		sql_bind_text(stmt, 1, view);
	while (!rc && (rc = sql_step(stmt)) > 0) {
		rc = sql_column_text(stmt, 0, &name) ? 0 : -EBADMSG;
		if (!rc)
			*vec_push(&columns->names) = xstrdup(name);
	}
	return rc;
}

/* The text after "AS -- " in the first line. The caller frees it. */
static char *summary_of(const char *sql)
{
	const char *start = strstr(sql, " AS -- ");
	size_t line = strcspn(sql, "\n");

	if (!start || (size_t)(start - sql) > line)
		return xstrdup("");
	start += strlen(" AS -- ");
	return xasprintf("%.*s", (int)strcspn(start, "\n"), start);
}

static int tell(sqlite3 *db, sqlite3_stmt *stmt,
		void (*visit)(void *context, const struct query_view *view), void *context)
{
	_cleanup_(columns_done) struct columns columns = { { 0 } };
	_cleanup_free_ char *summary = NULL;
	const char *name, *sql;
	int rc;

	if (!sql_column_text(stmt, 0, &name) || !sql_column_text(stmt, 1, &sql))
		return -EBADMSG;
	summary = summary_of(sql);
	rc = read_columns(db, name, &columns);
	if (!rc)
		visit(context,
		      &(struct query_view){ .name = name,
					    .summary = summary,
					    .columns = (const char *const *)columns.names.items,
					    .column_count = columns.names.count });
	return rc;
}

static int each_view(sqlite3 *db, void (*visit)(void *context, const struct query_view *view),
		     void *context)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = sql_prepare(db,
			     "SELECT name, sql FROM sqlite_temp_schema WHERE type = 'view' "
			     "ORDER BY rowid",
			     &stmt);

	while (!rc && (rc = sql_step(stmt)) > 0)
		rc = tell(db, stmt, visit, context);
	return rc;
}

int query_each_view(void (*visit)(void *context, const struct query_view *view), void *context,
		    struct err *err)
{
	static const struct sample_table_facts no_facts;
	struct query_names *names;
	struct sum_tables *sums = sum_tables_new(false);
	sqlite3 *db = NULL;
	int rc = sql_errno(NULL, sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE, NULL));

	if (!rc)
		rc = schema_create(db);
	names = query_names_new(db, NULL, NULL);
	if (!rc)
		rc = query_names_register(names, &no_facts, sums);
	if (!rc)
		rc = each_view(db, visit, context);
	if (rc)
		err_set(err, rc, "cannot list the views: %s", strerror(-rc));
	query_names_free(names);
	sqlite3_close(db);
	sum_tables_free(sums);
	return rc;
}
