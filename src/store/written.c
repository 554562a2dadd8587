/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/written.h"

#include <errno.h>
#include <string.h>

#include "base/checksum.h"
#include "base/cleanup.h"
#include "base/search.h"
#include "store/checksums.h"

/* ---- the table ---- */

/* Tables are numbered: those with ids, those with keys, blocks. WRITTEN_MOST_TABLES: another one. */
static size_t number_of(const char *table)
{
	for (size_t i = 0; i < checksums_row_tables; i++) {
		if (strcmp(checksums_rows[i].table, table) == 0)
			return i;
	}
	for (size_t i = 0; i < checksums_key_tables; i++) {
		if (strcmp(checksums_keys[i].table, table) == 0)
			return checksums_row_tables + i;
	}
	return strcmp(table, "block") == 0 ? checksums_row_tables + checksums_key_tables
					   : WRITTEN_MOST_TABLES;
}

void written_done(struct written *written)
{
	for (size_t i = 0; i < WRITTEN_MOST_TABLES; i++)
		vec_free(&written->tables[i]);
}

static void forget(void *context)
{
	written_done(context);
}

static int take_part(void *context, const struct datum *values, struct err *why)
{
	struct written *written = context;
	char table[DATUM_NAME_BYTES];
	struct written_part part;
	uint64_t crc;
	size_t number, count;

	if (!datum_name(&values[0], table) || !datum_at_most(&values[1], INT64_MAX, &part.part) ||
	    !datum_u64(&values[2], &part.rows) || !datum_at_most(&values[3], UINT32_MAX, &crc))
		return err_set(why, -EBADMSG, "invalid row in table checksum");
	number = number_of(table);
	if (number == WRITTEN_MOST_TABLES)
		return 0;
	count = written->tables[number].count;
	if (count && written->tables[number].items[count - 1].part >= part.part)
		return err_set(why, -EBADMSG, "invalid row in table checksum");
	part.crc = (uint32_t)crc;
	*vec_push(&written->tables[number]) = part;
	return 0;
}

int written_read(const struct table_source *source, struct written *ret_written, struct err *why)
{
	const struct table_visitor visitor = { ret_written, forget, take_part };
	int rc = source->pages && pages_know(source->pages, "checksum")
			 ? 1
			 : checksums_there(source->db);

	*ret_written = (struct written){ 0 };
	return rc > 0 ? table_rows_each(source, "checksum", "name,part,rows,crc", &visitor, why)
		      : rc;
}

static const struct written_part *find_part(const struct written *written, size_t number,
					    uint64_t part)
{
	const struct written_part *parts = written->tables[number].items;
	size_t count = written->tables[number].count;
	size_t before = search_before(parts, count, item, item->part < part);

	return before < count && parts[before].part == part ? &parts[before] : NULL;
}

bool written_has_block(const struct written *written, uint64_t id, const void *bytes, size_t size)
{
	const struct written_part *part = find_part(written, number_of("block"), id);

	return !part || part->crc == checksum_add(0, bytes, size);
}

/* ---- rows ---- */

/* The bytes of many rows are collected: a checksum of many bytes takes less time than many of a few. */
static void add_values(struct buf *buf, const struct datum *values, size_t count)
{
	uint8_t heads[TABLE_ROWS_MOST_COLUMNS * CHECKSUMS_HEAD_BYTES];
	size_t size = 0;

	for (size_t i = 0; i < count; i++) {
		bool has_bytes = checksums_head(&values[i], heads + size);

		size += CHECKSUMS_HEAD_BYTES;
		if (!has_bytes)
			continue;
		buf_add(buf, heads, size);
		buf_add(buf, values[i].bytes, values[i].size);
		size = 0;
	}
	buf_add(buf, heads, size);
}

bool written_has_row(const struct written *written, const char *table, const struct datum *values)
{
	_cleanup_(buf_done) struct buf buf = { 0 };
	size_t number = number_of(table);
	const struct checked_keys *checked = &checksums_keys[number - checksums_row_tables];
	const struct written_part *part;

	if (!written->tables[number].count)
		return true;
	add_values(&buf, values, (size_t)checked->keys);
	part = find_part(written, number, checksum_add(0, buf.bytes, buf.size));
	if (!part)
		return true;
	buf_clear(&buf);
	add_values(&buf, values, checksums_count(checked->columns));
	return part->crc == checksum_add(0, buf.bytes, buf.size);
}

static void sum_pending(struct read_rows *rows)
{
	struct written_part *last =
		rows->parts.count ? &rows->parts.items[rows->parts.count - 1] : NULL;

	if (!last || !rows->pending.size)
		return;
	last->crc = checksum_add(last->crc, rows->pending.bytes, rows->pending.size);
	buf_clear(&rows->pending);
}

void read_rows_add(struct read_rows *rows, uint64_t id, const struct datum *values, size_t count)
{
	uint64_t part = id / CHECKSUMS_PART_ROWS;
	struct written_part *last =
		rows->parts.count ? &rows->parts.items[rows->parts.count - 1] : NULL;

	if (!last || last->part != part) {
		sum_pending(rows);
		last = vec_push(&rows->parts);
		*last = (struct written_part){ .part = part };
	}
	last->rows++;
	add_values(&rows->pending, values, count);
}

bool read_rows_compare(struct read_rows *rows, const struct written *written, const char *table)
{
	size_t number = number_of(table), at = 0;

	sum_pending(rows);
	for (size_t i = 0; i < written->tables[number].count; i++) {
		const struct written_part *part = &written->tables[number].items[i];

		while (at < rows->parts.count && rows->parts.items[at].part < part->part)
			at++;
		/* A part without any rows read is lost. */
		if (at == rows->parts.count || rows->parts.items[at].part != part->part ||
		    rows->parts.items[at].rows != part->rows ||
		    rows->parts.items[at].crc != part->crc)
			return false;
	}
	return true;
}

void read_rows_done(struct read_rows *rows)
{
	vec_free(&rows->parts);
	buf_done(&rows->pending);
}
