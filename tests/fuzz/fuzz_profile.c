/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The profile file: what is wrong with it is what the input says, for hardly any change to the
 * bytes of a database would get past SQLite. An input is a list of changes to the file of
 * fixture_write:
 *
 *   CELL table column row VALUE   another value in a place of a table
 *   PATCH table column row offset length bytes
 *                                 other bytes within the blob of a place
 *   BYTES offset(4) length bytes  other bytes of the file
 *   CUT size(4)                   the file ends there
 *   JOURNAL ...                   all that follows is the journal beside it
 *   WHOLE ...                     all that follows is the file
 *
 * in one byte each but where it says so; numbers are taken modulo what there is.
 */
#include <sys/stat.h>

#include "../unit/store/fixture.h"
#include "base/reader.h"
#include "base/xalloc.h"
#include "fuzz_folder.h"
#include "store/query.h"
#include "target.h"

enum change { CHANGE_CELL, CHANGE_PATCH, CHANGE_BYTES, CHANGE_CUT, CHANGE_JOURNAL, CHANGE_WHOLE };
enum value_kind { KIND_NULL, KIND_INTEGER, KIND_DOUBLE, KIND_TEXT, KIND_BLOB, KIND_CUT_BLOB };

enum { SAMPLES = 60, MOST_CHANGES = 8, MOST_TABLES = 64, MOST_COLUMNS = 16, MOST_ROWS = 50 };

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
	VEC(char *) views;
};

static volatile uint64_t sink;

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

static void take_view(void *context, const struct query_view *view)
{
	struct base *base = context;

	*vec_push(&base->views) = xstrdup(view->name);
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

static const struct base *the_base(void)
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
	query_each_view(take_view, &base, NULL);
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
	default:
		break;
	}
}

/* ---- readers ---- */

/* All that is said to be in range is. */
static void check_profile(const struct profile *profile)
{
	for (uint32_t i = 1; i < profile->stacks.count; i++)
		if (profile->stacks.items[i].parent >= i)
			abort();
	for (uint32_t i = 1; i < profile->frames.count; i++)
		sink += profile->images.items[profile->frames.items[i].image].kind;
	for (uint32_t i = 1; i < profile->processes.count; i++)
		sink += strlen(strpool_get(&profile->strings, profile->processes.items[i].program));
}

static int take_sample(void *context, const struct sample *sample)
{
	const struct profile *profile = context;

	if (sample->event >= profile->event_count || sample->stack >= profile->stacks.count ||
	    sample->task >= profile->tasks.count)
		abort();
	sink += sample->weight;
	return 0;
}

static int take_batch(void *context, const struct sample *samples, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sink += samples[i].weight;
	return 0;
}

static void take_branch(void *context, const struct branch *branch)
{
	sink += branch->event;
}

static void read_samples(struct store_reader *reader, const struct profile *profile)
{
	const struct sample_wish wish = { .to_ns = UINT64_MAX, .fields = 1 };
	struct totals totals;
	struct err err;

	if (store_load_totals(reader, profile, &totals, &err) == 0)
		vec_free(&totals.rows);
	store_each_sample(reader, profile, 0, UINT64_MAX, take_sample, (void *)profile, &err);
	store_each_batch(reader, profile, &wish, take_batch, NULL, &err);
	store_each_branch(reader, profile, take_branch, NULL, &err);
}

static void read_profile(const char *path)
{
	struct store_reader *reader;
	struct profile *profile;
	struct err err;

	store_is_profile(path);
	if (store_open(path, &reader, &err) < 0)
		return;
	sink += store_last_second(reader);
	if (store_load_run(reader, &profile, &err) == 0)
		profile_free(profile);
	if (store_load_profile(reader, &profile, &err) == 0) {
		check_profile(profile);
		read_samples(reader, profile);
		profile_free(profile);
	}
	store_close(reader);
}

static void read_view(struct query *query, const char *name)
{
	char *sql = sqlite3_mprintf("SELECT * FROM \"%w\" LIMIT %d", name, MOST_ROWS);
	struct err err;

	if (query_prepare(query, sql, &err) == 0) {
		while (query_step(query, &err) == 1)
			sink += query_value(query, 0).size;
	}
	sqlite3_free(sql);
}

/* One of the views, which differs from input to input: all take long. */
static void read_views(const struct base *base, size_t from)
{
	const struct query_setup setup = { .max_seconds = 2 };
	struct query *query;
	struct err err;

	if (query_open(base->path, &setup, &query, &err) < 0)
		return;
	read_view(query, base->views.items[from % base->views.count]);
	query_close(query);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct base *base = the_base();
	struct reader reader = reader_make(bytes, size);

	unlink(base->journal);
	fuzz_folder_write(base->path, base->bytes, base->size);
	for (int i = 0; i < MOST_CHANGES && reader_left(&reader) > 0; i++)
		change(base, &reader);
	read_profile(base->path);
	read_views(base, size);
	return 0;
}
