/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/pages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "store/file_format.h"
#include "store/schema.h"
#include "store/sql.h"

enum {
	/* Depth of the deepest tree of 2^32 pages of 512 bytes. */
	MAX_LEVELS = 32,
	/* Neighbouring pages are read at once, and kept: tables that grow together are scattered among
	 * each other. A power of two, and no page is larger. */
	CHUNK_BYTES = 64 * 1024,
	MAX_CHUNKS = 64,
	MAX_TABLES = 256, /* of a file: more are not looked at */
};

/* A page on the way from the root. */
struct level {
	const uint8_t *bytes; /* in a chunk, or the next one */
	uint8_t *copy;	      /* owned */
	size_t header;	      /* where its header is */
	int type;
	unsigned cells;
	/* The next step: 2 * n is the child before cell n, 2 * n + 1 is cell n. */
	unsigned next;
};

struct chunk {
	uint8_t *bytes; /* owned; NULL: none */
	uint64_t number;
	size_t size;
};

/* A table that is laid out as in schema.sql. */
struct known_table {
	char *name; /* owned */
	uint64_t root;
};

struct pages {
	sqlite3 *db;
	sqlite3_file *file; /* SQLite's own: closing another would drop its locks (fcntl(2)) */
	uint64_t size;
	uint32_t page_bytes;
	uint32_t usable_bytes;
	struct chunk chunks[MAX_CHUNKS];
	VEC(struct known_table) tables;

	/* Of the current visit: */
	uint64_t left; /* pages that may still be read: damaged ones may form a cycle */
	int64_t first_id, end_id;
	struct level levels[MAX_LEVELS];
	int depth;
	struct buf long_row; /* one that is not on one page */
	int (*visit)(void *context, struct page_row *row);
	void *context;
};

/* ---- rows ---- */

static inline bool take_integer(struct page_row *row, uint64_t type, int64_t *ret_value)
{
	*ret_value = type == FORMAT_SERIAL_1;
	if (type <= FORMAT_SERIAL_INT64)
		*ret_value = format_integer(&row->values, (unsigned)format_value_bytes(type));
	return !row->values.bad;
}

static bool skip(struct page_row *row, uint64_t type)
{
	reader_bytes(&row->values, format_value_bytes(type));
	return false;
}

bool page_row_null(struct page_row *row)
{
	uint64_t type = format_varint(&row->types);

	return type == FORMAT_SERIAL_NULL && !row->types.bad ? true : skip(row, type);
}

static inline bool next_integer(struct page_row *row, int64_t *ret_value)
{
	uint64_t type = format_varint(&row->types);

	if (row->types.bad || !format_is_integer(type))
		return skip(row, type);
	return take_integer(row, type, ret_value);
}

bool page_row_integer(struct page_row *row, int64_t *ret_value)
{
	return next_integer(row, ret_value);
}

bool page_row_integers(struct page_row *row, int64_t *ret_values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!next_integer(row, &ret_values[i]))
			return false;
	}
	return true;
}

bool page_row_at_most(struct page_row *row, uint64_t most, uint64_t *ret_value)
{
	int64_t value;

	if (!page_row_integer(row, &value) || (uint64_t)value > most)
		return false;
	*ret_value = (uint64_t)value;
	return true;
}

bool page_row_double(struct page_row *row, double *ret_value)
{
	uint64_t type = format_varint(&row->types), bits;
	int64_t integer;

	if (row->types.bad || (!format_is_integer(type) && type != FORMAT_SERIAL_DOUBLE))
		return skip(row, type);
	if (type != FORMAT_SERIAL_DOUBLE) {
		*ret_value = take_integer(row, type, &integer) ? (double)integer : 0;
	} else {
		bits = format_big_endian(&row->values, sizeof(bits));
		memcpy(ret_value, &bits, sizeof(bits));
	}
	return !row->values.bad && isfinite(*ret_value);
}

static void take_bytes(struct page_row *row, uint64_t type, struct datum *value)
{
	value->type = type & 1 ? SQLITE_TEXT : SQLITE_BLOB;
	value->size = (size_t)format_value_bytes(type);
	value->bytes = reader_bytes(&row->values, value->size);
}

static void take_double(struct page_row *row, struct datum *value)
{
	uint64_t bits = format_big_endian(&row->values, sizeof(bits));

	value->type = SQLITE_FLOAT;
	memcpy(&value->number, &bits, sizeof(bits));
}

bool page_row_datum(struct page_row *row, struct datum *ret_value)
{
	uint64_t type = format_varint(&row->types);

	*ret_value = (struct datum){ .type = SQLITE_NULL };
	if (format_is_integer(type)) {
		ret_value->type = SQLITE_INTEGER;
		take_integer(row, type, &ret_value->integer);
	} else if (type >= FORMAT_FIRST_BLOB_OR_TEXT) {
		take_bytes(row, type, ret_value);
	} else if (type == FORMAT_SERIAL_DOUBLE) {
		take_double(row, ret_value);
	} else if (type != FORMAT_SERIAL_NULL) {
		return false;
	}
	return !row->types.bad && !row->values.bad;
}

bool page_row_end(const struct page_row *row)
{
	return !row->types.bad && !row->values.bad && !reader_left(&row->types);
}

/* ---- pages ---- */

static bool is_leaf(const struct level *level)
{
	return level->type == FORMAT_LEAF_TABLE || level->type == FORMAT_LEAF_INDEX;
}

static bool is_table(const struct level *level)
{
	return level->type == FORMAT_LEAF_TABLE || level->type == FORMAT_INTERIOR_TABLE;
}

static unsigned header_bytes(const struct level *level)
{
	return is_leaf(level) ? FORMAT_LEAF_HEADER_BYTES : FORMAT_INTERIOR_HEADER_BYTES;
}

static int read_header(struct level *level, uint32_t usable_bytes)
{
	struct reader reader =
		reader_make(level->bytes + level->header, usable_bytes - level->header);

	level->type = reader_u8(&reader);
	reader_bytes(&reader, 2); /* the first free block */
	level->cells = (unsigned)format_big_endian(&reader, 2);
	level->next = 0;
	if (level->type != FORMAT_LEAF_TABLE && level->type != FORMAT_LEAF_INDEX &&
	    level->type != FORMAT_INTERIOR_TABLE && level->type != FORMAT_INTERIOR_INDEX)
		return PAGES_ODD;
	return level->header + header_bytes(level) + 2 * level->cells > usable_bytes ? PAGES_ODD
										     : 0;
}

static bool read_chunk(struct pages *pages, struct chunk *chunk, uint64_t number)
{
	uint64_t at = number * CHUNK_BYTES, left = pages->size - at;

	if (!chunk->bytes)
		chunk->bytes = xmalloc(CHUNK_BYTES);
	chunk->number = number;
	chunk->size = left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES;
	if (pages->file->pMethods->xRead(pages->file, chunk->bytes, (int)chunk->size,
					 (sqlite3_int64)at) == SQLITE_OK)
		return true;
	free(steal_ptr(chunk->bytes));
	return false;
}

/* Finds a page, which stays until the next is read. NULL: there is none, or it cannot be read, or too many
 * were. */
static const uint8_t *read_page(struct pages *pages, uint64_t number)
{
	uint64_t at = (number - 1) * pages->page_bytes, wanted = at / CHUNK_BYTES;
	struct chunk *chunk = &pages->chunks[wanted % MAX_CHUNKS];

	if (!number || number > pages->size / pages->page_bytes || !pages->left)
		return NULL;
	pages->left--;
	if ((!chunk->bytes || chunk->number != wanted) && !read_chunk(pages, chunk, wanted))
		return NULL;
	return at % CHUNK_BYTES + pages->page_bytes > chunk->size ? NULL
								  : chunk->bytes + at % CHUNK_BYTES;
}

/* Keeps a page when others are read. */
static void keep_page(const struct pages *pages, struct level *level)
{
	if (level->bytes == level->copy)
		return;
	if (!level->copy)
		level->copy = xmalloc(pages->page_bytes);
	level->bytes = memcpy(level->copy, level->bytes, pages->page_bytes);
}

/* Goes down to a page. */
static int enter(struct pages *pages, uint64_t number)
{
	struct level *level = &pages->levels[pages->depth];

	if (pages->depth == MAX_LEVELS - 1 || (number == 1 && pages->depth))
		return PAGES_ODD;
	/* The first page begins with the file header; it is the root of the schema. */
	level->header = number == 1 ? FORMAT_FILE_HEADER_BYTES : 0;
	level->bytes = read_page(pages, number);
	if (!level->bytes || read_header(level, pages->usable_bytes))
		return PAGES_ODD;
	if (!is_leaf(level))
		keep_page(pages, level);
	if (pages->depth && is_table(level) != is_table(level - 1))
		return PAGES_ODD;
	pages->depth++;
	return 0;
}

/* Where a cell begins. enter checked that its pointer is in the page. */
static inline size_t cell_offset(const struct level *level, unsigned number)
{
	const uint8_t *pointer = level->bytes + level->header + header_bytes(level) + 2 * number;

	return (size_t)pointer[0] << 8 | pointer[1];
}

/* A cell, from its first byte to the end of the page. */
static inline struct reader cell(const struct pages *pages, const struct level *level,
				 unsigned number)
{
	struct reader page = reader_make(level->bytes, pages->usable_bytes);

	reader_bytes(&page, cell_offset(level, number));
	return page;
}

/* Takes the next @bytes of @reader. Avoids copies of readers, which cost more than reading. */
static inline void take_part(struct reader *reader, uint64_t bytes, struct reader *ret_part)
{
	ret_part->at = reader->at;
	ret_part->swap = false;
	ret_part->bad = !reader_bytes(reader, bytes);
	ret_part->end = reader->at;
}

/* Puts a row of @level together that begins at @reader and goes on on other pages. */
static int take_long(struct pages *pages, struct level *level, struct reader *reader,
		     uint64_t bytes, struct reader *ret_row)
{
	uint64_t local = format_local_bytes(pages->usable_bytes, is_table(level), bytes);
	const void *first = reader_bytes(reader, local);
	uint64_t next = format_big_endian(reader, sizeof(uint32_t));

	if (reader->bad || bytes > SCHEMA_MAX_ROW_BYTES)
		return PAGES_ODD;
	buf_clear(&pages->long_row);
	buf_add(&pages->long_row, first, local);
	keep_page(pages, level);
	while (pages->long_row.size < bytes) {
		uint64_t left = bytes - pages->long_row.size;
		const uint8_t *page = read_page(pages, next);
		struct reader rest = reader_make(page, page ? pages->usable_bytes : 0);

		if (!page)
			return PAGES_ODD;
		next = format_big_endian(&rest, sizeof(uint32_t));
		buf_add(&pages->long_row, rest.at,
			left < reader_left(&rest) ? left : reader_left(&rest));
	}
	*ret_row = reader_make(pages->long_row.bytes, bytes);
	return 0;
}

static bool is_wanted(const struct pages *pages, int64_t id)
{
	return !pages->end_id || (id >= pages->first_id && id < pages->end_id);
}

static int visit_cell(struct pages *pages, struct level *level, unsigned number)
{
	struct reader reader = cell(pages, level, number);
	struct page_row row;
	uint64_t bytes, size, left;

	row.id = 0;
	if (level->type == FORMAT_INTERIOR_INDEX)
		reader_bytes(&reader, sizeof(uint32_t));
	bytes = format_varint(&reader);
	if (is_table(level))
		row.id = (int64_t)format_varint(&reader);
	if (!is_wanted(pages, row.id))
		return 0;
	if (bytes <= format_most_local(pages->usable_bytes, is_table(level)))
		take_part(&reader, bytes, &row.values);
	else if (take_long(pages, level, &reader, bytes, &row.values))
		return PAGES_ODD;
	left = reader_left(&row.values);
	size = format_varint(&row.values); /* including its own bytes */
	left -= reader_left(&row.values);
	take_part(&row.values, size < left ? SIZE_MAX : size - left, &row.types);
	if (reader.bad || row.types.bad)
		return PAGES_ODD;
	return pages->visit(pages->context, &row);
}

static uint64_t child(const struct pages *pages, const struct level *level, unsigned number)
{
	struct reader reader = cell(pages, level, number);

	if (number == level->cells) {
		reader = reader_make(level->bytes, pages->usable_bytes);
		/* The rightmost child follows the part of the header that leaves have. */
		reader_bytes(&reader, level->header + FORMAT_LEAF_HEADER_BYTES);
	}
	return format_big_endian(&reader, sizeof(uint32_t));
}

static int visit_leaf(struct pages *pages, struct level *level)
{
	int rc = 0;

	for (unsigned i = 0; !rc && i < level->cells; i++)
		rc = visit_cell(pages, level, i);
	pages->depth--;
	return rc;
}

/* The largest id in the child before this cell of an interior page of a table. */
static int64_t last_id(const struct pages *pages, const struct level *level, unsigned number)
{
	struct reader reader = cell(pages, level, number);

	reader_bytes(&reader, sizeof(uint32_t)); /* the child */
	return (int64_t)format_varint(&reader);
}

/* True if no wanted row is in this child. */
static bool is_beside(const struct pages *pages, const struct level *level, unsigned number)
{
	if (!pages->end_id || !is_table(level))
		return false;
	return (number < level->cells && last_id(pages, level, number) < pages->first_id) ||
	       (number && last_id(pages, level, number - 1) >= pages->end_id - 1);
}

/* An index has a row between two children; a table has rows only in its leaves. */
static int step(struct pages *pages)
{
	struct level *level = &pages->levels[pages->depth - 1];
	unsigned next = level->next++;

	if (is_leaf(level))
		return visit_leaf(pages, level);
	if (next > 2 * level->cells) {
		pages->depth--;
		return 0;
	}
	if (next % 2)
		return is_table(level) ? 0 : visit_cell(pages, level, next / 2);
	return is_beside(pages, level, next / 2) ? 0 : enter(pages, child(pages, level, next / 2));
}

static int visit_tree(struct pages *pages, uint64_t root,
		      int (*visit)(void *context, struct page_row *row), void *context)
{
	int rc;

	pages->visit = visit;
	pages->context = context;
	pages->left = pages->size / pages->page_bytes;
	pages->depth = 0;
	rc = enter(pages, root);
	while (!rc && pages->depth)
		rc = step(pages);
	return rc;
}

/* ---- tables ---- */

/* Takes a row of the schema: type, name, table, root, SQL. */
static int take_table(void *context, struct page_row *row)
{
	struct pages *pages = context;
	struct datum values[5];
	char name[DATUM_NAME_BYTES];
	uint64_t root;

	for (int i = 0; i < 5; i++) {
		if (!page_row_datum(row, &values[i]))
			return PAGES_ODD;
	}
	if (!datum_name(&values[1], name) || !datum_u64(&values[3], &root) ||
	    values[4].type != SQLITE_TEXT ||
	    !schema_has_table(name, values[4].bytes, values[4].size))
		return 0;
	if (pages->tables.count >= MAX_TABLES)
		return PAGES_ODD;
	*vec_push(&pages->tables) = (struct known_table){ xstrdup(name), root };
	return 0;
}

static bool read_file_header(struct pages *pages)
{
	uint8_t header[FORMAT_FILE_HEADER_BYTES] = { 0 };
	struct reader reader = reader_make(header, sizeof(header));
	sqlite3_int64 size = 0;

	if (sqlite3_file_control(pages->db, "main", SQLITE_FCNTL_FILE_POINTER, &pages->file) !=
		    SQLITE_OK ||
	    pages->file->pMethods->xFileSize(pages->file, &size) != SQLITE_OK ||
	    pages->file->pMethods->xRead(pages->file, header, sizeof(header), 0) != SQLITE_OK)
		return false;
	pages->size = (uint64_t)size;
	reader_bytes(&reader, FORMAT_AT_PAGE_BYTES);
	pages->page_bytes = (uint32_t)format_big_endian(&reader, 2);
	if (pages->page_bytes == 1)
		pages->page_bytes = 65536;
	reader_bytes(&reader, FORMAT_AT_RESERVED_BYTES - FORMAT_AT_PAGE_BYTES - 2);
	pages->usable_bytes = pages->page_bytes - reader_u8(&reader);
	reader_bytes(&reader, FORMAT_AT_ENCODING - FORMAT_AT_RESERVED_BYTES - 1);
	return format_big_endian(&reader, 4) == FORMAT_UTF_8 && pages->page_bytes >= 512 &&
	       !(pages->page_bytes & (pages->page_bytes - 1));
}

struct pages *pages_open(sqlite3 *db)
{
	struct pages *pages = xcalloc(1, sizeof(*pages));

	pages->db = db;
	if (read_file_header(pages)) {
		/* If the schema is odd, SQLite is asked for tables. */
		visit_tree(pages, 1, take_table, pages);
		return pages;
	}
	pages_close(pages);
	return NULL;
}

void pages_forget(struct pages *pages)
{
	if (!pages)
		return;
	for (int i = 0; i < MAX_CHUNKS; i++)
		free(steal_ptr(pages->chunks[i].bytes));
	for (int i = 0; i < MAX_LEVELS; i++)
		free(steal_ptr(pages->levels[i].copy));
	buf_done(&pages->long_row);
}

void pages_close(struct pages *pages)
{
	if (!pages)
		return;
	pages_forget(pages);
	for (size_t i = 0; i < pages->tables.count; i++)
		free(pages->tables.items[i].name);
	vec_free(&pages->tables);
	free(pages);
}

/* Root page of the table; 0: it is not as in schema.sql. */
static uint64_t known_root(const struct pages *pages, const char *name)
{
	for (size_t i = 0; i < pages->tables.count; i++) {
		if (strcmp(pages->tables.items[i].name, name) == 0)
			return pages->tables.items[i].root;
	}
	return 0;
}

bool pages_know(struct pages *pages, const char *table)
{
	return known_root(pages, table) != 0;
}

/* Asks SQLite for the root page of the table; 0: its columns are others, or in another order. */
static uint64_t ask_root(sqlite3 *db, const char *name, const char *columns)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	uint64_t root = 0;

	if (sql_prepare(db,
			"SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?1 "
			"AND ?2 = (SELECT group_concat(name) FROM (SELECT name FROM "
			"pragma_table_xinfo(?1) WHERE hidden = 0 ORDER BY cid)) AND NOT EXISTS "
			"(SELECT 1 FROM pragma_table_xinfo(?1) WHERE pk > cid + 1 OR "
			"(pk > 0 AND pk < cid + 1))",
			&stmt))
		return 0;
	sql_bind_text(stmt, 1, name);
	sql_bind_text(stmt, 2, columns);
	if (sql_step(stmt) <= 0 || !sql_column_u64(stmt, 0, &root))
		return 0;
	return root;
}

int pages_visit(struct pages *pages, const struct page_rows *rows,
		int (*visit)(void *context, struct page_row *row), void *context)
{
	uint64_t root = known_root(pages, rows->table);
	int rc;

	if (!root)
		root = ask_root(pages->db, rows->table, rows->columns);
	if (root < 2)
		return PAGES_ODD;
	pages->first_id = rows->first_id;
	pages->end_id = rows->end_id;
	rc = visit_tree(pages, root, visit, context);
	pages->first_id = pages->end_id = 0;
	return rc;
}

int pages_each(sqlite3 *db, const char *name, const char *columns,
	       int (*visit)(void *context, struct page_row *row), void *context)
{
	struct pages *pages = pages_open(db);
	int rc = PAGES_ODD;

	if (pages)
		rc = pages_visit(pages, &(struct page_rows){ name, columns, 0, 0 }, visit, context);
	pages_close(pages);
	return rc;
}
