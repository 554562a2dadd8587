/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile file with what an input says is wrong with it, for hardly any change to the bytes of a
 * database would get past SQLite. An input is a list of changes to the file of fixture_write:
 *
 *   CELL table column row VALUE   another value in a place of a table
 *   PATCH table column row offset length bytes
 *                                 other bytes within the blob of a place
 *   BYTES offset(4) length bytes  other bytes of the file
 *   CUT size(4)                   the file ends there
 *   JOURNAL ...                   all that follows is the journal beside it
 *   WHOLE ...                     all that follows is the file
 *   EMPTY table                   a table without rows, that of checksums too
 *
 * in one byte each but where it says so; numbers are taken modulo what there is.
 */
#ifndef TESTS_FUZZ_PROFILE_CHANGES_H
#define TESTS_FUZZ_PROFILE_CHANGES_H

#include <sys/stat.h>

#include "../unit/store/fixture.h"
#include "base/reader.h"
#include "base/xalloc.h"
#include "fuzz_folder.h"

enum change {
	CHANGE_CELL,
	CHANGE_PATCH,
	CHANGE_BYTES,
	CHANGE_CUT,
	CHANGE_JOURNAL,
	CHANGE_WHOLE,
	CHANGE_EMPTY
};
enum value_kind { KIND_NULL, KIND_INTEGER, KIND_DOUBLE, KIND_TEXT, KIND_BLOB, KIND_CUT_BLOB };

enum { SAMPLES = 60, MOST_CHANGES = 8, MOST_TABLES = 64, MOST_COLUMNS = 16 };

struct table {
	char *name;
	char *columns[MOST_COLUMNS];
	unsigned column_count;
};

/* The file as it is without changes. */
struct base {
	char path[96], journal[112];
	uint8_t *bytes;
	size_t size;
	struct table tables[MOST_TABLES];
	unsigned table_count;
};

/* ---- the file ---- */

static int take_column(void *context, int count, char **values, char **names)
{
	struct table *table = context;

	if (table->column_count < MOST_COLUMNS)
		table->columns[table->column_count++] = xstrdup(values[0]);
	return 0;
}

static int take_table(void *context, int count, char **values, char **names)
{
	struct base *base = context;

	if (base->table_count < MOST_TABLES)
		base->tables[base->table_count++].name = xstrdup(values[0]);
	return 0;
}

static void read_tables(struct base *base, sqlite3 *db)
{
	sqlite3_exec(db, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name",
		     take_table, base, NULL);
	for (unsigned i = 0; i < base->table_count; i++) {
		char *sql = sqlite3_mprintf("SELECT name FROM pragma_table_info(%Q)",
					    base->tables[i].name);

		sqlite3_exec(db, sql, take_column, &base->tables[i], NULL);
		sqlite3_free(sql);
	}
}

static sqlite3 *open_database(const struct base *base)
{
	sqlite3 *db;

	if (sqlite3_open_v2(base->path, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
		abort();
	sqlite3_exec(db, "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY", NULL, NULL,
		     NULL);
	return db;
}

static void read_base(struct base *base)
{
	int fd = open(base->path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		abort();
	base->size = (size_t)st.st_size;
	base->bytes = xmalloc(base->size);
	if (read(fd, base->bytes, base->size) != st.st_size)
		abort();
	close(fd);
}

static inline const struct base *the_base(void)
{
	static struct base base;
	sqlite3 *db;

	if (base.size)
		return &base;
	snprintf(base.path, sizeof(base.path), "%s/a.prof", fuzz_folder());
	snprintf(base.journal, sizeof(base.journal), "%s-journal", base.path);
	fixture_write(base.path, SAMPLES);
	db = open_database(&base);
	read_tables(&base, db);
	sqlite3_close(db);
	read_base(&base);
	return &base;
}

/* ---- changes ---- */

struct place {
	const char *table, *column;
	unsigned row;
};

static struct place read_place(const struct base *base, struct reader *reader)
{
	const struct table *table = &base->tables[reader_u8(reader) % base->table_count];
	unsigned column = reader_u8(reader) % table->column_count;

	return (struct place){ table->name, table->columns[column], reader_u8(reader) };
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *format, const struct place *place)
{
	char *sql = sqlite3_mprintf(format, place->table, place->column, place->column,
				    place->column, place->table, place->row);
	sqlite3_stmt *statement = NULL;

	sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
	sqlite3_free(sql);
	return statement;
}

/* The blob of a place, the caller's; NULL: there is none. */
static uint8_t *read_blob(sqlite3 *db, const struct place *place, size_t *ret_size)
{
	char *sql = sqlite3_mprintf("SELECT \"%w\" FROM \"%w\" LIMIT 1 OFFSET %u", place->column,
				    place->table, place->row);
	sqlite3_stmt *statement = NULL;
	uint8_t *blob = NULL;

	sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
	sqlite3_free(sql);
	if (statement && sqlite3_step(statement) == SQLITE_ROW &&
	    sqlite3_column_type(statement, 0) == SQLITE_BLOB &&
	    sqlite3_column_bytes(statement, 0) > 0) {
		*ret_size = (size_t)sqlite3_column_bytes(statement, 0);
		blob = xmemdup(sqlite3_column_blob(statement, 0), *ret_size);
	}
	sqlite3_finalize(statement);
	return blob;
}

static void bind_rest(sqlite3_stmt *statement, struct reader *reader, bool text)
{
	size_t size = reader_u8(reader), left = reader_left(reader);
	const void *bytes;

	size = size < left ? size : left;
	bytes = reader_bytes(reader, size);
	if (text)
		sqlite3_bind_text(statement, 1, bytes ? bytes : "", (int)(bytes ? size : 0),
				  SQLITE_TRANSIENT);
	else
		sqlite3_bind_blob(statement, 1, bytes ? bytes : "", (int)(bytes ? size : 0),
				  SQLITE_TRANSIENT);
}

static void bind_value(sqlite3_stmt *statement, struct reader *reader, sqlite3 *db,
		       const struct place *place)
{
	size_t size;
	uint8_t *blob;
	uint64_t bits;
	double number;

	switch (reader_u8(reader)) {
	case KIND_INTEGER:
		sqlite3_bind_int64(statement, 1, reader_sleb(reader));
		break;
	case KIND_DOUBLE:
		bits = reader_u64(reader);
		memcpy(&number, &bits, sizeof(number));
		sqlite3_bind_double(statement, 1, number);
		break;
	case KIND_TEXT:
		bind_rest(statement, reader, true);
		break;
	case KIND_BLOB:
		bind_rest(statement, reader, false);
		break;
	case KIND_CUT_BLOB:
		blob = read_blob(db, place, &size);
		if (blob)
			sqlite3_bind_blob(statement, 1, blob, (int)(reader_u16(reader) % size),
					  SQLITE_TRANSIENT);
		free(blob);
		break;
	default:
		break;
	}
}

/* All rows that have the same there, so that tables without rowid can be changed, too. */
static const char update[] = "UPDATE OR IGNORE \"%w\" SET \"%w\" = ?1 WHERE \"%w\" IS "
			     "(SELECT \"%w\" FROM \"%w\" LIMIT 1 OFFSET %u)";

static void change_cell(const struct base *base, struct reader *reader)
{
	sqlite3 *db = open_database(base);
	struct place place = read_place(base, reader);
	sqlite3_stmt *statement = prepare(db, update, &place);

	if (statement) {
		bind_value(statement, reader, db, &place);
		sqlite3_step(statement);
	}
	sqlite3_finalize(statement);
	sqlite3_close(db);
}

static void change_blob(const struct base *base, struct reader *reader)
{
	sqlite3 *db = open_database(base);
	struct place place = read_place(base, reader);
	size_t size = 0, offset = reader_u16(reader), length = reader_u8(reader);
	uint8_t *blob = read_blob(db, &place, &size);
	sqlite3_stmt *statement = blob ? prepare(db, update, &place) : NULL;

	for (size_t i = 0; blob && i < length && !reader->bad; i++)
		blob[(offset + i) % size] = reader_u8(reader);
	if (statement) {
		sqlite3_bind_blob(statement, 1, blob, (int)size, SQLITE_STATIC);
		sqlite3_step(statement);
	}
	sqlite3_finalize(statement);
	free(blob);
	sqlite3_close(db);
}

static void change_bytes(const struct base *base, struct reader *reader)
{
	uint32_t offset = reader_u32(reader);
	size_t length = reader_u8(reader);
	const void *bytes;
	int fd = open(base->path, O_WRONLY | O_CLOEXEC);

	length = length < reader_left(reader) ? length : reader_left(reader);
	bytes = reader_bytes(reader, length);
	if (fd < 0 || (bytes && pwrite(fd, bytes, length, offset % base->size) < 0))
		abort();
	close(fd);
}

static void change_size(const struct base *base, struct reader *reader)
{
	if (truncate(base->path, reader_u32(reader) % (base->size + 1)) < 0)
		abort();
}

static void empty_table(const struct base *base, struct reader *reader)
{
	const char *table = base->tables[reader_u8(reader) % base->table_count].name;
	char *sql = sqlite3_mprintf("DELETE FROM \"%w\"", table);
	sqlite3 *db = open_database(base);

	sqlite3_exec(db, sql, NULL, NULL, NULL);
	sqlite3_close(db);
	sqlite3_free(sql);
}

static void write_rest(const char *path, struct reader *reader)
{
	size_t size = reader_left(reader);

	fuzz_folder_write(path, reader_bytes(reader, size), size);
}

static void change(const struct base *base, struct reader *reader)
{
	switch (reader_u8(reader)) {
	case CHANGE_CELL:
		change_cell(base, reader);
		break;
	case CHANGE_PATCH:
		change_blob(base, reader);
		break;
	case CHANGE_BYTES:
		change_bytes(base, reader);
		break;
	case CHANGE_CUT:
		change_size(base, reader);
		break;
	case CHANGE_JOURNAL:
		write_rest(base->journal, reader);
		break;
	case CHANGE_WHOLE:
		write_rest(base->path, reader);
		break;
	case CHANGE_EMPTY:
		empty_table(base, reader);
		break;
	default:
		break;
	}
}

/* The file as the input has it. */
static inline const struct base *changed_profile(const uint8_t *bytes, size_t size)
{
	const struct base *base = the_base();
	struct reader reader = reader_make(bytes, size);

	unlink(base->journal);
	fuzz_folder_write(base->path, base->bytes, base->size);
	for (int i = 0; i < MOST_CHANGES && reader_left(&reader) > 0; i++)
		change(base, &reader);
	return base;
}

#endif
