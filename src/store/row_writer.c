/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/rows.h"

#include <string.h>

#include "base/buf.h"
#include "store/checksums.h"
#include "store/columns.h"
#include "store/sql.h"

#define NO_PART SIZE_MAX

static void bind_code(sqlite3_stmt *stmt, int at, const struct kept_code *code)
{
	/* a NULL pointer would bind NULL */
	sqlite3_bind_blob(stmt, at, code->bytes ? (const void *)code->bytes : "", (int)code->size,
			  SQLITE_STATIC);
}

static void bind_column(sqlite3_stmt *stmt, int at, const struct column *column,
			const struct profile *profile, const void *row, size_t id)
{
	const char *field = (const char *)row + column->offset;
	uint64_t bits;
	double number;

	switch (column->type) {
	case COLUMN_I32:
		sqlite3_bind_int(stmt, at, (int32_t)column_get_u32(field));
		break;
	case COLUMN_U32:
	case COLUMN_NUMBER:
	case COLUMN_REFERENCE:
	case COLUMN_SHARED:
		sql_bind_u64(stmt, at, column_get_u32(field));
		break;
	case COLUMN_U64:
		memcpy(&bits, field, sizeof(bits));
		sql_bind_u64(stmt, at, bits);
		break;
	case COLUMN_BOOL:
		sqlite3_bind_int(stmt, at, *(const bool *)field);
		break;
	case COLUMN_DOUBLE:
		memcpy(&number, field, sizeof(number));
		sqlite3_bind_double(stmt, at, number);
		break;
	case COLUMN_TEXT:
		sql_bind_text(stmt, at, profile_text(profile, column_get_u32(field)));
		break;
	case COLUMN_WORD:
		sql_bind_text(stmt, at, wordlist_text(column->words, column_get_u32(field)));
		break;
	case COLUMN_BUILD_ID:
		sqlite3_bind_blob(stmt, at, field, ((const struct image *)row)->build_id_size,
				  SQLITE_STATIC);
		break;
	case COLUMN_CODE:
		bind_code(stmt, at, row);
		break;
	case COLUMN_UP:
		sql_bind_u64(stmt, at, id - column_get_u32(field));
		break;
	}
}

/* The statements that write a table. */
struct output {
	sqlite3_stmt *row;
	sqlite3_stmt *text;
};

static void output_done(struct output *output)
{
	sqlite3_finalize(output->row);
	sqlite3_finalize(output->text);
}

static int output_prepare(struct output *output, sqlite3 *db, const struct table *table)
{
	_cleanup_(buf_done) struct buf text = { 0 };
	int rc;

	buf_printf(&text, "INSERT OR REPLACE INTO %s(id", table->name);
	for (size_t i = 0; i < table->column_count; i++)
		buf_printf(&text, ", %s", table->columns[i].name);
	buf_add_str(&text, ") VALUES(?");
	for (size_t i = 0; i < table->column_count; i++)
		buf_add_str(&text, ", ?");
	buf_add_char(&text, ')');
	rc = sql_prepare(db, buf_text(&text), &output->row);
	return rc ? rc
		  : sql_prepare(db, "INSERT OR IGNORE INTO text(id, text) VALUES(?1, ?2)",
				&output->text);
}

/* Writes a text of the profile unless the file has it. */
static int write_text(sqlite3_stmt *stmt, const struct profile *profile, str_id id)
{
	sqlite3 *db = sqlite3_db_handle(stmt);
	int rc;

	sql_bind_u64(stmt, 1, id);
	sql_bind_text(stmt, 2, profile_text(profile, id));
	rc = sql_run(stmt);
	if (rc || !sqlite3_changes(db))
		return rc;
	return checksums_write_part(db, "text", id / CHECKSUMS_PART_ROWS);
}

/* The shared texts a row refers to. */
static int write_texts(struct output *output, const struct table *table,
		       const struct profile *profile, const void *row)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < table->column_count; i++) {
		const char *field = (const char *)row + table->columns[i].offset;

		if (table->columns[i].type == COLUMN_SHARED)
			rc = write_text(output->text, profile, column_get_u32(field));
	}
	return rc;
}

static bool is_dirty(const struct table *table, const void *row)
{
	if (table->dirty_at < 0)
		return table->dirty_at == TABLE_ALWAYS_DIRTY;
	return *((const bool *)row + table->dirty_at);
}

static int write_row(struct output *output, const struct table *table, struct profile *profile,
		     size_t id)
{
	const void *row = table->row(profile, id);
	int rc = write_texts(output, table, profile, row);

	if (rc)
		return rc;
	sql_bind_u64(output->row, 1, id);
	for (size_t i = 0; i < table->column_count; i++)
		bind_column(output->row, (int)i + 2, &table->columns[i], profile, row, id);
	return sql_run(output->row);
}

/* Rows are written in order of id, so the first row of another part completes the last part. */
static int sum_up(sqlite3 *db, const struct table *table, size_t *part, size_t next)
{
	int rc = 0;

	if (*part != next && *part != NO_PART)
		rc = checksums_write_part(db, table->name, *part);
	*part = next;
	return rc;
}

static int write_table(sqlite3 *db, const struct table *table, struct profile *profile,
		       size_t written)
{
	_cleanup_(output_done) struct output output = { 0 };
	size_t count = table->count(profile), part = NO_PART;
	int rc = 0;

	for (size_t id = table->dirty_at == TABLE_NEVER_DIRTY ? written : 0; !rc && id < count;
	     id++) {
		if (id < written && !is_dirty(table, table->row(profile, id)))
			continue;
		if (!output.row)
			rc = output_prepare(&output, db, table);
		if (!rc)
			rc = sum_up(db, table, &part, id / CHECKSUMS_PART_ROWS);
		if (!rc)
			rc = write_row(&output, table, profile, id);
	}
	return rc ? rc : sum_up(db, table, &part, NO_PART);
}

int row_writer_run(const struct row_writer *writer, sqlite3 *db, struct profile *profile)
{
	int rc = 0;

	for (int i = 0; !rc && i < TABLE_COUNT; i++)
		rc = write_table(db, &columns_tables[i], profile, writer->written[i]);
	return rc;
}

static void clear_dirty(const struct table *table, struct profile *profile, size_t count)
{
	for (size_t id = 0; id < count; id++) {
		bool *dirty = (bool *)table->row(profile, id) + table->dirty_at;

		if (*dirty) /* do not touch pages that were given back (base/vec.h) */
			*dirty = false;
	}
}

void row_writer_settle(struct row_writer *writer, struct profile *profile)
{
	for (int i = 0; i < TABLE_COUNT; i++) {
		const struct table *table = &columns_tables[i];
		size_t count = table->count(profile);

		if (table->dirty_at >= 0)
			clear_dirty(table, profile, count);
		writer->written[i] = count;
	}
}
