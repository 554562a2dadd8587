/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/salvage/raw_rows.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "store/file_format.h"
#include "store/schema.h"

enum { LEAST_CELL_BYTES = 4 };

static struct reader reader_at(const struct raw_page *page, size_t at)
{
	struct reader reader = reader_make(page->bytes, page->usable_bytes);

	reader_bytes(&reader, at);
	return reader;
}

static unsigned u16_at(const struct raw_page *page, size_t at)
{
	struct reader reader = reader_at(page, at);

	return (unsigned)format_big_endian(&reader, 2);
}

/* ---- pages ---- */

bool raw_page_is_leaf(const struct raw_page *page)
{
	return page->type == FORMAT_LEAF_TABLE || page->type == FORMAT_LEAF_INDEX;
}

bool raw_page_is_table(const struct raw_page *page)
{
	return page->type == FORMAT_LEAF_TABLE || page->type == FORMAT_INTERIOR_TABLE;
}

static size_t header_bytes(const struct raw_page *page)
{
	return raw_page_is_leaf(page) ? FORMAT_LEAF_HEADER_BYTES : FORMAT_INTERIOR_HEADER_BYTES;
}

uint32_t raw_page_last_child(const struct raw_page *page)
{
	struct reader reader = reader_at(page, page->header + FORMAT_LEAF_HEADER_BYTES);

	return (uint32_t)format_big_endian(&reader, sizeof(uint32_t));
}

static size_t cell_at(const struct raw_page *page, unsigned number)
{
	return u16_at(page, page->header + header_bytes(page) + 2 * (size_t)number);
}

/* Adds up the sizes of the cells. False: one of them lies outside the content area. */
static bool add_cells(const struct raw_page *page, size_t content, size_t *used)
{
	for (unsigned i = 0; i < page->cells; i++) {
		struct raw_cell cell;

		if (cell_at(page, i) < content || !raw_page_cell(page, i, &cell))
			return false;
		*used += cell.size;
	}
	return true;
}

/* The same for the free blocks, which are in order. */
static bool add_free(const struct raw_page *page, size_t content, size_t *used)
{
	size_t at = u16_at(page, page->header + 1), before = content;

	while (at) {
		size_t size = u16_at(page, at + 2);

		if (at < before || size < LEAST_CELL_BYTES || at + size > page->usable_bytes)
			return false;
		*used += size;
		before = at + size;
		at = u16_at(page, at);
	}
	return true;
}

static bool is_sound(const struct raw_page *page)
{
	size_t pointers = page->header + header_bytes(page) + 2 * (size_t)page->cells;
	size_t content = u16_at(page, page->header + 5), used = page->bytes[page->header + 7];

	content = content ? content : 65536;
	if (pointers > content || content > page->usable_bytes)
		return false;
	return add_cells(page, content, &used) && add_free(page, content, &used) &&
	       used == page->usable_bytes - content;
}

bool raw_page_read(struct raw_pages *pages, uint32_t number, uint8_t *bytes,
		   struct raw_page *ret_page)
{
	struct raw_page page = { .number = number,
				 .header = number == 1 ? FORMAT_FILE_HEADER_BYTES : 0,
				 .bytes = bytes,
				 .usable_bytes = pages->usable_bytes };

	if (!raw_pages_read(pages, number, bytes))
		return false;
	page.type = bytes[page.header];
	if (page.type != FORMAT_LEAF_TABLE && page.type != FORMAT_LEAF_INDEX &&
	    page.type != FORMAT_INTERIOR_TABLE && page.type != FORMAT_INTERIOR_INDEX)
		return false;
	page.cells = u16_at(&page, page.header + 3);
	if (!is_sound(&page))
		return false;
	*ret_page = page;
	return true;
}

/* ---- cells ---- */

/* Bytes of a row that are in the page itself (section 1.6). */
static uint64_t local_bytes(const struct raw_page *page, uint64_t bytes)
{
	uint64_t most = format_most_local(page->usable_bytes, raw_page_is_table(page));
	uint64_t least = (page->usable_bytes - 12) * 32 / 255 - 23, rest;

	if (bytes <= most)
		return bytes;
	rest = least + (bytes - least) % (page->usable_bytes - 4);
	return rest <= most ? rest : least;
}

static void read_row_head(const struct raw_page *page, struct reader *reader, struct raw_cell *cell)
{
	uint64_t local;

	cell->bytes = format_varint(reader);
	if (raw_page_is_table(page))
		cell->id = (int64_t)format_varint(reader);
	local = local_bytes(page, cell->bytes);
	cell->local = reader_sub(reader, (size_t)local);
	if (local < cell->bytes)
		cell->overflow = (uint32_t)format_big_endian(reader, sizeof(uint32_t));
}

bool raw_page_cell(const struct raw_page *page, unsigned number, struct raw_cell *ret_cell)
{
	struct reader reader = reader_at(page, cell_at(page, number));
	size_t before = reader_left(&reader);

	*ret_cell = (struct raw_cell){ .child = 0 };
	if (!raw_page_is_leaf(page))
		ret_cell->child = (uint32_t)format_big_endian(&reader, sizeof(uint32_t));
	if (page->type == FORMAT_INTERIOR_TABLE)
		ret_cell->id = (int64_t)format_varint(&reader);
	else
		read_row_head(page, &reader, ret_cell);
	ret_cell->size = before - reader_left(&reader);
	if (ret_cell->size < LEAST_CELL_BYTES)
		ret_cell->size = LEAST_CELL_BYTES;
	return !reader.bad && ret_cell->bytes <= SCHEMA_MAX_ROW_BYTES;
}

bool raw_cell_row(struct raw_pages *pages, const struct raw_cell *cell, struct buf *buf)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	uint32_t next = cell->overflow;
	uint64_t room = pages->usable_bytes - sizeof(uint32_t);

	buf_clear(buf);
	buf_add(buf, cell->local.at, reader_left(&cell->local));
	while (buf->size < cell->bytes) {
		struct reader reader;
		uint64_t left = cell->bytes - buf->size;

		if (!bytes)
			bytes = xmalloc(pages->page_bytes);
		if (!raw_pages_read(pages, next, bytes))
			return false;
		reader = reader_make(bytes, pages->usable_bytes);
		next = (uint32_t)format_big_endian(&reader, sizeof(uint32_t));
		buf_add(buf, reader.at, left < room ? left : room);
	}
	return true;
}

/* ---- rows ---- */

static enum raw_type type_of(uint64_t serial)
{
	if (serial == FORMAT_SERIAL_NULL)
		return RAW_NULL;
	if (serial == FORMAT_SERIAL_DOUBLE)
		return RAW_REAL;
	if (serial < FORMAT_FIRST_BLOB_OR_TEXT)
		return RAW_INTEGER;
	return serial & 1 ? RAW_TEXT : RAW_BLOB;
}

/* Leaves the values in @row. */
static struct reader take_types(struct reader *row)
{
	size_t before = reader_left(row);
	uint64_t size = format_varint(row); /* including its own bytes */
	size_t own = before - reader_left(row);

	return reader_sub(row, size < own ? SIZE_MAX : (size_t)(size - own));
}

/* Types 10 and 11 are for SQLite's internal use and never in a file. */
static bool is_type(uint64_t serial)
{
	return serial <= FORMAT_SERIAL_1 || serial >= FORMAT_FIRST_BLOB_OR_TEXT;
}

void raw_row_types(struct reader row, char ret_types[RAW_MAX_COLUMNS + 1])
{
	struct reader types = take_types(&row);
	size_t count = 0;

	ret_types[0] = '\0';
	while (reader_left(&types) && count < RAW_MAX_COLUMNS) {
		uint64_t serial = format_varint(&types);

		if (!is_type(serial))
			return;
		ret_types[count++] = (char)type_of(serial);
	}
	if (!types.bad && !row.bad && !reader_left(&types))
		ret_types[count] = '\0';
	else
		ret_types[0] = '\0';
}

static void take_value(struct reader *row, uint64_t serial, struct raw_value *value)
{
	uint64_t bits, size = format_value_bytes(serial);

	*value = (struct raw_value){ .type = type_of(serial) };
	switch (value->type) {
	case RAW_INTEGER:
		value->integer = serial == FORMAT_SERIAL_1;
		if (size)
			value->integer = format_integer(row, (unsigned)size);
		break;
	case RAW_REAL:
		bits = format_big_endian(row, sizeof(bits));
		memcpy(&value->real, &bits, sizeof(bits));
		break;
	case RAW_TEXT:
	case RAW_BLOB:
		value->bytes = reader_bytes(row, size);
		value->size = size;
		break;
	default:
		break;
	}
}

int raw_row_values(struct reader row, struct raw_value ret_values[RAW_MAX_COLUMNS])
{
	struct reader types = take_types(&row);
	int count = 0;

	while (reader_left(&types) && count < RAW_MAX_COLUMNS) {
		uint64_t serial = format_varint(&types);

		if (!is_type(serial))
			return -1;
		take_value(&row, serial, &ret_values[count++]);
	}
	if (types.bad || row.bad || reader_left(&types) || reader_left(&row))
		return -1;
	return count;
}
