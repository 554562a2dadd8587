/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/pages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "store/file_format.h"
#include "store/sql.h"

enum {
	/* Depth of the deepest tree of 2^32 pages of 512 bytes. */
	MAX_LEVELS = 32,
};

/* A page on the way from the root. */
struct level {
	uint8_t *bytes; /* owned */
	int type;
	unsigned cells;
	/* The next step: 2 * n is the child before cell n, 2 * n + 1 is cell n. */
	unsigned next;
};

struct pages {
	sqlite3_file *file; /* SQLite's own: closing another would drop its locks (fcntl(2)) */
	uint32_t page_bytes;
	uint32_t usable_bytes;
	uint64_t left; /* pages that may still be read: damaged ones may form a cycle */
	struct level levels[MAX_LEVELS];
	int depth;
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
	struct reader reader = reader_make(level->bytes, usable_bytes);

	level->type = reader_u8(&reader);
	reader_bytes(&reader, 2); /* the first free block */
	level->cells = (unsigned)format_big_endian(&reader, 2);
	level->next = 0;
	if (level->type != FORMAT_LEAF_TABLE && level->type != FORMAT_LEAF_INDEX &&
	    level->type != FORMAT_INTERIOR_TABLE && level->type != FORMAT_INTERIOR_INDEX)
		return PAGES_ODD;
	return header_bytes(level) + 2 * level->cells > usable_bytes ? PAGES_ODD : 0;
}

/* Goes down to a page. */
static int enter(struct pages *pages, uint64_t number)
{
	struct level *level = &pages->levels[pages->depth];
	int code;

	/* The first page begins with the file header and belongs to no table of ours. */
	if (number < 2 || pages->depth == MAX_LEVELS - 1 || !pages->left)
		return PAGES_ODD;
	pages->left--;
	if (!level->bytes)
		level->bytes = xmalloc(pages->page_bytes);
	code = pages->file->pMethods->xRead(pages->file, level->bytes, (int)pages->page_bytes,
					    (sqlite3_int64)(number - 1) *
						    (sqlite3_int64)pages->page_bytes);
	if (code != SQLITE_OK || read_header(level, pages->usable_bytes))
		return PAGES_ODD;
	if (pages->depth && is_table(level) != is_table(level - 1))
		return PAGES_ODD;
	pages->depth++;
	return 0;
}

/* Where a cell begins. enter checked that its pointer is in the page. */
static inline size_t cell_offset(const struct level *level, unsigned number)
{
	const uint8_t *pointer = level->bytes + header_bytes(level) + 2 * number;

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

/* The most bytes of a row that its page holds; the rest is on overflow pages (section 1.6). */
static uint64_t most_local(const struct pages *pages, bool table)
{
	return format_most_local(pages->usable_bytes, table);
}

/* Takes the next @bytes of @reader. Avoids copies of readers, which cost more than reading. */
static inline void take_part(struct reader *reader, uint64_t bytes, struct reader *ret_part)
{
	ret_part->at = reader->at;
	ret_part->swap = false;
	ret_part->bad = !reader_bytes(reader, bytes);
	ret_part->end = reader->at;
}

static int visit_cell(struct pages *pages, const struct level *level, unsigned number)
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
	if (bytes > most_local(pages, is_table(level)))
		return PAGES_ODD;
	take_part(&reader, bytes, &row.values);
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
		reader_bytes(&reader,
			     FORMAT_LEAF_HEADER_BYTES); /* the rightmost child follows it */
	}
	return format_big_endian(&reader, sizeof(uint32_t));
}

static int visit_leaf(struct pages *pages, const struct level *level)
{
	int rc = 0;

	for (unsigned i = 0; !rc && i < level->cells; i++)
		rc = visit_cell(pages, level, i);
	pages->depth--;
	return rc;
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
	if (next % 2 == 0)
		return enter(pages, child(pages, level, next / 2));
	return is_table(level) ? 0 : visit_cell(pages, level, next / 2);
}

static void pages_done(struct pages *pages)
{
	for (int i = 0; i < MAX_LEVELS; i++)
		free(pages->levels[i].bytes);
}

static int open_file(struct pages *pages, sqlite3 *db)
{
	uint8_t header[FORMAT_FILE_HEADER_BYTES] = { 0 };
	struct reader reader = reader_make(header, sizeof(header));
	sqlite3_int64 size = 0;

	if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &pages->file) !=
		    SQLITE_OK ||
	    pages->file->pMethods->xFileSize(pages->file, &size) != SQLITE_OK ||
	    pages->file->pMethods->xRead(pages->file, header, sizeof(header), 0) != SQLITE_OK)
		return PAGES_ODD;
	reader_bytes(&reader, FORMAT_AT_PAGE_BYTES);
	pages->page_bytes = (uint32_t)format_big_endian(&reader, 2);
	if (pages->page_bytes == 1)
		pages->page_bytes = 65536;
	if (pages->page_bytes < 512)
		return PAGES_ODD;
	reader_bytes(&reader, FORMAT_AT_RESERVED_BYTES - FORMAT_AT_PAGE_BYTES - 2);
	pages->usable_bytes = pages->page_bytes - reader_u8(&reader);
	pages->left = (uint64_t)size / pages->page_bytes;
	return 0;
}

/* Root page of the table; 0: its columns are others, or in another order. */
static uint64_t find_root(sqlite3 *db, const char *name, const char *columns)
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

int pages_each(sqlite3 *db, const char *name, const char *columns,
	       int (*visit)(void *context, struct page_row *row), void *context)
{
	_cleanup_(pages_done) struct pages pages = { .visit = visit, .context = context };
	uint64_t root = find_root(db, name, columns);
	int rc;

	if (!root || open_file(&pages, db))
		return PAGES_ODD;
	rc = enter(&pages, root);
	while (!rc && pages.depth)
		rc = step(&pages);
	return rc;
}
