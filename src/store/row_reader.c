/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/rows.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/search.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "store/columns.h"
#include "store/schema.h"
#include "store/table_rows.h"
#include "store/written.h"

/* ---- table text ---- */

struct text_row {
	uint32_t id;
	str_id text; /* in the profile being read */
};

struct texts {
	VEC(struct text_row) rows; /* ascending in id */
	struct read_rows read;
};

/* Where the rows of table text go. */
struct text_visit {
	struct texts *texts;
	struct profile *profile;
};

static int read_text_row(void *context, const struct datum *values, struct err *why)
{
	const struct text_visit *visit = context;
	struct texts *texts = visit->texts;
	const char *text;
	size_t length;
	uint64_t id;

	if (!datum_at_most(&values[0], UINT32_MAX, &id) ||
	    !datum_text(&values[1], &text, &length) || texts->rows.count >= SCHEMA_MAX_TEXTS ||
	    (texts->rows.count && texts->rows.items[texts->rows.count - 1].id >= id))
		return err_set(why, -EBADMSG, "invalid row in table text");
	*vec_push(&texts->rows) =
		(struct text_row){ (uint32_t)id,
				   strpool_intern_n(&visit->profile->strings, text, length) };
	read_rows_add(&texts->read, id, values, 2);
	return 0;
}

static void forget_texts(void *context)
{
	const struct text_visit *visit = context;

	visit->texts->rows.count = 0;
	read_rows_done(&visit->texts->read);
}

/* Reads the table and interns its texts in @profile. The caller always calls texts_done. */
static int texts_read(const struct table_source *source, struct profile *profile,
		      struct texts *texts, struct err *why)
{
	struct text_visit visit = { texts, profile };
	const struct table_visitor visitor = { &visit, forget_texts, read_text_row };

	return table_rows_each(source, "text", "id,text", &visitor, why);
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
	read_rows_done(&texts->read);
}

/* ---- rows of dictionaries ---- */

/* The source of rows, and the profile they go to. */
struct input {
	const struct wordlist_map *words;
	struct profile *profile;
	struct texts texts;
	struct read_rows read[TABLE_COUNT];
};

static bool read_build_id(const struct datum *value, struct image *image)
{
	if (value->type != SQLITE_BLOB || value->size > BUILD_ID_MAX)
		return false;
	image->build_id_size = (uint8_t)value->size;
	if (value->size)
		memcpy(image->build_id, value->bytes, value->size);
	return true;
}

/* The row may have been read before, from pages that turned out odd. */
static bool read_code(const struct datum *value, struct kept_code *code)
{
	if (value->type != SQLITE_BLOB || value->size > SCHEMA_MAX_CODE_BYTES)
		return false;
	free(code->bytes);
	code->size = (uint32_t)value->size;
	code->bytes = value->size ? xmemdup(value->bytes, value->size) : NULL;
	return true;
}

static bool read_word(const struct datum *value, const struct column *column, void *field)
{
	char text[DATUM_NAME_BYTES];
	unsigned word;

	if (!datum_name(value, text))
		return false;
	word = wordlist_value(column->words, text);
	column_set_u32(field, word);
	return word != WORDLIST_UNKNOWN;
}

static bool set_number(const struct column *column, const struct wordlist_map *map, uint64_t number,
		       void *field)
{
	unsigned value = wordlist_ours(map, column->words, number);

	column_set_u32(field, value);
	return value != WORDLIST_UNKNOWN;
}

static bool read_text(const struct datum *value, const struct column *column,
		      struct profile *profile, void *field)
{
	const char *text;
	size_t length;

	if (!datum_text(value, &text, &length) ||
	    (column->most_bytes && length > column->most_bytes))
		return false;
	column_set_u32(field, strpool_intern_n(&profile->strings, text, length));
	return true;
}

static bool read_shared(const struct datum *value, const struct texts *texts, void *field)
{
	uint64_t id;
	str_id text;

	if (!datum_u64(value, &id) || !texts_find(texts, id, &text))
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

static bool read_integer(const struct datum *value, const struct column *column,
			 const struct input *input, size_t id, char *field)
{
	uint64_t number;

	if (!datum_u64(value, &number))
		return false;
	return column->type == COLUMN_NUMBER ? set_number(column, input->words, number, field)
					     : set_integer(column, id, number, field);
}

static bool read_column(const struct datum *value, const struct column *column,
			const struct input *input, void *row, size_t id)
{
	char *field = (char *)row + column->offset;

	switch (column->type) {
	case COLUMN_DOUBLE:
		return datum_double(value, (double *)(void *)field);
	case COLUMN_TEXT:
		return read_text(value, column, input->profile, field);
	case COLUMN_SHARED:
		return read_shared(value, &input->texts, field);
	case COLUMN_WORD:
		return read_word(value, column, field);
	case COLUMN_CODE:
		return read_code(value, row);
	case COLUMN_BUILD_ID:
		return read_build_id(value, row);
	default:
		return read_integer(value, column, input, id, field);
	}
}

/* The columns of a row after its id. Returns how many were read. */
static size_t read_columns(const struct datum *values, const struct table *table,
			   const struct input *input, void *row, size_t id)
{
	size_t count = 0;

	while (count < table->column_count &&
	       read_column(&values[1 + count], &table->columns[count], input, row, id))
		count++;
	return count;
}

/* Reads a table whose ids have no gaps. */
struct dense {
	struct input *input;
	const struct table *table;
	size_t next; /* id of the next row */
	size_t seen; /* rows that were read before they began anew */
};

static struct read_rows *read_of(struct input *input, const struct table *table)
{
	return &input->read[table - columns_tables];
}

/* In the pages, a whole number is an integer also where the column is of real numbers. */
static void make_real(struct datum *value)
{
	if (value->type == SQLITE_INTEGER)
		*value = (struct datum){ .type = SQLITE_FLOAT, .number = (double)value->integer };
}

static void sum_row(const struct dense *dense, size_t id, const struct datum *values)
{
	const struct table *table = dense->table;
	struct datum copy[TABLE_ROWS_MOST_COLUMNS];
	bool is_copied = false;

	for (size_t i = 0; i < table->column_count; i++) {
		if (table->columns[i].type != COLUMN_DOUBLE)
			continue;
		if (!is_copied)
			memcpy(copy, values, (1 + table->column_count) * sizeof(*copy));
		is_copied = true;
		make_real(&copy[1 + i]);
	}
	read_rows_add(read_of(dense->input, table), id, is_copied ? copy : values,
		      1 + table->column_count);
}

static int wrong_count(const struct table *table, struct err *err)
{
	return err_set(err, -EBADMSG, "wrong number of rows in table %s", table->name);
}

static int read_dense_row(void *context, const struct datum *values, struct err *err)
{
	struct dense *dense = context;
	const struct table *table = dense->table;
	struct profile *profile = dense->input->profile;
	size_t id = dense->next++, good;
	uint64_t stored;
	void *row;

	if (!datum_u64(&values[0], &stored) || stored != id || id >= table->limit)
		return wrong_count(table, err);
	if (id == table->count(profile))
		table->append(profile);
	row = table->row(profile, id);
	good = read_columns(values, table, dense->input, row, id);
	if (good < table->column_count)
		return err_set(err, -EBADMSG, "invalid %s in row %zu of table %s",
			       table->columns[good].name, id, table->name);
	sum_row(dense, id, values);
	return 0;
}

/* Each row is replaced when it comes again. */
static void begin_anew(void *context)
{
	struct dense *dense = context;

	dense->seen = dense->next;
	dense->next = 0;
	read_rows_done(read_of(dense->input, dense->table));
}

static void name_columns(struct buf *text, const struct table *table)
{
	buf_add_str(text, "id");
	for (size_t i = 0; i < table->column_count; i++)
		buf_printf(text, ",%s", table->columns[i].name);
}

static int read_table(struct input *input, const struct table_source *source,
		      const struct table *table, struct err *err)
{
	_cleanup_(buf_done) struct buf columns = { 0 };
	struct dense dense = { .input = input, .table = table };
	const struct table_visitor visitor = { &dense, begin_anew, read_dense_row };
	int rc = table->optional ? table_rows_there(source, table->name) : 1;

	if (rc <= 0)
		return rc;
	name_columns(&columns, table);
	rc = table_rows_each(source, table->name, buf_text(&columns), &visitor, err);
	if (!rc && dense.next < dense.seen)
		rc = wrong_count(table, err);
	return rc;
}

static void input_done(struct input *input)
{
	texts_done(&input->texts);
	for (int i = 0; i < TABLE_COUNT; i++)
		read_rows_done(&input->read[i]);
}

static int compare(struct read_rows *rows, const struct written *written, const char *table,
		   struct err *err)
{
	if (read_rows_compare(rows, written, table))
		return 0;
	return err_set(err, -EBADMSG, "checksum mismatch in table %s", table);
}

/* Runs last: the other checks explain an error more exactly. */
static int check_written(struct input *input, const struct table_source *source,
			 const struct written *written, struct err *err)
{
	int rc = compare(&input->texts.read, written, "text", err);

	for (int i = 0; !rc && i < TABLE_COUNT; i++) {
		const struct table *table = &columns_tables[i];

		rc = table->optional ? table_rows_there(source, table->name) : 1;
		if (rc > 0)
			rc = compare(&input->read[i], written, table->name, err);
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

int row_reader_run(const struct table_source *source, const struct wordlist_map *map,
		   const struct written *written, struct profile *profile, struct err *err)
{
	_cleanup_(input_done) struct input input = { .words = map, .profile = profile };
	int rc = texts_read(source, profile, &input.texts, err);

	for (int i = 0; !rc && i < TABLE_COUNT; i++)
		rc = read_table(&input, source, &columns_tables[i], err);
	for (int i = 0; !rc && i < TABLE_COUNT; i++)
		rc = check_references(&columns_tables[i], profile, err);
	if (!rc)
		rc = fill_depths(profile, err);
	if (!rc)
		rc = check_ancestors(profile, err);
	return rc ? rc : check_written(&input, source, written, err);
}

/* ---- the command ---- */

static size_t column_number(const struct table *table, const char *name)
{
	size_t number = 0;

	while (strcmp(table->columns[number].name, name) != 0)
		number++;
	return number;
}

static int note_command(void *context, const struct datum *values, struct err *err)
{
	const struct table *table = &columns_tables[TABLE_PROCESS];
	uint64_t in_command;

	if (!datum_u64(&values[1 + column_number(table, "in_command")], &in_command))
		return err_set(err, -EBADMSG, "invalid in_command in table %s", table->name);
	*(bool *)context |= in_command != 0;
	return 0;
}

int row_reader_command(const struct table_source *source, bool *ret_has, struct err *err)
{
	const struct table *table = &columns_tables[TABLE_PROCESS];
	const struct table_visitor visitor = { ret_has, NULL, note_command };
	_cleanup_(buf_done) struct buf columns = { 0 };

	*ret_has = false;
	name_columns(&columns, table);
	return table_rows_each(source, table->name, buf_text(&columns), &visitor, err);
}

/* ---- damaged files ---- */

struct scanning {
	const struct input *input;
	enum table_id at;
	const struct row_scan *scan;
};

/* Reads a row into the profile; first makes the rows before its id. */
static bool scan_row(const struct scanning *scanning, const struct datum *values, uint64_t *ret_id)
{
	const struct table *table = &columns_tables[scanning->at];
	const struct input *input = scanning->input;
	void *row;

	if (!datum_at_most(&values[0], scanning->scan->most_rows, ret_id) ||
	    *ret_id >= table->limit)
		return false;
	while (table->count(input->profile) <= *ret_id)
		table->append(input->profile);
	row = table->row(input->profile, *ret_id);
	return read_columns(values, table, input, row, *ret_id) == table->column_count;
}

static int visit_scanned(void *context, const struct datum *values, struct err *err)
{
	const struct scanning *scanning = context;
	uint64_t id = UINT64_MAX;
	bool right = scan_row(scanning, values, &id);

	(void)err;
	scanning->scan->met(scanning->scan->context, scanning->at, id, right);
	return 0;
}

static int scan_table(const struct input *input, sqlite3 *db, enum table_id at,
		      const struct row_scan *scan)
{
	const struct table *table = &columns_tables[at];
	_cleanup_(buf_done) struct buf columns = { 0 };
	struct scanning scanning = { input, at, scan };
	const struct table_visitor visitor = { &scanning, NULL, visit_scanned };
	struct err err;

	name_columns(&columns, table);
	return table_rows_each_by_sql(db, table->name, buf_text(&columns), &visitor, &err);
}

int row_reader_scan(sqlite3 *db, const struct wordlist_map *map, struct profile *profile,
		    const struct row_scan *scan)
{
	_cleanup_(input_done) struct input input = { .words = map, .profile = profile };
	struct err err;
	int rc = texts_read(&(struct table_source){ .db = db }, profile, &input.texts, &err);

	for (int i = 0; !rc && i < TABLE_COUNT; i++)
		rc = scan_table(&input, db, (enum table_id)i, scan);
	return rc;
}
