/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/table_rows.h"

#include "base/buf.h"
#include "store/checksums.h"
#include "store/schema.h"
#include "store/sql.h"

/* ---- by SQLite ---- */

struct datum table_rows_datum(sqlite3_stmt *stmt, int at)
{
	struct datum value = { .type = (uint8_t)sqlite3_column_type(stmt, at) };

	if (value.type == SQLITE_INTEGER)
		value.integer = sqlite3_column_int64(stmt, at);
	else if (value.type == SQLITE_FLOAT)
		value.number = sqlite3_column_double(stmt, at);
	else if (value.type == SQLITE_TEXT)
		value.bytes = sqlite3_column_text(stmt, at);
	else if (value.type == SQLITE_BLOB)
		value.bytes = sqlite3_column_blob(stmt, at);
	if (value.type == SQLITE_TEXT || value.type == SQLITE_BLOB) {
		value.size = (size_t)sqlite3_column_bytes(stmt, at);
		value.bytes = value.bytes ? value.bytes : "";
	}
	return value;
}

int table_rows_each_by_sql(sqlite3 *db, const char *table, const char *columns,
			   const struct table_visitor *visitor, struct err *why)
{
	_cleanup_(buf_done) struct buf text = { 0 };
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	struct datum values[TABLE_ROWS_MOST_COLUMNS];
	int rc;

	buf_printf(&text, "SELECT %s FROM %s ORDER BY 1, 2", columns, table);
	rc = sql_prepare(db, buf_text(&text), &stmt);
	while (!rc && (rc = sql_step(stmt)) > 0) {
		for (int at = 0; at < sqlite3_column_count(stmt); at++)
			values[at] = table_rows_datum(stmt, at);
		rc = visitor->visit(visitor->context, values, why);
	}
	return rc;
}

/* ---- from the pages ---- */

struct page_visit {
	const struct table_visitor *visitor;
	size_t columns;
};

static int visit_page_row(void *context, struct page_row *row)
{
	const struct page_visit *visit = context;
	struct datum values[TABLE_ROWS_MOST_COLUMNS];
	struct err why;
	int rc;

	for (size_t at = 0; at < visit->columns; at++) {
		if (!page_row_datum(row, &values[at]))
			return PAGES_ODD;
	}
	/* Where the id is a column, the row itself lacks it. */
	if (values[0].type == SQLITE_NULL)
		values[0] = (struct datum){ .type = SQLITE_INTEGER, .integer = row->id };
	if (!page_row_end(row))
		return PAGES_ODD;
	rc = visit->visitor->visit(visit->visitor->context, values, &why);
	return rc < 0 ? PAGES_ODD : rc;
}

int table_rows_each(const struct table_source *source, const char *table, const char *columns,
		    const struct table_visitor *visitor, struct err *why)
{
	struct page_visit visit = { visitor, checksums_count(columns) };
	int rc = PAGES_ODD;

	if (source->pages)
		rc = pages_visit(source->pages, &(struct page_rows){ table, columns, 0, 0 },
				 visit_page_row, &visit);
	if (rc != PAGES_ODD)
		return rc;
	if (visitor->restart)
		visitor->restart(visitor->context);
	return table_rows_each_by_sql(source->db, table, columns, visitor, why);
}

int table_rows_there(const struct table_source *source, const char *table)
{
	return source->pages && pages_know(source->pages, table) ? 1
								 : schema_has(source->db, table);
}
