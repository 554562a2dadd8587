/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/salvage/raw_pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/compare.h"
#include "base/search.h"
#include "base/xalloc.h"
#include "store/file_format.h"
#include "store/schema.h"

enum {
	/* SQLite's default, which our recorder uses. */
	USUAL_PAGE_BYTES = 4096,
	LEAST_PAGE_BYTES = 512,
	MOST_PAGE_BYTES = 65536,

	AT_USER_VERSION = 60,
	AT_APPLICATION_ID = 68,

	/* sqlite3 fileformat2, section 3 */
	JOURNAL_HEADER_BYTES = 28,
	JOURNAL_RECORD_EXTRA = 8, /* the page's number and a checksum */
	CHECKSUM_STEP = 200,

	READS_PER_PAGE = 8,
	READS_ALWAYS = 4096,
};

/* A number of SQLite: 32 bits, highest byte first. */
static uint32_t number_at(const uint8_t *bytes, size_t at)
{
	struct reader reader = reader_make(bytes + at, sizeof(uint32_t));

	return (uint32_t)format_big_endian(&reader, sizeof(uint32_t));
}

static bool read_at(int fd, void *bytes, size_t size, uint64_t at)
{
	return at <= INT64_MAX && pread(fd, bytes, size, (off_t)at) == (ssize_t)size;
}

static bool is_page_size(uint32_t bytes)
{
	return bytes >= LEAST_PAGE_BYTES && bytes <= MOST_PAGE_BYTES && !(bytes & (bytes - 1));
}

/* ---- the first page ---- */

static int check_first(const uint8_t *header, const char *name, struct err *err)
{
	uint32_t version = number_at(header, AT_USER_VERSION);

	/* Another id means another program. A first page that lost its magic string is not
	 * checked. */
	if (number_at(header, AT_APPLICATION_ID) != SCHEMA_APPLICATION_ID)
		return err_set(err, -EINVAL, "%s is an SQLite database, but not a prospect profile",
			       name);
	if (version > SCHEMA_VERSION)
		return err_set(err, -ENOTSUP,
			       "%s has profile version %u, but this prospect reads versions up to "
			       "%u: use the prospect that made it or a newer one",
			       name, version, SCHEMA_VERSION);
	return 0;
}

/* Reads the size of pages and how much of it is used. If the first page is damaged, assumes our
 * recorder's sizes. */
static int read_sizes(struct raw_pages *pages, const char *name, struct err *err)
{
	uint8_t header[FORMAT_FILE_HEADER_BYTES] = { 0 };
	struct reader reader = reader_make(header + FORMAT_AT_PAGE_BYTES, 2);
	uint32_t bytes;

	pages->page_bytes = pages->usable_bytes = USUAL_PAGE_BYTES;
	if (!read_at(pages->fd, header, sizeof(header), 0) ||
	    memcmp(header, "SQLite format 3", 16) != 0)
		return 0;
	bytes = (uint32_t)format_big_endian(&reader, 2);
	bytes = bytes == 1 ? MOST_PAGE_BYTES : bytes;
	if (is_page_size(bytes))
		pages->page_bytes = pages->usable_bytes = bytes;
	if (bytes == pages->page_bytes && header[FORMAT_AT_RESERVED_BYTES] <= 32)
		pages->usable_bytes -= header[FORMAT_AT_RESERVED_BYTES];
	return check_first(header, name, err);
}

/* ---- the journal ---- */

/* A run of records after one header. */
struct segment {
	uint64_t at;	  /* of its first record */
	uint64_t records; /* number of records */
	uint32_t nonce;
	uint32_t pages; /* of the file before the write */
	uint32_t sector_bytes;
};

static bool read_segment(struct raw_pages *pages, uint64_t at, uint64_t size,
			 struct segment *ret_segment)
{
	static const uint8_t magic[] = { 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7 };
	uint8_t header[JOURNAL_HEADER_BYTES];
	struct segment segment;
	uint32_t page_bytes;
	uint64_t room;

	if (!read_at(pages->journal, header, sizeof(header), at) ||
	    memcmp(header, magic, sizeof(magic)) != 0)
		return false;
	segment.records = number_at(header, 8);
	segment.nonce = number_at(header, 12);
	segment.pages = number_at(header, 16);
	segment.sector_bytes = number_at(header, 20);
	page_bytes = number_at(header, 24);
	if (!is_page_size(page_bytes) || segment.sector_bytes < 32 ||
	    segment.sector_bytes > MOST_PAGE_BYTES)
		return false;
	if (page_bytes != pages->page_bytes)
		return false;
	segment.at = at + segment.sector_bytes;
	room = size > segment.at ? (size - segment.at) / (page_bytes + JOURNAL_RECORD_EXTRA) : 0;
	if (segment.records == UINT32_MAX || segment.records > room)
		segment.records = room;
	*ret_segment = segment;
	return true;
}

static uint32_t checksum_of(const uint8_t *page, uint32_t page_bytes, uint32_t nonce)
{
	uint32_t sum = nonce;

	for (int64_t at = (int64_t)page_bytes - CHECKSUM_STEP; at > 0; at -= CHECKSUM_STEP)
		sum += page[at];
	return sum;
}

/* SQLite stops at the first bad record. Later records are used too if their own checksum is
 * right. */
static void read_records(struct raw_pages *pages, const struct segment *segment)
{
	size_t stride = pages->page_bytes + JOURNAL_RECORD_EXTRA;
	_cleanup_free_ uint8_t *record = xmalloc(stride);

	for (uint64_t i = 0; i < segment->records; i++) {
		uint64_t at = segment->at + i * stride;
		uint32_t page, sum;

		if (!read_at(pages->journal, record, stride, at)) {
			pages->journal_bad = true;
			return;
		}
		page = number_at(record, 0);
		sum = number_at(record, stride - sizeof(uint32_t));
		if (!page || page > segment->pages ||
		    sum != checksum_of(record + sizeof(uint32_t), pages->page_bytes,
				       segment->nonce)) {
			pages->journal_bad = true;
			continue;
		}
		*vec_push(&pages->undone) = (struct raw_undone){ page, at + sizeof(uint32_t) };
	}
}

DEFINE_ORDER(compare_undone, struct raw_undone, COMPARE(a->page, b->page) ?: COMPARE(a->at, b->at))

/* Keeps the first record of each page: it has the page as it was before the whole write. */
static void sort_undone(struct raw_pages *pages)
{
	struct raw_undone *items = pages->undone.items;
	size_t kept = 0;

	if (pages->undone.count)
		qsort(items, pages->undone.count, sizeof(*items), compare_undone);
	for (size_t i = 0; i < pages->undone.count; i++) {
		if (!kept || items[kept - 1].page != items[i].page)
			items[kept++] = items[i];
	}
	pages->undone.count = kept;
}

static uint64_t next_segment(const struct raw_pages *pages, const struct segment *segment)
{
	uint64_t end = segment->at + segment->records * (pages->page_bytes + JOURNAL_RECORD_EXTRA);

	return (end + segment->sector_bytes - 1) / segment->sector_bytes * segment->sector_bytes;
}

/* An empty journal, or one with a cleared header, belongs to a finished write. */
static void read_journal(struct raw_pages *pages)
{
	struct segment segment;
	struct stat status;
	uint64_t size, at = 0;
	uint8_t first = 0;

	if (pages->journal < 0 || fstat(pages->journal, &status) < 0)
		return;
	size = (uint64_t)status.st_size;
	for (; at < size && read_segment(pages, at, size, &segment);
	     at = next_segment(pages, &segment)) {
		if (!at)
			pages->count = segment.pages;
		pages->journal_used = true;
		read_records(pages, &segment);
	}
	sort_undone(pages);
	if (!pages->journal_used && read_at(pages->journal, &first, 1, 0))
		pages->journal_bad = true;
}

/* ---- opening and reading ---- */

int raw_pages_open(struct raw_pages *pages, int fd, int journal, const char *name, struct err *err)
{
	struct stat status;
	uint32_t in_file;
	int rc;

	*pages = (struct raw_pages){ .fd = fd, .journal = journal };
	if (fstat(fd, &status) < 0)
		return err_set(err, -errno, "cannot read %s: %s", name, strerror(errno));
	if (!status.st_size)
		return err_set(err, -EINVAL, "%s is empty, not a profile", name);
	rc = read_sizes(pages, name, err);
	if (rc)
		return rc;
	in_file = (uint32_t)((uint64_t)status.st_size / pages->page_bytes);
	pages->count = in_file;
	read_journal(pages);
	/* Do not trust a page count beyond what can be read. */
	if (pages->undone.count && pages->undone.items[pages->undone.count - 1].page > in_file)
		in_file = pages->undone.items[pages->undone.count - 1].page;
	if (pages->count > in_file)
		pages->count = in_file;
	pages->budget = (uint64_t)pages->count * READS_PER_PAGE + READS_ALWAYS;
	return 0;
}

void raw_pages_done(struct raw_pages *pages)
{
	vec_free(&pages->undone);
}

static const struct raw_undone *find_undone(const struct raw_pages *pages, uint32_t number)
{
	size_t before =
		search_before(pages->undone.items, pages->undone.count, item, item->page < number);

	if (before == pages->undone.count || pages->undone.items[before].page != number)
		return NULL;
	return &pages->undone.items[before];
}

bool raw_pages_read(struct raw_pages *pages, uint32_t number, uint8_t *ret_bytes)
{
	const struct raw_undone *undone;

	if (!number || number > pages->count || !pages->budget)
		return false;
	pages->budget--;
	undone = find_undone(pages, number);
	if (undone)
		return read_at(pages->journal, ret_bytes, pages->page_bytes, undone->at);
	return read_at(pages->fd, ret_bytes, pages->page_bytes,
		       (uint64_t)(number - 1) * pages->page_bytes);
}

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

static void read_row_head(const struct raw_page *page, struct reader *reader, struct raw_cell *cell)
{
	uint64_t local;

	cell->bytes = format_varint(reader);
	if (raw_page_is_table(page))
		cell->id = (int64_t)format_varint(reader);
	local = format_local_bytes(page->usable_bytes, raw_page_is_table(page), cell->bytes);
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
