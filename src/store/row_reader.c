/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/rows.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/search.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "store/checksums.h"
#include "store/columns.h"
#include "store/pages.h"
#include "store/schema.h"
#include "store/sql.h"

/* ---- table text ---- */

struct text_row {
	uint32_t id;
	str_id text; /* in the profile being read */
};

struct texts {
	VEC(struct text_row) rows; /* ascending in id */
	struct checksums_read read;
};

static bool read_text_row(sqlite3_stmt *stmt, struct profile *profile, struct texts *texts)
{
	const char *text;
	uint64_t id;

	if (!sql_column_at_most(stmt, 0, UINT32_MAX, &id) || !sql_column_text(stmt, 1, &text) ||
	    texts->rows.count >= SCHEMA_MAX_TEXTS)
		return false;
	if (texts->rows.count && texts->rows.items[texts->rows.count - 1].id >= id)
		return false;
	*vec_push(&texts->rows) =
		(struct text_row){ (uint32_t)id, strpool_intern(&profile->strings, text) };
	return true;
}

/* Reads the table and interns its texts in @profile. The caller always calls texts_done. */
static int texts_read(sqlite3 *db, struct profile *profile, struct texts *texts, struct err *why)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = sql_prepare(db, "SELECT id, text FROM text ORDER BY id", &stmt);

	while (!rc && (rc = sql_step(stmt)) > 0) {
		if (!read_text_row(stmt, profile, texts))
			return err_set(why, -EBADMSG, "invalid row in table text");
		checksums_add_row(&texts->read, texts->rows.items[texts->rows.count - 1].id, stmt);
		rc = 0;
	}
	return rc;
}

/* False if the file has no such text. */
static bool texts_find(const struct texts *texts, uint64_t id, str_id *ret_text)
{
	size_t before = search_before(texts->rows.items, texts->rows.count, item, item->id < id);

	if (before == texts->rows.count || texts->rows.items[before].id != id)
		return false;
	*ret_text = texts->rows.items[before].text;
	return true;
}

static void texts_done(struct texts *texts)
{
	vec_free(&texts->rows);
	checksums_read_done(&texts->read);
}

/* ---- rows of dictionaries ---- */

/* The source of rows, and the profile they go to. */
struct input {
	sqlite3 *db;
	const struct wordlist_map *words;
	struct profile *profile;
	struct texts texts;
	struct checksums_read read[TABLE_COUNT];
};

static bool read_build_id(sqlite3_stmt *stmt, int at, struct image *image)
{
	int size = sqlite3_column_bytes(stmt, at);

	if (sqlite3_column_type(stmt, at) != SQLITE_BLOB || size > BUILD_ID_MAX)
		return false;
	image->build_id_size = (uint8_t)size;
	if (size)
		memcpy(image->build_id, sqlite3_column_blob(stmt, at), (size_t)size);
	return true;
}

static bool read_code(sqlite3_stmt *stmt, int at, struct kept_code *code)
{
	int size = sqlite3_column_bytes(stmt, at);

	if (sqlite3_column_type(stmt, at) != SQLITE_BLOB || size > SCHEMA_MAX_CODE_BYTES)
		return false;
	code->size = (uint32_t)size;
	code->bytes = size ? xmemdup(sqlite3_column_blob(stmt, at), (size_t)size) : NULL;
	return true;
}

static bool read_word(sqlite3_stmt *stmt, int at, const struct column *column, void *field)
{
	const char *text;
	unsigned value;

	if (!sql_column_text(stmt, at, &text))
		return false;
	value = wordlist_value(column->words, text);
	column_set_u32(field, value);
	return value != WORDLIST_UNKNOWN;
}

static bool set_number(const struct column *column, const struct wordlist_map *map, uint64_t number,
		       void *field)
{
	unsigned value = wordlist_ours(map, column->words, number);

	column_set_u32(field, value);
	return value != WORDLIST_UNKNOWN;
}

static bool read_text(sqlite3_stmt *stmt, int at, const struct column *column,
		      struct profile *profile, void *field)
{
	const char *text;

	if (!sql_column_text(stmt, at, &text) ||
	    (column->most_bytes && strlen(text) > column->most_bytes))
		return false;
	column_set_u32(field, strpool_intern(&profile->strings, text));
	return true;
}

static bool read_shared(sqlite3_stmt *stmt, int at, const struct texts *texts, void *field)
{
	uint64_t id;
	str_id text;

	if (!sql_column_u64(stmt, at, &id) || !texts_find(texts, id, &text))
		return false;
	column_set_u32(field, text);
	return true;
}

static bool set_integer(const struct column *column, size_t id, uint64_t value, char *field)
{
	switch (column->type) {
	case COLUMN_I32:
		column_set_u32(field, value);
		return (int64_t)value == (int32_t)value;
	case COLUMN_U64:
		memcpy(field, &value, sizeof(value));
		return true;
	case COLUMN_BOOL:
		*(bool *)field = value == 1;
		return value <= 1;
	case COLUMN_UP:
		column_set_u32(field, id - value);
		return value <= id && (value || !id);
	default: /* COLUMN_U32, COLUMN_REFERENCE */
		column_set_u32(field, value);
		return value <= UINT32_MAX;
	}
}

static bool read_integer(sqlite3_stmt *stmt, int at, const struct column *column,
			 const struct input *input, size_t id, char *field)
{
	uint64_t value;

	if (!sql_column_u64(stmt, at, &value))
		return false;
	return column->type == COLUMN_NUMBER ? set_number(column, input->words, value, field)
					     : set_integer(column, id, value, field);
}

static bool read_column(sqlite3_stmt *stmt, int at, const struct column *column,
			const struct input *input, void *row, size_t id)
{
	char *field = (char *)row + column->offset;

	switch (column->type) {
	case COLUMN_DOUBLE:
		return sql_column_double(stmt, at, (double *)(void *)field);
	case COLUMN_TEXT:
		return read_text(stmt, at, column, input->profile, field);
	case COLUMN_SHARED:
		return read_shared(stmt, at, &input->texts, field);
	case COLUMN_WORD:
		return read_word(stmt, at, column, field);
	case COLUMN_CODE:
		return read_code(stmt, at, row);
	case COLUMN_BUILD_ID:
		return read_build_id(stmt, at, row);
	default:
		return read_integer(stmt, at, column, input, id, field);
	}
}

static int read_row(sqlite3_stmt *stmt, const struct table *table, const struct input *input,
		    size_t id, struct err *err)
{
	uint64_t stored;
	void *row;

	if (!sql_column_u64(stmt, 0, &stored) || stored != id || id >= table->limit)
		return err_set(err, -EBADMSG, "wrong number of rows in table %s", table->name);
	if (id == table->count(input->profile))
		table->append(input->profile);
	row = table->row(input->profile, id);
	for (size_t i = 0; i < table->column_count; i++) {
		if (!read_column(stmt, (int)i + 1, &table->columns[i], input, row, id))
			return err_set(err, -EBADMSG, "invalid %s in row %zu of table %s",
				       table->columns[i].name, id, table->name);
	}
	return 0;
}

static void add_names(struct buf *text, const struct table *table)
{
	buf_add_str(text, "id");
	for (size_t i = 0; i < table->column_count; i++)
		buf_printf(text, ",%s", table->columns[i].name);
}

static void add_select(struct buf *text, const struct table *table)
{
	buf_add_str(text, "SELECT ");
	add_names(text, table);
	buf_printf(text, " FROM %s ORDER BY id", table->name);
}

enum { PLAIN_MAX_COLUMNS = 8 };

/* Reads a table that has only integers and may have millions of rows. */
struct plain {
	struct input *input;
	const struct table *table;
	size_t next; /* id of the next row */
};

static struct checksums_read *read_of(struct input *input, const struct table *table)
{
	return &input->read[table - columns_tables];
}

static bool is_plain(const struct table *table)
{
	if (table->column_count > PLAIN_MAX_COLUMNS)
		return false;
	for (size_t i = 0; i < table->column_count; i++) {
		switch (table->columns[i].type) {
		case COLUMN_I32:
		case COLUMN_U32:
		case COLUMN_U64:
		case COLUMN_BOOL:
		case COLUMN_NUMBER:
		case COLUMN_REFERENCE:
		case COLUMN_UP:
			break;
		default:
			return false;
		}
	}
	return true;
}

static int read_plain_row(void *context, struct page_row *row)
{
	struct plain *plain = context;
	const struct table *table = plain->table;
	struct profile *profile = plain->input->profile;
	int64_t values[1 + PLAIN_MAX_COLUMNS]; /* id, then the columns */
	size_t id = plain->next++;
	char *made;

	if (!page_row_null(row) || row->id != (int64_t)id || id >= table->limit)
		return PAGES_ODD;
	if (id == table->count(profile))
		table->append(profile);
	made = table->row(profile, id);
	values[0] = row->id;
	if (!page_row_integers(row, values + 1, table->column_count))
		return PAGES_ODD;
	checksums_add_integers(read_of(plain->input, table), id, values, 1 + table->column_count);
	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];
		char *field = made + column->offset;
		uint64_t value = (uint64_t)values[1 + i];

		if (column->type == COLUMN_NUMBER
			    ? !set_number(column, plain->input->words, value, field)
			    : !set_integer(column, id, value, field))
			return PAGES_ODD;
	}
	return page_row_end(row) ? 0 : PAGES_ODD;
}

/* PAGES_ODD: SQLite must read the table again, which replaces every row. */
static int read_plain_table(struct input *input, const struct table *table)
{
	_cleanup_(buf_done) struct buf columns = { 0 };
	struct plain plain = { .input = input, .table = table };

	add_names(&columns, table);
	return pages_each(input->db, table->name, buf_text(&columns), read_plain_row, &plain);
}

static int read_table(struct input *input, const struct table *table, struct err *err)
{
	_cleanup_(buf_done) struct buf text = { 0 };
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = table->optional ? schema_has(input->db, table->name) : 1;

	if (rc <= 0)
		return rc;
	if (is_plain(table) && read_plain_table(input, table) == 0)
		return 0;
	checksums_read_done(read_of(input, table));
	add_select(&text, table);
	rc = sql_prepare(input->db, buf_text(&text), &stmt);
	for (size_t id = 0; !rc && (rc = sql_step(stmt)) > 0; id++) {
		rc = read_row(stmt, table, input, id, err);
		checksums_add_row(read_of(input, table), id, stmt);
	}
	return rc;
}

static void input_done(struct input *input)
{
	texts_done(&input->texts);
	for (int i = 0; i < TABLE_COUNT; i++)
		checksums_read_done(&input->read[i]);
}

/* Runs last: the other checks explain an error more exactly. */
static int check_written(struct input *input, struct err *err)
{
	int rc = checksums_compare(&input->texts.read, input->db, "text", err);

	for (int i = 0; !rc && i < TABLE_COUNT; i++) {
		const struct table *table = &columns_tables[i];

		rc = table->optional ? schema_has(input->db, table->name) : 1;
		if (rc > 0)
			rc = checksums_compare(&input->read[i], input->db, table->name, err);
	}
	return rc;
}

static int check_references(const struct table *table, struct profile *profile, struct err *err)
{
	size_t count = table->count(profile);

	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];
		size_t targets;

		if (column->type != COLUMN_REFERENCE)
			continue;
		targets = columns_tables[column->target].count(profile);
		for (size_t id = 0; id < count; id++) {
			const char *row = table->row(profile, id);

			if (column_get_u32(row + column->offset) >= targets)
				return err_set(err, -EBADMSG,
					       "%s in row %zu of table %s refers to a missing row",
					       column->name, id, table->name);
		}
	}
	return 0;
}

/* Parents have smaller ids than their children, so one pass gives all depths. */
static int fill_depths(struct profile *profile, struct err *err)
{
	struct stack_node *nodes = profile->stacks.items;

	for (size_t id = 1; id < profile->stacks.count; id++) {
		nodes[id].depth = nodes[nodes[id].parent].depth + 1;
		if (nodes[id].depth > SCHEMA_MAX_DEPTH)
			return err_set(err, -EBADMSG, "stack %zu is too deep", id);
	}
	return 0;
}

/* Walks up from each process to one that was already visited. If this walk visited it, there is a
 * cycle. */
static int check_ancestors(const struct profile *profile, struct err *err)
{
	const struct process *processes = profile->processes.items;
	size_t count = profile->processes.count;
	_cleanup_free_ uint32_t *visited = xcalloc(count, sizeof(*visited));

	for (uint32_t id = 1; id < count; id++) {
		uint32_t at = id;

		for (; at && !visited[at]; at = processes[at].parent)
			visited[at] = id;
		if (at && visited[at] == id)
			return err_set(err, -EBADMSG, "process %u is its own ancestor",
				       (unsigned)id);
	}
	return 0;
}

int row_reader_run(sqlite3 *db, const struct wordlist_map *map, struct profile *profile,
		   struct err *err)
{
	_cleanup_(input_done) struct input input = { .db = db, .words = map, .profile = profile };
	int rc = texts_read(db, profile, &input.texts, err);

	for (int i = 0; !rc && i < TABLE_COUNT; i++)
		rc = read_table(&input, &columns_tables[i], err);
	for (int i = 0; !rc && i < TABLE_COUNT; i++)
		rc = check_references(&columns_tables[i], profile, err);
	if (!rc)
		rc = fill_depths(profile, err);
	if (!rc)
		rc = check_ancestors(profile, err);
	return rc ? rc : check_written(&input, err);
}

/* ---- damaged files ---- */

/* Reads a row into the profile; first makes the rows before its id. */
static bool scan_row(sqlite3_stmt *stmt, const struct table *table, const struct input *input,
		     const struct row_scan *scan, uint64_t *ret_id)
{
	bool right = true;
	void *row;

	if (!sql_column_at_most(stmt, 0, scan->most_rows, ret_id) || *ret_id >= table->limit)
		return false;
	while (table->count(input->profile) <= *ret_id)
		table->append(input->profile);
	row = table->row(input->profile, *ret_id);
	for (size_t i = 0; right && i < table->column_count; i++)
		right = read_column(stmt, (int)i + 1, &table->columns[i], input, row, *ret_id);
	return right;
}

static int scan_table(const struct input *input, enum table_id at, const struct row_scan *scan)
{
	const struct table *table = &columns_tables[at];
	_cleanup_(buf_done) struct buf text = { 0 };
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc;

	add_select(&text, table);
	rc = sql_prepare(input->db, buf_text(&text), &stmt);
	while (!rc && (rc = sql_step(stmt)) > 0) {
		uint64_t id = UINT64_MAX;
		bool right = scan_row(stmt, table, input, scan, &id);

		scan->met(scan->context, at, id, right);
		rc = 0;
	}
	return rc;
}

int row_reader_scan(sqlite3 *db, const struct wordlist_map *map, struct profile *profile,
		    const struct row_scan *scan)
{
	_cleanup_(input_done) struct input input = { .db = db, .words = map, .profile = profile };
	struct err err;
	int rc = texts_read(db, profile, &input.texts, &err);

	for (int i = 0; !rc && i < TABLE_COUNT; i++)
		rc = scan_table(&input, (enum table_id)i, scan);
	return rc;
}
